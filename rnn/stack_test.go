package rnn

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/softsearch-go/softsearch/kernels"
)

// A precision is how weights are packed.
type precision string

const (
	float32s precision = "float32"
	int8s    precision = "int8"
	bf16s    precision = "bfloat16"
)

func (p precision) weights(k kernels.Impl, r *rand.Rand, out, in int) kernels.Weights {
	m := matrix(random(r, out*in, 1/math.Sqrt(float64(in))), out, in)
	switch w := k.Pack(m); p {
	case int8s:
		return kernels.Weights{Int8: k.PackInt8(m)}
	case bf16s:
		rounded := kernels.NewPackedBF16(out, in)
		k.RoundPackedBF16(rounded, w)
		return kernels.Weights{BF16: rounded}
	default:
		return kernels.Weights{Float32: w}
	}
}

// scratch returns k with room for rows of up to cols columns.
func (p precision) scratch(k kernels.Impl, rows, cols int) kernels.Impl {
	switch p {
	case int8s:
		return k.Using(&kernels.Scratch{Int8: kernels.NewRowsInt8(rows, cols)})
	case bf16s:
		return k.Using(&kernels.Scratch{BF16: kernels.NewRowsBF16(rows, cols)})
	}
	return k
}

// kinds are the cells, by name.
var kinds = map[string]func(k kernels.Impl, p precision, r *rand.Rand, h, e int) Cell{
	"GRU": func(k kernels.Impl, p precision, r *rand.Rand, h, e int) Cell {
		return &GRU{W: p.weights(k, r, 3*h, e), B: narrow(random(r, 3*h, 1)), Uzr: p.weights(k, r, 2*h, h), U: p.weights(k, r, h, h)}
	},
	"GRUResetAfter": func(k kernels.Impl, p precision, r *rand.Rand, h, e int) Cell {
		return &GRUResetAfter{W: p.weights(k, r, 3*h, e), B: narrow(random(r, 3*h, 1)), U: p.weights(k, r, 3*h, h), C: narrow(random(r, h, 1))}
	},
	"GRUResetAfter without biases": func(k kernels.Impl, p precision, r *rand.Rand, h, e int) Cell {
		return &GRUResetAfter{W: p.weights(k, r, 3*h, e), U: p.weights(k, r, 3*h, h)}
	},
	"LSTM": func(k kernels.Impl, p precision, r *rand.Rand, h, e int) Cell {
		return &LSTM{W: p.weights(k, r, 4*h, e), B: narrow(random(r, 4*h, 1)), U: p.weights(k, r, 4*h, h)}
	},
}

func eachCell(t *testing.T, f func(t *testing.T, kind string, p precision)) {
	for kind := range kinds {
		for _, p := range []precision{float32s, int8s, bf16s} {
			t.Run(kind+"/"+string(p), func(t *testing.T) { f(t, kind, p) })
		}
	}
}

// newLayers returns that many layers of h units, in one direction or two, the first over e inputs.
func newLayers(k kernels.Impl, kind string, p precision, n, h, e int, both bool) (list []Layer) {
	r := newRand(uint64(h))
	for range n {
		l := Layer{Forward: kinds[kind](k, p, r, h, e)}
		if both {
			l.Backward = kinds[kind](k, p, r, h, e)
		}
		list, e = append(list, l), l.columns()
	}
	return list
}

const stackLayers = 3 // so that each buffer between layers serves twice

// loop computes the states of the last layer of one sequence, and where it arrives in each layer, step by step.
func loop(k kernels.Impl, layers []Layer, x kernels.Matrix) (states kernels.Matrix, arrived []float32) {
	for i := range layers {
		l, n := &layers[i], layers[i].Forward.Hidden()
		states = zeros(x.Rows, l.columns())
		for d, c := range []Cell{l.Forward, l.Backward} {
			if c == nil {
				continue
			}
			prev, memory := kernels.Matrix{Cols: n, Stride: n}, zeros(1, n)
			for t := range x.Rows {
				if d == 1 {
					t = x.Rows - 1 - t
				}
				gates, next := zeros(1, c.Gates()), states.Slice(t, t+1).Columns(d*n, (d+1)*n)
				c.Project(k, gates, x.Slice(t, t+1))
				c.Step(k, gates, memory, next, prev)
				prev = next
			}
			arrived = append(append(arrived, prev.Row(0)...), memory.Row(0)...)
		}
		x = states
	}
	return states, arrived
}

// TestStack compares the states of each sequence with those of a loop over its steps, bit for bit, on every
// implementation, and the implementations with each other.
func TestStack(t *testing.T) {
	const h, e = 19, 7
	eachCell(t, func(t *testing.T, kind string, p precision) {
		for _, both := range []bool{false, true} {
			for _, lengths := range raggedLengths {
				b := newBatch(uint64(len(lengths)), e, lengths...)
				x, rows := b.lay(b.inputs), b.layout.Rows()
				var first []float32
				for _, alone := range kernels.Available() {
					k := p.scratch(alone, rows, 2*h)
					layers := newLayers(k, kind, p, stackLayers, h, e, both)
					s := NewStack(layers, len(lengths), rows)
					states := zeros(rows, s.Columns())
					s.Forward(k, &b.layout, states, x)
					what := fmt.Sprintf("%s both %v lengths %v: ", k, both, lengths)
					for i := range lengths {
						want, arrived := loop(k, layers, kernels.View(narrow(slices.Concat(b.inputs[i]...)), lengths[i], e))
						sameBits(t, fmt.Sprint(what, "states of sequence ", i), b.gather(states, i), want.Data)
						var got []float32
						for j := range layers {
							for _, backward := range []bool{false, true}[:layers[j].columns()/h] {
								h, memory := s.State(j, backward)
								got = append(append(got, h.Row(i)...), memory.Row(i)...)
							}
						}
						if kind != "LSTM" { // memory is scratch
							got, arrived = everySecond(got, h), everySecond(arrived, h)
						}
						sameBits(t, fmt.Sprint(what, "arrival of sequence ", i), got, arrived)
					}
					if first == nil {
						first = states.Data
					}
					sameBits(t, what+"states of another implementation", states.Data, first)
				}
			}
		}
	})
}

// everySecond returns the first, the third and so on of the blocks of n values.
func everySecond(x []float32, n int) (y []float32) {
	for i := 0; i < len(x); i += 2 * n {
		y = append(y, x[i:i+n]...)
	}
	return y
}

// TestStackContinue cuts sequences at every step, and into more chunks: the states are those of the whole.
func TestStackContinue(t *testing.T) {
	const h, e, steps = 19, 7, 9
	eachCell(t, func(t *testing.T, kind string, p precision) {
		for _, alone := range kernels.Available() {
			b := newBatch(1, e, steps, steps, steps)
			x, rows := b.lay(b.inputs), b.layout.Rows()
			k := p.scratch(alone, rows, h)
			s := NewStack(newLayers(k, kind, p, 2, h, e, false), 3, rows)
			want, got, chunk := zeros(rows, h), zeros(rows, h), NewLayout(steps)
			s.Forward(k, &b.layout, want, x)
			chunks := [][]int{{1, 3, 1, 4}, slices.Repeat([]int{1}, steps)}
			for at := 1; at < steps; at++ {
				chunks = append(chunks, []int{at, steps - at})
			}
			for _, lengths := range chunks {
				clear(got.Data)
				for i, from := 0, 0; i < len(lengths); i++ {
					chunk.Set(slices.Repeat(lengths[i:i+1], 3))
					to, run := from+chunk.Rows(), s.Continue
					if i == 0 {
						run = s.Forward
					}
					run(k, &chunk, got.Slice(from, to), x.Slice(from, to))
					from = to
				}
				sameBits(t, fmt.Sprintf("%s in chunks of %v", k, lengths), got.Data, want.Data)
			}

			// From a state that the caller sets.
			chunk.Set([]int{steps - 1, steps - 1, steps - 1})
			two := NewStack(s.layers, 3, rows)
			for i := range s.layers {
				first := NewStack(s.layers, 3, rows)
				l := NewLayout(1)
				l.Set([]int{1, 1, 1})
				first.Forward(k, &l, zeros(3, h), x.Slice(0, 3))
				from, memory := first.State(i, false)
				to, toMemory := two.State(i, false)
				copy(to.Data, from.Data)
				copy(toMemory.Data, memory.Data)
			}
			two.Continue(k, &chunk, got.Slice(3, rows), x.Slice(3, rows))
			sameBits(t, k.String()+" from a state", got.Data, want.Data)
		}
	})
}

func TestStackAllocatesNothing(t *testing.T) {
	const h, e, rows = 9, 7, 40
	eachCell(t, func(t *testing.T, kind string, p precision) {
		eachImpl(t, func(t *testing.T, k kernels.Impl) {
			k = p.scratch(k, rows, 2*h)
			s, one := NewStack(newLayers(k, kind, p, 2, h, e, true), 8, rows), NewStack(newLayers(k, kind, p, 2, h, e, false), 8, rows)
			x, states, layout := zeros(rows, e), zeros(rows, 2*h), NewLayout(9)
			if n := testing.AllocsPerRun(5, func() {
				for _, lengths := range [][]int{{9, 8, 7, 6, 5, 3, 1, 1}, {1}, {4, 4, 2}, {9}} {
					layout.Set(lengths)
					n := layout.Rows()
					s.Forward(k, &layout, states.Slice(0, n), x.Slice(0, n))
					one.Forward(k, &layout, states.Columns(0, h).Slice(0, n), x.Slice(0, n))
					one.Continue(k, &layout, states.Columns(0, h).Slice(0, n), x.Slice(0, n))
				}
			}); n != 0 {
				t.Errorf("%s: got %v allocations, want 0", k, n)
			}
		})
	})
}

// TestStackPanics has layers that do not fit, and calls that do not.
func TestStackPanics(t *testing.T) {
	k, r := kernels.Best(), newRand(1)
	cell := func(h, e int) Cell { return kinds["LSTM"](k, float32s, r, h, e) }
	two := NewStack([]Layer{{Forward: cell(3, 2), Backward: cell(3, 2)}}, 2, 4)
	long, many, fits := NewLayout(5), NewLayout(1), NewLayout(2)
	long.Set([]int{5})
	many.Set([]int{1, 1, 1})
	fits.Set([]int{2, 2})
	const badRun = "rnn: Stack: layout is nil, or has more sequences or rows than NewStack was given, or h has not Columns() columns"
	for what, c := range map[string]struct {
		want string
		run  func()
	}{
		"no layers":    {badLayers, func() { NewStack(nil, 1, 1) }},
		"no cell":      {badLayers, func() { NewStack([]Layer{{Backward: cell(3, 2)}}, 1, 1) }},
		"nil pointer":  {badLayers, func() { NewStack([]Layer{{Forward: (*LSTM)(nil)}}, 1, 1) }},
		"nil backward": {badLayers, func() { NewStack([]Layer{{Forward: cell(3, 2), Backward: (*GRU)(nil)}}, 1, 1) }},
		"units":        {badLayers, func() { NewStack([]Layer{{Forward: cell(3, 2), Backward: cell(2, 2)}}, 1, 1) }},
		"inputs":       {badLayers, func() { NewStack([]Layer{{Forward: cell(3, 2), Backward: cell(3, 3)}}, 1, 1) }},
		"layer below":  {badLayers, func() { NewStack([]Layer{{Forward: cell(3, 2)}, {Forward: cell(3, 2)}}, 1, 1) }},
		"sequences":    {"rnn: NewStack: negative size", func() { NewStack([]Layer{{Forward: cell(3, 2)}}, -1, 1) }},
		"rows":         {"rnn: NewStack: negative size", func() { NewStack([]Layer{{Forward: cell(3, 2)}}, 1, -1) }},
		"nil layout":   {badRun, func() { two.Forward(k, nil, zeros(4, 6), zeros(4, 2)) }},
		"long":         {badRun, func() { two.Forward(k, &long, zeros(5, 6), zeros(5, 2)) }},
		"many":         {badRun, func() { two.Forward(k, &many, zeros(3, 6), zeros(3, 2)) }},
		"continue":     {"rnn: Stack: Continue with a Backward cell", func() { two.Continue(k, &fits, zeros(4, 6), zeros(4, 2)) }},
		"columns":      {badRun, func() { two.Forward(k, &fits, zeros(4, 7), zeros(4, 2)) }},
		"no layer 1":   {"rnn: Stack: no such layer or direction", func() { two.State(1, false) }},
		"no layer -1":  {"rnn: Stack: no such layer or direction", func() { two.State(-1, false) }},
		"no direction": {"rnn: Stack: no such layer or direction", func() { NewStack([]Layer{{Forward: cell(3, 2)}}, 1, 1).State(0, true) }},
	} {
		if got := panics(c.run); got != c.want {
			t.Errorf("%s: panic %v, want %q", what, got, c.want)
		}
	}
	for what, run := range map[string]func(){
		"states rows":    func() { two.Forward(k, &fits, zeros(3, 6), zeros(4, 2)) },
		"inputs rows":    func() { two.Forward(k, &fits, zeros(4, 6), zeros(3, 2)) },
		"inputs columns": func() { two.Forward(k, &fits, zeros(4, 6), zeros(4, 3)) },
	} {
		if _, constant := panics(run).(string); !constant {
			t.Errorf("%s: no panic with a string", what)
		}
	}
}
