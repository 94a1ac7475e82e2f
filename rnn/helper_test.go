package rnn

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/softsearch-go/softsearch/kernels"
)

func eachImpl(t *testing.T, f func(t *testing.T, k kernels.Impl)) {
	t.Helper()
	for _, k := range kernels.Available() {
		t.Run(k.String(), func(t *testing.T) { f(t, k) })
	}
}

func newRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 1409)) }

func random(r *rand.Rand, n int, deviation float64) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = float64(float32(r.NormFloat64() * deviation))
	}
	return x
}

func narrow(x []float64) []float32 {
	y := make([]float32, len(x))
	for i, v := range x {
		y[i] = float32(v)
	}
	return y
}

func matrix(x []float64, rows, cols int) kernels.Matrix {
	return kernels.View(narrow(x), rows, cols)
}

// A reference is a GRU of h units and e inputs in float64, with row-major matrices.
type reference struct {
	h, e       int
	w, wz, wr  []float64 // h×e
	u, uz, ur  []float64 // h×h
	b, bz, br  []float64
	parameters []named
}

type named struct {
	name   string
	values []float64
}

func newReference(r *rand.Rand, h, e int) *reference {
	g := &reference{h: h, e: e}
	take := func(name string, n int) []float64 {
		x := random(r, n, 1/math.Sqrt(float64(h+e)))
		g.parameters = append(g.parameters, named{name, x})
		return x
	}
	g.w, g.wz, g.wr = take("W", h*e), take("Wz", h*e), take("Wr", h*e)
	g.u, g.uz, g.ur = take("U", h*h), take("Uz", h*h), take("Ur", h*h)
	g.b, g.bz, g.br = take("b", h), take("bz", h), take("br", h)
	return g
}

// gradient returns the values in d of g's parameter of that name.
func (g *reference) gradient(d *GRU, name string) []float64 {
	h := g.h
	var w kernels.Packed
	from := map[byte]int{0: 2 * h, 'z': 0, 'r': h}
	var gate byte
	if len(name) == 2 {
		gate = name[1]
	}
	row := from[gate]
	switch name[0] {
	case 'b':
		return wide(d.B[row : row+h])
	case 'W':
		w = d.W.Float32
	default:
		if w = d.Uzr.Float32; gate == 0 {
			w, row = d.U.Float32, 0
		}
	}
	x := make([]float32, h*w.In)
	w.Unpack(kernels.View(x, h, w.In), row)
	return wide(x)
}

func wide(x []float32) []float64 {
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = float64(v)
	}
	return y
}

func newGRU(h, e int) *GRU {
	return &GRU{W: newPacked(3*h, e), B: make([]float32, 3*h), Uzr: newPacked(2*h, h), U: newPacked(h, h)}
}

func newPacked(out, in int) kernels.Weights {
	return kernels.Weights{Float32: kernels.NewPacked(out, in)}
}

func (g *reference) pack(k kernels.Impl) *GRU {
	h, e, p := g.h, g.e, newGRU(g.h, g.e)
	for i, w := range [][]float64{g.wz, g.wr, g.w} {
		k.PackRows(p.W.Float32, i*h, matrix(w, h, e))
	}
	k.PackRows(p.Uzr.Float32, 0, matrix(g.uz, h, h))
	k.PackRows(p.Uzr.Float32, h, matrix(g.ur, h, h))
	k.PackRows(p.U.Float32, 0, matrix(g.u, h, h))
	copy(p.B, narrow(g.bz))
	copy(p.B[h:], narrow(g.br))
	copy(p.B[2*h:], narrow(g.b))
	return p
}

func transposedOf(k kernels.Impl, g *GRU) *Transposed {
	h, e := g.Hidden(), g.W.In()
	t := &Transposed{W: newPacked(e, 3*h), Uzr: newPacked(h, 2*h), U: newPacked(h, h)}
	k.LinearTranspose(t.W, g.W.Float32)
	k.LinearTranspose(t.Uzr, g.Uzr.Float32)
	k.LinearTranspose(t.U, g.U.Float32)
	return t
}

func sigmoid(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

func row(w []float64, i int, x []float64) float64 {
	sum := 0.0
	for j, v := range x {
		sum += w[i*len(x)+j] * v
	}
	return sum
}

// step returns the state after h for input x, and the gates and the candidate.
func (g *reference) step(x, h []float64) (next, z, r, candidate []float64) {
	next, z, r, candidate = make([]float64, g.h), make([]float64, g.h), make([]float64, g.h), make([]float64, g.h)
	rh := make([]float64, g.h)
	for i := range g.h {
		z[i] = sigmoid(row(g.wz, i, x) + row(g.uz, i, h) + g.bz[i])
		r[i] = sigmoid(row(g.wr, i, x) + row(g.ur, i, h) + g.br[i])
		rh[i] = r[i] * h[i]
	}
	for i := range g.h {
		candidate[i] = math.Tanh(row(g.w, i, x) + row(g.u, i, rh) + g.b[i])
		next[i] = (1-z[i])*h[i] + z[i]*candidate[i]
	}
	return next, z, r, candidate
}

// run returns the states of one sequence, in the order of its inputs.
func (g *reference) run(x [][]float64, reversed bool) [][]float64 {
	states := make([][]float64, len(x))
	h := make([]float64, g.h)
	for i := range x {
		if reversed {
			i = len(x) - 1 - i
		}
		h, _, _, _ = g.step(x[i], h)
		states[i] = h
	}
	return states
}

// slope returns the central difference quotient of f at *x. With steps of 1e-5 and values
// of order 1 its error is of order 1e-10.
func slope(f func() float64, x *float64) float64 {
	const h = 1e-5
	old := *x
	*x = old + h
	up := f()
	*x = old - h
	down := f()
	*x = old
	return (up - down) / (2 * h)
}

// near fails unless |got[i]-want[i]| ≤ tolerance for all i.
func near(t testing.TB, what string, got, want []float64, tolerance float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d values, want %d", what, len(got), len(want))
	}
	for i, w := range want {
		if !(math.Abs(got[i]-w) <= tolerance) {
			t.Errorf("%s[%d]: got %v, want %v within %v", what, i, got[i], w, tolerance)
			return
		}
	}
}

// sameBits fails unless got and want have the same bits.
func sameBits(t testing.TB, what string, got, want []float32) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d values, want %d", what, len(got), len(want))
	}
	for i, w := range want {
		if math.Float32bits(got[i]) != math.Float32bits(w) {
			t.Errorf("%s[%d]: got %x, want %x", what, i, got[i], w)
			return
		}
	}
}

func largest(x []float64) float64 {
	m := 1.0
	for _, v := range x {
		m = math.Max(m, math.Abs(v))
	}
	return m
}
