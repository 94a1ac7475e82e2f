package rnn

import (
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"runtime"
	"testing"

	"github.com/softsearch-go/softsearch/kernels"
)

// A batch holds sequences of inputs in float64, from the longest to the shortest.
type batch struct {
	lengths []int
	inputs  [][][]float64 // sequence, position
	layout  Layout
}

func newBatch(seed uint64, e int, lengths ...int) *batch {
	r, b := newRand(seed), &batch{lengths: lengths, layout: NewLayout(lengths[0])}
	for _, n := range lengths {
		var x [][]float64
		for range n {
			x = append(x, random(r, e, 1))
		}
		b.inputs = append(b.inputs, x)
	}
	b.layout.Set(lengths)
	return b
}

// alone returns a batch of sequence i only.
func (b *batch) alone(i int) *batch {
	one := &batch{lengths: b.lengths[i : i+1], inputs: b.inputs[i : i+1], layout: NewLayout(b.lengths[i])}
	one.layout.Set(one.lengths)
	return one
}

// lay returns vectors, indexed by sequence and position, as the rows of the layout.
func (b *batch) lay(x [][][]float64) kernels.Matrix {
	m := zeros(b.layout.Rows(), len(x[0][0]))
	for i, sequence := range x {
		for t, v := range sequence {
			copy(m.Row(b.layout.Row(t)+i), narrow(v))
		}
	}
	return m
}

func (b *batch) gather(m kernels.Matrix, i int) []float32 {
	var x []float32
	for t := range b.lengths[i] {
		x = append(x, m.Row(b.layout.Row(t)+i)...)
	}
	return x
}

// raggedLengths are the lengths of batches. Those between 13 and 1 in one batch include all block
// edges of products with few rows.
var raggedLengths = [][]int{{1}, {7}, {3, 3, 3}, {5, 4, 2, 1, 1}, {9, 9, 6, 6, 6, 2, 1, 1, 1, 1, 1, 1, 1}}

// TestSequence compares both directions with a loop over each sequence. A state accumulates the
// roundings of up to 9 steps, each of which damps the earlier ones.
func TestSequence(t *testing.T) {
	const tolerance = 5e-6
	eachImpl(t, func(t *testing.T, k kernels.Impl) {
		for _, size := range sizes {
			h, e := size[0], size[1]
			g := newReference(newRand(uint64(h)), h, e)
			p := g.pack(k)
			for _, lengths := range raggedLengths {
				b := newBatch(uint64(len(lengths)), e, lengths...)
				x, states := b.lay(b.inputs), zeros(b.layout.Rows(), h)
				for _, reversed := range []bool{false, true} {
					s := NewSequence(h, len(lengths), b.layout.Rows(), reversed)
					s.Forward(k, p, &b.layout, states, x)
					for i := range lengths {
						what := fmt.Sprintf("%s h=%d e=%d lengths %v reversed %v: sequence %d", k, h, e, lengths, reversed, i)
						near(t, what, wide(b.gather(states, i)), flat(g.run(b.inputs[i], reversed)), tolerance)
					}
				}
			}
		}
	})
}

func flat(x [][]float64) []float64 {
	var y []float64
	for _, v := range x {
		y = append(y, v...)
	}
	return y
}

// passes holds the results of a forward and a backward pass.
type passes struct {
	states, dx kernels.Matrix
	dg         *GRU
}

// pass runs g over b, with dh the gradient of the states.
func (b *batch) pass(k kernels.Impl, p *GRU, s *Sequence, dh [][][]float64) passes {
	h, e, rows := p.Hidden(), p.W.In(), b.layout.Rows()
	r := passes{states: zeros(rows, h), dx: zeros(rows, e), dg: newGRU(h, e)}
	x := b.lay(b.inputs)
	s.Forward(k, p, &b.layout, r.states, x)
	s.Backward(k.Using(scratchFor(h, e)), r.dg, transposedOf(k, p), b.lay(dh), r.dx, false)
	return r
}

func scratchFor(h, e int) *kernels.Scratch {
	return &kernels.Scratch{Grad: kernels.Alloc(kernels.GradScratch(max(h, e)))}
}

// TestRaggedSameBits compares the states and the gradients of inputs of each sequence in a batch
// with those of the sequence alone, with the buffers of the batch and with the smallest ones.
func TestRaggedSameBits(t *testing.T) {
	eachImpl(t, func(t *testing.T, k kernels.Impl) {
		for _, size := range [][2]int{{1, 1}, {9, 7}, {17, 18}} {
			h, e := size[0], size[1]
			p := newReference(newRand(4), h, e).pack(k)
			for _, reversed := range []bool{false, true} {
				b := newBatch(5, e, 9, 9, 6, 6, 6, 2, 1, 1, 1, 1, 1, 1, 1)
				dh := newBatch(6, h, b.lengths...).inputs
				shared := NewSequence(h, len(b.lengths), b.layout.Rows(), reversed)
				all := b.pass(k, p, shared, dh)
				for i, n := range b.lengths {
					one := b.alone(i)
					for name, s := range map[string]*Sequence{"shared": shared, "own": NewSequence(h, 1, n, reversed)} {
						what := fmt.Sprintf("%s h=%d e=%d reversed %v %s buffers: sequence %d: ", k, h, e, reversed, name, i)
						got := one.pass(k, p, s, dh[i:i+1])
						sameBits(t, what+"state", got.states.Data, b.gather(all.states, i))
						sameBits(t, what+"dx", got.dx.Data, b.gather(all.dx, i))
					}
				}
			}
		}
	})
}

func TestSequenceAllocatesNothing(t *testing.T) {
	const h, e, rows = 9, 7, 40
	eachImpl(t, func(t *testing.T, k kernels.Impl) {
		p := newReference(newRand(10), h, e).pack(k)
		layout := NewLayout(9)
		dg, tr, k := newGRU(h, e), transposedOf(k, p), k.Using(scratchFor(h, e))
		x, dx, states, dstates := zeros(rows, e), zeros(rows, e), zeros(rows, h), zeros(rows, h)
		there, back := NewSequence(h, 8, rows, false), NewSequence(h, 8, rows, true)
		lists := [][]int{{9, 8, 7, 6, 5, 3, 1, 1}, {1}, {4, 4, 2}, {9}}
		if n := testing.AllocsPerRun(5, func() {
			for _, lengths := range lists {
				layout.Set(lengths)
				n := layout.Rows()
				for _, s := range []*Sequence{there, back} {
					s.Forward(k, p, &layout, states.Slice(0, n), x.Slice(0, n))
					s.Backward(k, dg, tr, dstates.Slice(0, n), dx.Slice(0, n), s == back)
				}
			}
		}); n != 0 {
			t.Errorf("%s: got %v allocations, want 0", k, n)
		}
	})
}

// TestSequenceBytes compares with the memory that NewSequence allocates. Beyond the buffers that is
// their alignment to cache lines, the rounding of the runtime to its size classes (at most an
// eighth), and the struct.
func TestSequenceBytes(t *testing.T) {
	for _, size := range [][3]int{{1, 1, 1}, {70, 9, 300}} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		NewSequence(size[0], size[1], size[2], false)
		runtime.ReadMemStats(&after)
		got, bytes := int64(after.TotalAlloc-before.TotalAlloc), SequenceBytes(size[0], size[1], size[2])
		if got < bytes || got > bytes+bytes/8+1<<12 {
			t.Errorf("%v: NewSequence allocates %d bytes, want %d and at most an eighth more", size, got, bytes)
		}
	}
}

// TestSequenceSizes: NewSequence panics with a constant for sizes that overflow, and SequenceBytes
// agrees with exact arithmetic.
func TestSequenceSizes(t *testing.T) {
	half := 1 << (bits.UintSize / 2)
	for _, size := range [][3]int{
		{math.MaxInt, 1, 1}, {1, math.MaxInt, 1}, {1, 1, math.MaxInt}, {math.MaxInt, math.MaxInt, math.MaxInt},
		{half, 1, half / 4}, {half / 4, half, half / 4}, {half / 2, half / 2, half / 2},
	} {
		got := panics(func() { NewSequence(size[0], size[1], size[2], false) })
		if _, constant := got.(string); !constant {
			t.Errorf("NewSequence of %v: panic %v, want a string", size, got)
		}
		hidden, sequences, rows := big.NewInt(int64(size[0])), big.NewInt(int64(size[1])), big.NewInt(int64(size[2]))
		want := new(big.Int).Mul(hidden, rows)
		want.Mul(want, big.NewInt(5))
		want.Add(want, new(big.Int).Mul(big.NewInt(2), new(big.Int).Mul(hidden, sequences)))
		want.Add(want, rows).Lsh(want, 2)
		if limit := big.NewInt(math.MaxInt64); want.Cmp(limit) > 0 {
			want = limit
		}
		if bytes := SequenceBytes(size[0], size[1], size[2]); want.Cmp(big.NewInt(bytes)) != 0 {
			t.Errorf("SequenceBytes of %v: got %d, want %v", size, bytes, want)
		}
	}
	for _, size := range [][3]int{{-1, 1, 1}, {1, -1, 1}, {1, 1, -1}, {-1, -1, -1}, {math.MinInt, 2, 2}} {
		if got := panics(func() { NewSequence(size[0], size[1], size[2], true) }); got != badSequence {
			t.Errorf("NewSequence of %v: panic %v, want %q", size, got, badSequence)
		}
		if got := panics(func() { SequenceBytes(size[0], size[1], size[2]) }); got != badSequence {
			t.Errorf("SequenceBytes of %v: panic %v, want %q", size, got, badSequence)
		}
	}
}

// TestSequencePanics has passes in the wrong order, and batches that are too large.
func TestSequencePanics(t *testing.T) {
	k, r := kernels.Best().Using(scratchFor(2, 2)), newReference(newRand(1), 2, 2)
	p, dg, b := r.pack(k), newGRU(2, 2), newBatch(2, 2, 3, 1)
	dh := newBatch(3, 2, b.lengths...).inputs
	forward := func(s *Sequence) { s.Forward(k, p, &b.layout, zeros(4, 2), zeros(4, 2)) }
	backward := func(s *Sequence) { s.Backward(k, dg, transposedOf(k, p), b.lay(dh), zeros(4, 2), false) }
	for what, c := range map[string]struct {
		want string
		run  func()
	}{
		"no forward pass": {"rnn: Backward without Forward", func() { backward(NewSequence(2, 2, 4, false)) }},
		"two backward passes": {"rnn: Backward without Forward", func() {
			s := NewSequence(2, 2, 4, false)
			b.pass(k, p, s, dh)
			backward(s)
		}},
		"sequences": {"rnn: Sequence: layout has more sequences or rows than NewSequence was given", func() { forward(NewSequence(2, 1, 4, false)) }},
		"rows":      {"rnn: Sequence: layout has more sequences or rows than NewSequence was given", func() { forward(NewSequence(2, 2, 3, false)) }},
	} {
		if got := panics(c.run); got != c.want {
			t.Errorf("%s: panic %v, want %q", what, got, c.want)
		}
	}
}
