package rnn

import (
	"fmt"
	"slices"
	"testing"

	"github.com/softsearch-go/softsearch/kernels"
)

// gradientBound is the tolerance of a gradient, in units of the largest of its kind: the float32
// roundings of about 50 terms and 6 steps. The float64 difference quotients that it is compared
// with are exact to 1e-9.
const gradientBound = 1e-5

// value returns Σ dh·h over all states of both directions. Its gradient with respect to h is dh.
func value(b *batch, dh [][][]float64, forward, backward *reference) float64 {
	sum := 0.0
	for i, x := range b.inputs {
		var states [][]float64
		there := forward.run(x, false)
		if backward == nil {
			states = there
		} else {
			for j, back := range backward.run(x, true) {
				states = append(states, slices.Concat(there[j], back))
			}
		}
		for j, h := range states {
			for l, v := range h {
				sum += dh[i][j][l] * v
			}
		}
	}
	return sum
}

// slopes returns the difference quotient of f with respect to every value of x.
func slopes(f func() float64, x []float64) []float64 {
	d := make([]float64, len(x))
	for i := range x {
		d[i] = slope(f, &x[i])
	}
	return d
}

func reverse(x [][][]float64) [][][]float64 {
	var y [][][]float64
	for _, sequence := range x {
		s := slices.Clone(sequence)
		slices.Reverse(s)
		y = append(y, s)
	}
	return y
}

// TestSequenceBackward compares all gradients, in both directions, with difference quotients of a
// loop in float64.
func TestSequenceBackward(t *testing.T) {
	for _, size := range [][2]int{{1, 1}, {5, 3}, {9, 4}, {17, 2}} {
		h, e := size[0], size[1]
		b := newBatch(20, e, 6, 4, 4, 1)
		dh := newBatch(21, h, b.lengths...).inputs
		g := newReference(newRand(22), h, e)

		// The loop only runs forward: for the other direction, over reversed sequences.
		for _, reversed := range []bool{false, true} {
			loop, dloop := &batch{inputs: b.inputs}, dh
			if reversed {
				loop, dloop = &batch{inputs: reverse(b.inputs)}, reverse(dh)
			}
			f := func() float64 { return value(loop, dloop, g, nil) }
			want := map[string][]float64{}
			for _, p := range g.parameters {
				want[p.name] = slopes(f, p.values)
			}
			var dx [][]float64
			for _, sequence := range b.inputs {
				var d []float64
				for _, x := range sequence {
					d = append(d, slopes(f, x)...)
				}
				dx = append(dx, d)
			}
			eachImpl(t, func(t *testing.T, k kernels.Impl) {
				got := b.pass(k, g.pack(k), NewSequence(h, 4, b.layout.Rows(), reversed), dh)
				what := fmt.Sprintf("%s h=%d e=%d reversed %v: ", k, h, e, reversed)
				for _, p := range g.parameters {
					near(t, what+"d"+p.name, g.gradient(got.dg, p.name), want[p.name], gradientBound*largest(want[p.name]))
				}
				for i := range b.inputs {
					near(t, fmt.Sprint(what, "dx of sequence ", i), wide(b.gather(got.dx, i)), dx[i], gradientBound*largest(dx[i]))
				}
			})
		}
	}
}

// TestBidirectionalBackward does the same for two GRUs that share their inputs.
func TestBidirectionalBackward(t *testing.T) {
	const h, e = 4, 3
	b := newBatch(30, e, 5, 3, 3, 1)
	dh := newBatch(31, 2*h, b.lengths...).inputs
	forward, backward := newReference(newRand(32), h, e), newReference(newRand(33), h, e)
	f := func() float64 { return value(b, dh, forward, backward) }
	eachImpl(t, func(t *testing.T, k kernels.Impl) {
		rows := b.layout.Rows()
		pf, pb, x := forward.pack(k), backward.pack(k), b.lay(b.inputs)
		df, db, states, dx := newGRU(h, e), newGRU(h, e), zeros(rows, 2*h), zeros(rows, e)
		there, back := NewSequence(h, len(b.lengths), rows, false), NewSequence(h, len(b.lengths), rows, true)
		there.Forward(k, pf, &b.layout, states.Columns(0, h), x)
		back.Forward(k, pb, &b.layout, states.Columns(h, 2*h), x)
		k, d := k.Using(scratchFor(h, e)), b.lay(dh)
		there.Backward(k, df, transposedOf(k, pf), d.Columns(0, h), dx, false)
		back.Backward(k, db, transposedOf(k, pb), d.Columns(h, 2*h), dx, true)
		for i := range forward.parameters {
			name := forward.parameters[i].name
			want := slopes(f, forward.parameters[i].values)
			near(t, fmt.Sprintf("%s: forward d%s", k, name), forward.gradient(df, name), want, gradientBound*largest(want))
			want = slopes(f, backward.parameters[i].values)
			near(t, fmt.Sprintf("%s: backward d%s", k, name), backward.gradient(db, name), want, gradientBound*largest(want))
		}
		for i, sequence := range b.inputs {
			var want []float64
			for _, v := range sequence {
				want = append(want, slopes(f, v)...)
			}
			near(t, fmt.Sprintf("%s: dx of sequence %d", k, i), wide(b.gather(dx, i)), want, gradientBound*largest(want))
		}
	})
}

// TestBackwardAdds runs the backward pass with gradients that are not zero. Those of weights are
// added to; the gradient of the inputs is replaced, or added to if add is set.
func TestBackwardAdds(t *testing.T) {
	const h, e, start = 5, 3, 0.5
	eachImpl(t, func(t *testing.T, k kernels.Impl) {
		b := newBatch(40, e, 4, 2)
		dh := newBatch(41, h, b.lengths...).inputs
		p, rows := newReference(newRand(42), h, e).pack(k), b.layout.Rows()
		s := NewSequence(h, 2, rows, false)
		want := b.pass(k, p, s, dh)
		for _, add := range []bool{false, true} {
			dg, dx, states, x := newGRU(h, e), zeros(rows, e), zeros(rows, h), b.lay(b.inputs)
			for i := range dg.B {
				dg.B[i] = start
			}
			for i := range dx.Data {
				dx.Data[i] = start
			}
			s.Forward(k, p, &b.layout, states, x)
			s.Backward(k.Using(scratchFor(h, e)), dg, transposedOf(k, p), b.lay(dh), dx, add)
			// The sums start at 0.5 rather than 0: a few roundings of values below 8 differ.
			near(t, fmt.Sprintf("%s add %v: db", k, add), plus(dg.B, 0), plus(want.dg.B, start), 1e-5)
			if !add {
				sameBits(t, fmt.Sprintf("%s: dx replaced", k), dx.Data, want.dx.Data)
				continue
			}
			near(t, fmt.Sprintf("%s: dx added", k), wide(dx.Data), plus(want.dx.Data, start), 1e-5)
		}
	})
}

func plus(x []float32, c float64) []float64 {
	y := wide(x)
	for i := range y {
		y[i] += c
	}
	return y
}
