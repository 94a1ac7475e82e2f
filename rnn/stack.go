package rnn

import (
	"reflect"

	"github.com/softsearch-go/softsearch/kernels"
)

const badLayers = "rnn: NewStack: no layers, a nil cell, cells of one layer that differ in shape, or Inputs that are not the columns of the layer below"

// A Layer holds the cells of a layer of a [Stack], which read the same inputs. Its states have H columns, or 2H
// with a Backward cell: [→h; ←h].
type Layer struct {
	Forward  Cell
	Backward Cell // nil in a layer of one direction
}

func (l *Layer) columns() int {
	if l.Backward != nil {
		return 2 * l.Forward.Hidden()
	}
	return l.Forward.Hidden()
}

// A Stack runs layers over batches of sequences, each over the states of the layer below. It has no backward
// pass, and belongs to one goroutine at a time; several may share the layers.
type Stack struct {
	layers          []Layer
	sequences, rows int
	bidirectional   bool         // one of them, at least
	gates           []float32    // rows×Gates() of one cell
	between         [2][]float32 // rows×columns of the states of layers below the last, in turn
	states          [][2]state   // of each layer, forward and backward
}

// A state is where sequences have arrived.
type state struct {
	h, memory kernels.Matrix // sequences×H
}

// NewStack returns a Stack of layers for batches of up to that many sequences with up to that many rows in total.
// It panics if a size is negative, there are no layers, or their shapes do not agree.
func NewStack(layers []Layer, sequences, rows int) *Stack {
	if sequences < 0 || rows < 0 {
		panic("rnn: NewStack: negative size")
	}
	s := &Stack{layers: layers, sequences: sequences, rows: rows, states: make([][2]state, len(layers))}
	gates, below, inputs := 0, [2]int{}, -1
	for i, layer := range layers {
		if layer.Forward == nil {
			panic(badLayers)
		}
		for d, c := range []Cell{layer.Forward, layer.Backward} {
			if c == nil {
				continue
			}
			if v := reflect.ValueOf(c); v.Kind() == reflect.Pointer && v.IsNil() || c.Hidden() != layer.Forward.Hidden() ||
				c.Inputs() != layer.Forward.Inputs() || inputs >= 0 && c.Inputs() != inputs {
				panic(badLayers)
			}
			gates = max(gates, c.Gates())
			s.states[i][d] = state{kernels.NewMatrix(sequences, c.Hidden()), kernels.NewMatrix(sequences, c.Hidden())}
		}
		s.bidirectional = s.bidirectional || layer.Backward != nil
		if inputs = layer.columns(); i < len(layers)-1 {
			below[i%2] = max(below[i%2], inputs)
		}
	}
	if inputs < 0 {
		panic(badLayers)
	}
	s.gates = kernels.NewMatrix(rows, gates).Data
	for i, columns := range below {
		s.between[i] = kernels.NewMatrix(rows, columns).Data
	}
	return s
}

// Columns returns the number of columns of the states of the last layer.
func (s *Stack) Columns() int { return s.layers[len(s.layers)-1].columns() }

// Forward computes the states h of the last layer from the inputs x, both laid out by l. All sequences start from
// zeros. x is rows×E, h is rows×Columns(). h must not overlap x. It panics if l is nil, the shapes do not agree,
// or s has no room for l.
func (s *Stack) Forward(k kernels.Impl, l *Layout, h, x kernels.Matrix) { s.run(k, l, h, x, false) }

// Continue is Forward from the states in which the last call left the sequences, or to which [Stack.State] was set:
// sequence i continues sequence i. The states of a new Stack are zeros. With a layout of sequences of length 1 it is
// one step. It panics as Forward does, and if a layer has a Backward cell.
func (s *Stack) Continue(k kernels.Impl, l *Layout, h, x kernels.Matrix) { s.run(k, l, h, x, true) }

// State returns the states of a layer, counted from 0, in which each sequence has arrived: after its last position
// or, for the Backward cell, its first. Row i belongs to sequence i. h is sequences×H, and so is memory, the second
// state of an LSTM. They are views: Continue starts from what the caller writes there. It panics if there is no such
// layer or direction.
func (s *Stack) State(layer int, backward bool) (h, memory kernels.Matrix) {
	if layer < 0 || layer >= len(s.layers) || backward && s.layers[layer].Backward == nil {
		panic("rnn: Stack: no such layer or direction")
	}
	d := 0
	if backward {
		d = 1
	}
	return s.states[layer][d].h, s.states[layer][d].memory
}

func (s *Stack) run(k kernels.Impl, l *Layout, h, x kernels.Matrix, carry bool) {
	if carry && s.bidirectional {
		panic("rnn: Stack: Continue with a Backward cell")
	}
	if l == nil || l.Active(0) > s.sequences || l.Rows() > s.rows || h.Cols != s.Columns() {
		panic("rnn: Stack: layout is nil, or has more sequences or rows than NewStack was given, or h has not Columns() columns")
	}
	for i := range s.layers {
		layer, y := &s.layers[i], h
		if i < len(s.layers)-1 {
			y = kernels.View(s.between[i%2], l.Rows(), layer.columns())
		}
		n := layer.Forward.Hidden()
		s.pass(k, layer.Forward, l, &s.states[i][0], y.Columns(0, n), x, false, carry)
		if layer.Backward != nil {
			s.pass(k, layer.Backward, l, &s.states[i][1], y.Columns(n, 2*n), x, true, carry)
		}
		x = y
	}
}

// pass runs one cell, whose sequences start from state if carry is set, and keeps where they arrive.
func (s *Stack) pass(k kernels.Impl, c Cell, l *Layout, at *state, h, x kernels.Matrix, backward direction, carry bool) {
	sequences, initial := l.Active(0), kernels.Matrix{}
	if carry {
		initial = at.h.Slice(0, sequences)
	}
	gates := kernels.View(s.gates, l.Rows(), c.Gates())
	backward.run(k, c, l, gates, at.memory.Slice(0, sequences), initial, h, x)
	backward.arrive(l, at.h, h)
}
