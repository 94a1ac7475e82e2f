package attention

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

func wide(x []float32) []float64 {
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = float64(v)
	}
	return y
}

func matrix(x []float64, rows, cols int) kernels.Matrix {
	return kernels.View(narrow(x), rows, cols)
}

func zeros(rows, cols int) kernels.Matrix {
	return kernels.NewMatrix(rows, cols)
}

// newPacked returns an out×in matrix, or the zero value if there are no values.
func newWeights(k kernels.Impl, values []float64, out, in int) kernels.Weights {
	if values == nil {
		return kernels.Weights{}
	}
	return kernels.Weights{Float32: k.Pack(matrix(values, out, in))}
}

func emptyLike(w kernels.Weights) kernels.Weights {
	return kernels.Weights{Float32: kernels.NewPacked(w.Out(), w.In())}
}

func transposeOf(w kernels.Weights) kernels.Weights {
	return kernels.Weights{Float32: kernels.NewPacked(w.In(), w.Out())}
}

func unpack(w kernels.Weights) []float32 {
	m := zeros(w.Out(), w.In())
	w.Float32.Unpack(m, 0)
	return m.Data
}

// A kind is one of the three alignment models.
type kind string

const (
	additive kind = "additive"
	general  kind = "general"
	dot      kind = "dot"
)

// A problem is an alignment model in float64, the states and annotations of one sentence, all
// row-major, and gradients of its contexts.
type problem struct {
	kind                     kind
	a, h, n, rows, positions int

	wa, ua, va          []float64 // a×h, a×n, a; general has ua alone, dot nothing
	states, annotations []float64 // rows×h, positions×n
	dc                  []float64 // rows×n
}

// newProblem returns a random problem. General and dot use h for a, and dot uses 2h for n. All
// three have kinds of about the same deviation.
func newProblem(seed uint64, s kind, a, h, n, rows, positions int) *problem {
	r := rand.New(rand.NewPCG(seed, 1409))
	if s != additive {
		a = h
	}
	deviation := 1.0 // of states and annotations
	if s == dot {
		n, deviation = 2*h, 1/math.Sqrt(math.Sqrt(float64(h)))
	}
	p := &problem{kind: s, a: a, h: h, n: n, rows: rows, positions: positions}
	switch s {
	case additive:
		p.wa, p.ua = random(r, a*h, 1/math.Sqrt(float64(h))), random(r, a*n, 1/math.Sqrt(float64(n)))
		p.va = random(r, a, 2/math.Sqrt(float64(a)))
	case general:
		p.ua = random(r, a*n, 1/math.Sqrt(float64(a*n)))
	}
	p.states, p.annotations = random(r, rows*h, deviation), random(r, positions*n, deviation)
	p.dc = random(r, rows*n, 1)
	return p
}

func product(w []float64, i int, x []float64) float64 {
	sum := 0.0
	for j, v := range x {
		sum += w[i*len(x)+j] * v
	}
	return sum
}

func (p *problem) keys() []float64 {
	var keys []float64
	for j := range p.positions {
		annotation := p.annotations[j*p.n : (j+1)*p.n]
		for i := range p.a {
			if p.kind == dot {
				keys = append(keys, annotation[i]+annotation[p.h+i])
			} else {
				keys = append(keys, product(p.ua, i, annotation))
			}
		}
	}
	return keys
}

func (p *problem) query(row int) []float64 {
	state := p.states[row*p.h : (row+1)*p.h]
	if p.kind != additive {
		return state
	}
	q := make([]float64, p.a)
	for i := range q {
		q[i] = product(p.wa, i, state)
	}
	return q
}

// energy returns the kind e of a query and a key.
func (p *problem) energy(query, key []float64) float64 {
	e := 0.0
	for i, x := range key {
		if p.kind == additive {
			e += p.va[i] * math.Tanh(query[i]+x)
		} else {
			e += query[i] * x
		}
	}
	return e
}

func (p *problem) attend(row int, keys []float64) (alpha, c []float64) {
	q := p.query(row)
	alpha, c = make([]float64, p.positions), make([]float64, p.n)
	sum := 0.0
	for j := range alpha {
		alpha[j] = math.Exp(p.energy(q, keys[j*p.a:(j+1)*p.a]))
		sum += alpha[j]
	}
	for j := range alpha {
		alpha[j] /= sum
		for i := range c {
			c[i] += alpha[j] * p.annotations[j*p.n+i]
		}
	}
	return alpha, c
}

// value returns Σ dc·c. Its gradient with respect to c is dc.
func (p *problem) value() float64 {
	keys, sum := p.keys(), 0.0
	for row := range p.rows {
		_, c := p.attend(row, keys)
		for i, v := range c {
			sum += p.dc[row*p.n+i] * v
		}
	}
	return sum
}

// slopes returns the central difference quotient of value with respect to every value of x. With
// steps of 1e-5 and values of order 1 the error is of order 1e-10.
func (p *problem) slopes(x []float64) []float64 {
	const h = 1e-5
	d := make([]float64, len(x))
	for i, old := range x {
		x[i] = old + h
		up := p.value()
		x[i] = old - h
		d[i] = (up - p.value()) / (2 * h)
		x[i] = old
	}
	return d
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
