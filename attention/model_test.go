package attention

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/softsearch-go/softsearch/kernels"
)

// sizes are A, H, N, queries and positions around the widths of vectors and panels, for the
// additive model (see newProblem for the others).
var sizes = [][5]int{
	{1, 1, 1, 1, 1}, {3, 2, 5, 2, 1}, {7, 9, 4, 1, 6}, {8, 8, 16, 3, 8}, {10, 5, 18, 4, 9},
	{15, 17, 33, 2, 16}, {16, 15, 7, 5, 17}, {17, 16, 31, 13, 20}, {40, 3, 10, 2, 33},
}

func newSized(seed uint64, e kind, s [5]int) *problem {
	return newProblem(seed, e, s[0], s[1], s[2], s[3], s[4])
}

func eachKind(t *testing.T, f func(t *testing.T, e kind)) {
	t.Helper()
	for _, e := range []kind{additive, general, dot} {
		t.Run(string(e), func(t *testing.T) { f(t, e) })
	}
}

func eachPair(t *testing.T, f func(t *testing.T, e kind, k kernels.Impl)) {
	t.Helper()
	eachKind(t, func(t *testing.T, e kind) {
		eachImpl(t, func(t *testing.T, k kernels.Impl) { f(t, e, k) })
	})
}

// TestAttend compares weights and contexts with the equations in float64. A score is the
// sum of at most 40 products below 2, each with a relative rounding of 2⁻²⁴, which carries over to
// α and the context.
func TestAttend(t *testing.T) {
	const tolerance = 3e-6
	eachPair(t, func(t *testing.T, e kind, k kernels.Impl) {
		for _, s := range sizes {
			p := newSized(1, e, s)
			r := newRun(k, p)
			r.forward(k)
			for i := range p.rows {
				alpha, c := p.attend(i, p.keys())
				what := fmt.Sprintf("%s sizes %v: query %d: ", k, s, i)
				near(t, what+"α", wide(r.alpha.Row(i)), alpha, tolerance)
				near(t, what+"context", wide(r.contexts.Row(i)), c, tolerance*largest(c))
				near(t, what+"query", wide(r.queries.Row(i)), p.query(i), tolerance)
			}
			near(t, fmt.Sprintf("%s sizes %v: keys", k, s), wide(r.keys.Data), p.keys(), tolerance)
		}
	})
}

// TestAttendLarge attends with scores of several hundred, whose exponentials overflow float32.
func TestAttendLarge(t *testing.T) {
	eachPair(t, func(t *testing.T, e kind, k kernels.Impl) {
		p := newProblem(2, e, 9, 5, 6, 2, 12)
		factor := p.va
		if e != additive {
			factor = p.states
		}
		for i := range factor {
			factor[i] *= 200
		}
		r := newRun(k, p)
		r.forward(k)
		for i := range p.rows {
			want, _ := p.attend(i, p.keys())
			// The rounding of a score of 1000 is 2⁻¹⁵ = 3e-5, which is a relative error of α.
			near(t, fmt.Sprintf("%s: α of query %d", k, i), wide(r.alpha.Row(i)), want, 1e-3)
		}
	})
}

// TestAttendUniform has scores of 0, from va = 0 or from keys of 0, which yield equal weights.
func TestAttendUniform(t *testing.T) {
	eachPair(t, func(t *testing.T, e kind, k kernels.Impl) {
		p := newProblem(3, e, 9, 5, 6, 2, 12)
		switch e {
		case additive:
			clear(p.va)
		case general:
			clear(p.ua)
		case dot: // the directions cancel out
			for i, v := range p.annotations {
				if i%p.n < p.h {
					p.annotations[i+p.h] = -v
				}
			}
		}
		r := newRun(k, p)
		r.forward(k)
		for i, v := range r.alpha.Data {
			if want := 1.0 / 12; !(math.Abs(float64(v)-want) <= 0x1p-23*want) {
				t.Errorf("%s: α[%d]: got %v, want %v", k, i, v, want)
			}
		}
	})
}

// TestBackward compares all gradients with difference quotients in float64. The bound, in units of
// the largest gradient of a kind, allows the float32 roundings of about 100 terms.
func TestBackward(t *testing.T) {
	const bound = 1e-5
	eachKind(t, func(t *testing.T, e kind) {
		for _, s := range append(sizes[:6:6], [5]int{17, 16, 31, 3, 18}) {
			p := newSized(4, e, s)
			want := map[string][]float64{
				"Wa": p.slopes(p.wa), "Ua": p.slopes(p.ua), "va": p.slopes(p.va),
				"states": p.slopes(p.states), "annotations": p.slopes(p.annotations),
			}
			eachImpl(t, func(t *testing.T, k kernels.Impl) {
				r := newRun(k, p)
				r.forward(k)
				r.backward(k)
				for name, got := range r.sums() {
					near(t, fmt.Sprintf("%s sizes %v: d%s", k, s, name), wide(got), want[name], bound*largest(want[name]))
				}
			})
		}
	})
}

// TestBackwardAdds runs the backward pass twice. All gradients double except that of the queries,
// which is replaced. dkeys is cleared in between, since it is an input of KeysBackward.
func TestBackwardAdds(t *testing.T) {
	eachPair(t, func(t *testing.T, e kind, k kernels.Impl) {
		p := newProblem(5, e, 9, 5, 6, 3, 7)
		once, twice := newRun(k, p), newRun(k, p)
		once.forward(k)
		once.backward(k)
		twice.forward(k)
		for range 2 {
			clear(twice.dkeys.Data)
			twice.backward(k)
		}
		sameBits(t, k.String()+": dqueries", twice.dqueries.Data, once.dqueries.Data)
		sums := once.sums()
		for name, x := range twice.sums() {
			want := wide(sums[name])
			for i := range want {
				want[i] *= 2
			}
			// The second sum starts from the first: about 20 roundings of 2⁻²⁴ differ.
			near(t, k.String()+": d"+name, wide(x), want, 2e-6*largest(want))
		}
	})
}

// TestQueriesAlone compares both passes of each query in a batch with those of the query alone.
func TestQueriesAlone(t *testing.T) {
	eachPair(t, func(t *testing.T, e kind, k kernels.Impl) {
		for _, s := range sizes {
			p := newSized(7, e, s)
			all := newRun(k, p)
			all.forward(k)
			all.backward(k)
			for i := range p.rows {
				one := *p
				one.rows = 1
				one.states, one.dc = p.states[i*p.h:(i+1)*p.h], p.dc[i*p.n:(i+1)*p.n]
				r := newRun(k, &one)
				r.forward(k)
				r.backward(k)
				what := fmt.Sprintf("%s sizes %v: query %d: ", k, s, i)
				sameBits(t, what+"α", r.alpha.Data, all.alpha.Row(i))
				sameBits(t, what+"context", r.contexts.Data, all.contexts.Row(i))
				sameBits(t, what+"dquery", r.dqueries.Data, all.dqueries.Row(i))
				sameBits(t, what+"dstate", r.dstates.Data, all.dstates.Row(i))
			}
		}
	})
}

func TestAllocatesNothing(t *testing.T) {
	eachPair(t, func(t *testing.T, e kind, k kernels.Impl) {
		r := newRun(k, newProblem(8, e, 17, 9, 18, 5, 11))
		if n := testing.AllocsPerRun(5, func() {
			r.transpose(k)
			r.forward(k)
			r.backward(k)
		}); n != 0 {
			t.Errorf("%s: got %v allocations, want 0", k, n)
		}
	})
}

// TestBiases: keys and queries are products with their biases, and α is as for the sums of both.
func TestBiases(t *testing.T) {
	eachImpl(t, func(t *testing.T, k kernels.Impl) {
		p := newSized(7, additive, [5]int{17, 9, 12, 3, 5})
		r := newRun(k, p)
		m := r.weights
		m.WaBias, m.UaBias = narrow(random(rand.New(rand.NewPCG(1, 2)), p.a, 1)), narrow(random(rand.New(rand.NewPCG(3, 4)), p.a, 1))
		keys, queries := zeros(p.positions, p.a), zeros(p.rows, p.a)
		k.Linear(keys, m.Ua, r.annotations, m.UaBias, kernels.Identity)
		k.Linear(queries, m.Wa, r.states, m.WaBias, kernels.Identity)
		r.forward(k)
		sameBits(t, "keys", r.keys.Data, keys.Data)
		sameBits(t, "queries", r.queries.Data, queries.Data)
		sum := 0.0
		want := make([]float64, p.positions)
		for j := range want {
			energy := 0.0
			for i, v := range p.va {
				energy += v * math.Tanh(float64(queries.Row(0)[i])+float64(keys.Row(j)[i]))
			}
			want[j] = math.Exp(energy)
			sum += want[j]
		}
		for j := range want {
			want[j] /= sum
		}
		near(t, "α", wide(r.alpha.Row(0)), want, 3e-6)
	})
}
