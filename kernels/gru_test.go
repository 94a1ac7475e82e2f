package kernels

import (
	"math"
	"slices"
	"testing"
)

var pointwiseLengths = []int{0, 1, 7, 8, 9, 67, block, block + 5}

// oneRow returns the concatenation of values as a batch of one row.
func oneRow(values ...[]float32) Matrix {
	row := slices.Concat(values...)
	return View(row, 1, len(row))
}

// A unit is one element of a gated recurrent unit in float64: the pre-activations of the gates and of
// the candidate, and the previous state.
type unit struct{ z, r, candidate, h float64 }

func (u unit) next() float64 {
	z := sigmoid64(u.z)
	return (1-z)*u.h + z*math.Tanh(u.candidate)
}

func (u unit) rh() float64 { return sigmoid64(u.r) * u.h }

func TestGRU(t *testing.T) {
	eachImpl(t, func(t *testing.T, k Impl) {
		for _, n := range pointwiseLengths {
			r := newRand(uint64(n))
			z, reset, candidate, h := random(r, n), random(r, n), random(r, n), random(r, n)
			want := map[string][]float64{}
			for _, name := range []string{"z", "r", "rh", "candidate", "next"} {
				want[name] = make([]float64, n)
			}
			for i := range n {
				u := unit{float64(z[i]), float64(reset[i]), float64(candidate[i]), float64(h[i])}
				want["z"][i], want["r"][i], want["rh"][i] = sigmoid64(u.z), sigmoid64(u.r), u.rh()
				want["candidate"][i], want["next"][i] = math.Tanh(u.candidate), u.next()
			}
			gates, rh, next := oneRow(z, reset, candidate), NewMatrix(1, n), NewMatrix(1, n)
			k.GRUGatesRows(gates, rh, oneRow(h))
			k.GRUStateRows(next, gates, oneRow(h))
			// Sigmoid is within 2.5 and Tanh within 1.5 ULP of values up to 1. |h| < 5 multiplies
			// the error, and a product or a difference rounds a value below 8.
			near(t, "GRUGatesRows z", k, gates.Data[:n], want["z"], 2.5*0x1p-24)
			near(t, "GRUGatesRows r", k, gates.Data[n:2*n], want["r"], 2.5*0x1p-24)
			near(t, "GRUGatesRows rh", k, rh.Data, want["rh"], (5*2.5+4)*0x1p-24)
			near(t, "GRUStateRows candidate", k, gates.Data[2*n:], want["candidate"], 1.5*0x1p-24)
			near(t, "GRUStateRows next", k, next.Data, want["next"], (6*2.5+1.5+4+4)*0x1p-24)
		}
	})
}

// TestGRUResetAfter compares with the formula in float64.
func TestGRUResetAfter(t *testing.T) {
	eachImpl(t, func(t *testing.T, k Impl) {
		for _, n := range pointwiseLengths {
			r := newRand(uint64(n))
			x, reset, z, u, h := random(r, n), random(r, n), random(r, n), random(r, n), random(r, n)
			want, next := make([]float64, n), NewMatrix(1, n)
			for i := range want {
				c := math.Tanh(float64(x[i]) + sigmoid64(float64(reset[i]))*float64(u[i]))
				want[i] = c + sigmoid64(float64(z[i]))*(float64(h[i])-c)
			}
			k.GRUResetAfterRows(next, oneRow(x, reset, z, u), oneRow(h))
			// |u|, |h| < 5: the argument of tanh has the error of r times |u| and a rounding below 16; then as in TestGRU.
			near(t, "GRUResetAfterRows next", k, next.Data, want, (5*2.5+8+1.5+6*2.5+4+4)*0x1p-24)
		}
	})
}

// TestLSTM compares with the formulas in float64.
func TestLSTM(t *testing.T) {
	eachImpl(t, func(t *testing.T, k Impl) {
		for _, n := range pointwiseLengths {
			r := newRand(uint64(n))
			input, forget, candidate, output, c := random(r, n), random(r, n), random(r, n), random(r, n), random(r, n)
			wantCell, want := make([]float64, n), make([]float64, n)
			cell, next := NewMatrix(1, n), NewMatrix(1, n)
			for i := range want {
				wantCell[i] = sigmoid64(float64(forget[i]))*float64(c[i]) + sigmoid64(float64(input[i]))*math.Tanh(float64(candidate[i]))
				want[i] = sigmoid64(float64(output[i])) * math.Tanh(wantCell[i])
			}
			k.LSTMStateRows(next, cell, oneRow(input, forget, candidate, output), oneRow(c))
			// |c| < 5 multiplies the error of a gate; the sum is below 8.
			near(t, "LSTMStateRows cell", k, cell.Data, wantCell, (5*2.5+2.5+1.5+1+4)*0x1p-24)
			near(t, "LSTMStateRows next", k, next.Data, want, (5*2.5+2.5+1.5+1+4+2.5+1.5+1)*0x1p-24)
		}
	})
}

// TestRecurrentGates: saturated gates keep the state of a cell or the old state, or take the candidate, exactly, and
// a state of NaN or an infinity stays visible.
func TestRecurrentGates(t *testing.T) {
	const open, shut = 100, -100
	eachImpl(t, func(t *testing.T, k Impl) {
		for _, c := range []struct{ x, r, z, u, h, want float32 }{
			{0.25, open, open, 1, 0.5, 0.5}, {inf, shut, shut, 1, 0.5, 1}, {-inf, shut, shut, 1, 0.5, -1},
			{inf, open, shut, -inf, 0, nan}, {nan, open, shut, 1, 0, nan}, {0, open, open, 1, nan, nan}, {0, 0, open, 1, inf, inf},
			{negZero, shut, shut, negZero, 0, negZero},
		} {
			next := NewMatrix(1, 1)
			k.GRUResetAfterRows(next, oneRow([]float32{c.x, c.r, c.z, c.u}), oneRow([]float32{c.h}))
			// A shut gate is 1.6e-38, not 0.
			if got := next.Data[0]; !same(got, c.want) && !(math.Abs(float64(got-c.want)) < 1e-37) {
				t.Errorf("%s GRUResetAfterRows%v: %g, want %g", k, c, got, c.want)
			}
		}
		for _, c := range []struct{ input, forget, candidate, output, c, cell, next float32 }{
			{shut, open, 1, open, 0.5, 0.5, tanh(0.5)}, {open, shut, inf, open, 0.5, 1, tanh(1)},
			{open, open, inf, open, inf, inf, 1}, {open, open, 0, open, -inf, -inf, -1},
			{nan, open, 1, open, 0, nan, nan}, {open, open, 1, nan, -1, tanh(1) - 1, nan}, {open, open, 1, open, nan, nan, nan},
		} {
			next, cell := NewMatrix(1, 1), NewMatrix(1, 1)
			k.LSTMStateRows(next, cell, oneRow([]float32{c.input, c.forget, c.candidate, c.output}), oneRow([]float32{c.c}))
			near := func(got, want float32) bool { return same(got, want) || math.Abs(float64(got-want)) < 1e-37 }
			if !near(cell.Data[0], c.cell) || !near(next.Data[0], c.next) {
				t.Errorf("%s LSTMStateRows%v: cell %g, next %g", k, c, cell.Data[0], next.Data[0])
			}
		}
	})
}

// TestGRUBackward compares with difference quotients of dnext·next and of drh·rh.
func TestGRUBackward(t *testing.T) {
	eachImpl(t, func(t *testing.T, k Impl) {
		for _, n := range pointwiseLengths {
			r := newRand(uint64(n))
			z, reset, candidate, h := random(r, n), random(r, n), random(r, n), random(r, n)
			dnext, drh, dhBefore := random(r, n), random(r, n), random(r, n)
			wantZ, wantR, wantCandidate := make([]float64, n), make([]float64, n), make([]float64, n)
			wantH, wantHThroughR := make([]float64, n), make([]float64, n)
			for i := range n {
				u := unit{float64(z[i]), float64(reset[i]), float64(candidate[i]), float64(h[i])}
				next := func() float64 { return float64(dnext[i]) * u.next() }
				rh := func() float64 { return float64(drh[i]) * u.rh() }
				wantZ[i], wantCandidate[i], wantH[i] = slope(next, &u.z), slope(next, &u.candidate), slope(next, &u.h)
				wantR[i], wantHThroughR[i] = slope(rh, &u.r), float64(dhBefore[i])+slope(rh, &u.h)
			}
			gates, rh, next, dh := oneRow(z, reset, candidate), NewMatrix(1, n), NewMatrix(1, n), NewMatrix(1, n)
			hs, dhThroughR := oneRow(h), oneRow(dhBefore)
			k.GRUGatesRows(gates, rh, hs)
			k.GRUStateRows(next, gates, hs)
			k.GRUStateBackwardRows(dh, gates, hs, oneRow(dnext))
			k.GRUGatesBackwardRows(dhThroughR, gates, oneRow(drh), hs)
			// Gradients and states are below 5. Six factors have the errors of TestGRU; the error
			// of slope is 1e-10 times the result.
			const tolerance = 5*6*(2*2.5+4)*0x1p-24 + 1e-8
			near(t, "GRUStateBackwardRows dh", k, dh.Data, wantH, tolerance)
			near(t, "GRUStateBackwardRows z", k, gates.Data[:n], wantZ, tolerance)
			near(t, "GRUStateBackwardRows candidate", k, gates.Data[2*n:], wantCandidate, tolerance)
			near(t, "GRUGatesBackwardRows dh", k, dhThroughR.Data, wantHThroughR, tolerance)
			near(t, "GRUGatesBackwardRows r", k, gates.Data[n:2*n], wantR, tolerance)
		}
	})
}

// TestGRUInterpolation: z = 0 keeps the state, z = 1 takes the candidate.
func TestGRUInterpolation(t *testing.T) {
	eachImpl(t, func(t *testing.T, k Impl) {
		h, zero := []float32{0.5, -0.25, 3, -0.75}, make([]float32, 4)
		next := NewMatrix(1, 4)
		k.GRUStateRows(next, oneRow(zero, zero, []float32{1, 2, -3, 0}), oneRow(h))
		if i := differs(next.Data, h); i >= 0 {
			t.Errorf("%s z=0: next[%d] = %g, want %g", k, i, next.Data[i], h[i])
		}
		k.GRUStateRows(next, oneRow([]float32{1, 1, 1, 1}, zero, []float32{100, -100, 100, -100}), oneRow(h))
		for i, want := range []float32{1, -1, 1, -1} {
			if next.Data[i] != want {
				t.Errorf("%s z=1: next[%d] = %g, want %g", k, i, next.Data[i], want)
			}
		}
	})
}

// TestGRUWithoutState: a row that h does not have starts from zeros.
func TestGRUWithoutState(t *testing.T) {
	const n = 19
	eachImpl(t, func(t *testing.T, k Impl) {
		r := newRand(1)
		gates, zero := random(r, 3*n), make([]float32, n)
		for name, h := range map[string]Matrix{"no state": {0, n, n, nil}, "zeros": oneRow(zero)} {
			t.Run(name, func(t *testing.T) {
				g, rh, next := oneRow(gates), oneRow(random(r, n)), oneRow(random(r, n))
				k.GRUGatesRows(g, rh, h)
				k.GRUStateRows(next, g, h)
				for i, v := range next.Data {
					z, candidate := g.Data[i], g.Data[2*n+i]
					if rh.Data[i] != 0 || v != exactFMA(z, candidate, 0) {
						t.Fatalf("rh[%d] = %g, want 0; next[%d] = %g, want %g·%g", i, rh.Data[i], i, v, z, candidate)
					}
				}
			})
		}
	})
}
