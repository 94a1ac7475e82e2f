package torch

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model/safetensors"
	"github.com/softsearch-go/softsearch/rnn"
)

//go:embed testdata/golden.json
var goldenText []byte

// A tensor of the golden file.
type tensor struct {
	Shape  []int
	Values []float32
}

// matrix returns a tensor with all dimensions but the last as rows.
func (t tensor) matrix() kernels.Matrix {
	cols := t.Shape[len(t.Shape)-1]
	return kernels.View(t.Values, len(t.Values)/cols, cols)
}

// A module is a module of torch.nn, and what it computes.
type module struct {
	Module          string
	State           map[string]tensor
	Inputs, Outputs []tensor
}

// dict returns the state of m under a prefix.
func (m module) dict(k kernels.Impl, prefix string) *StateDict {
	return &StateDict{Impl: k, Tensor: func(name string) ([]int, []float32, error) {
		if t, ok := m.State[strings.TrimPrefix(name, prefix)]; ok && strings.HasPrefix(name, prefix) {
			return slices.Clone(t.Shape), slices.Clone(t.Values), nil
		}
		return nil, nil, fmt.Errorf("%w: %q", safetensors.ErrMissing, name)
	}}
}

func modules(t *testing.T) (list []module) {
	t.Helper()
	if err := json.Unmarshal(goldenText, &list); err != nil {
		t.Fatal(err)
	}
	return list
}

// named returns the first module with that beginning.
func named(t *testing.T, name string) module {
	t.Helper()
	for _, m := range modules(t) {
		if strings.HasPrefix(m.Module, name) {
			return m
		}
	}
	t.Fatalf("no module %s", name)
	return module{}
}

// lengths are the lengths of the sequences in the golden file.
var lengths = []int{6, 4, 4, 1}

func layout() *rnn.Layout {
	l := rnn.NewLayout(lengths[0])
	l.Set(lengths)
	return &l
}

// outputs computes the outputs of m.
func (m module) outputs(k kernels.Impl, d *StateDict, prefix string) (list []kernels.Matrix) {
	x := m.Inputs[0].matrix()
	last := m.Outputs[0].Shape
	y := kernels.NewMatrix(m.Outputs[0].matrix().Rows, last[len(last)-1])
	stack := func(layers []rnn.Layer) []kernels.Matrix {
		s := rnn.NewStack(layers, len(lengths), x.Rows)
		s.Forward(k, layout(), y, x)
		var h, memory []float32
		for i, layer := range layers {
			for _, backward := range []bool{false, true}[:directions(layer)] {
				states, cells := s.State(i, backward)
				h, memory = append(h, states.Data...), append(memory, cells.Data...)
			}
		}
		list := []kernels.Matrix{y, kernels.View(h, 1, len(h)), kernels.View(memory, 1, len(memory))}
		return list[:len(m.Outputs)]
	}
	cell := func(c rnn.Cell, memory kernels.Matrix) []kernels.Matrix {
		gates := kernels.NewMatrix(x.Rows, c.Gates())
		c.Project(k, gates, x)
		c.Step(k, gates, memory, y, m.Inputs[1].matrix())
		return []kernels.Matrix{y, memory}[:len(m.Outputs)]
	}
	switch kind, _, _ := strings.Cut(m.Module, "("); kind {
	case "GRU":
		return stack(d.GRU(prefix))
	case "LSTM":
		return stack(d.LSTM(prefix))
	case "GRUCell":
		return cell(d.GRUCell(prefix), kernels.Matrix{})
	case "LSTMCell":
		memory := m.Inputs[2].matrix()
		return cell(d.LSTMCell(prefix), kernels.View(slices.Clone(memory.Data), memory.Rows, memory.Cols))
	case "Linear":
		w, bias := d.Linear(prefix)
		k.Linear(y, w, x, bias, kernels.Identity)
	case "Conv1d": // of 9 frames of two channels; torch has the channels first
		frames, out := kernels.NewMatrix(9, 2), kernels.NewMatrix(3, 3)
		for i, v := range x.Data {
			frames.Data[i%9*2+i/9] = v
		}
		w, bias := d.Conv1d(prefix)
		k.Linear(out, w, kernels.Matrix{Rows: 3, Cols: 4 * 2, Stride: 2 * 2, Data: frames.Data}, bias, kernels.Identity)
		for i, v := range out.Data {
			y.Data[i%3*3+i/3] = v
		}
	case "Embedding":
		rows := make([]int32, x.Cols)
		for i, v := range x.Data {
			rows[i] = int32(v)
		}
		k.Embed(y, d.Embedding(prefix), rows)
	case "LayerNorm":
		weight, bias := d.LayerNorm(prefix)
		k.LayerNormRows(y, x, weight, bias, 1e-5)
	default:
		panic(kind)
	}
	return []kernels.Matrix{y}
}

func directions(l rnn.Layer) int {
	if l.Backward != nil {
		return 2
	}
	return 1
}

// TestModules compares every module with PyTorch, whose results are float32, too: 3e-7 is some roundings of values
// up to 1, of which LayerNorm has some up to 4.
func TestModules(t *testing.T) {
	for _, m := range modules(t) {
		tolerance := 3e-7
		if strings.HasPrefix(m.Module, "LayerNorm") {
			tolerance = 1e-6
		}
		for _, k := range kernels.Available() {
			const prefix = "part.0."
			d := m.dict(k, prefix)
			got := m.outputs(k, d, prefix)
			if d.Err != nil {
				t.Errorf("%s: %v", m.Module, d.Err)
				continue
			}
			for i, want := range m.Outputs {
				if len(got[i].Data) != len(want.Values) {
					t.Fatalf("%s, output %d: %d values, want %d", m.Module, i, len(got[i].Data), len(want.Values))
				}
				for j, v := range want.Values {
					if !(math.Abs(float64(got[i].Data[j]-v)) <= tolerance) {
						t.Errorf("%s %s, output %d, value %d: %v, want %v", k, m.Module, i, j, got[i].Data[j], v)
						break
					}
				}
			}
		}
	}
}

// TestInt8: with weights of int8 the results are near, and use the same number of outputs and inputs.
func TestInt8(t *testing.T) {
	k := kernels.Best().Using(&kernels.Scratch{Int8: kernels.NewRowsInt8(64, 64)})
	for _, m := range modules(t) {
		d := m.dict(k, "")
		d.Int8 = true
		got := m.outputs(k, d, "")
		if d.Err != nil {
			t.Errorf("%s: %v", m.Module, d.Err)
			continue
		}
		differ := false
		for i, want := range m.Outputs {
			for j, v := range want.Values {
				if !(math.Abs(float64(got[i].Data[j]-v)) <= 0.05) {
					t.Errorf("%s, output %d, value %d: %v, want about %v", m.Module, i, j, got[i].Data[j], v)
					break
				}
				differ = differ || got[i].Data[j] != v
			}
		}
		if !differ && !strings.HasPrefix(m.Module, "Embedding") {
			t.Errorf("%s: outputs with weights of int8 equal those of float32", m.Module)
		}
	}
}

// TestErrors changes a tensor of a module, and expects an error that names it and says what was expected.
func TestErrors(t *testing.T) {
	broken := fmt.Errorf("tensor %q: broken", "w")
	const empty = "torch: tensor %q: has shape [%s] and 0 values, want as many as the shape says, and one at least"
	for _, c := range []struct {
		module, tensor string
		shape          []int // nil: missing
		err            error
		want           string
	}{
		{module: "GRU", tensor: "weight_ih_l0", want: `torch: no such tensor: "a.weight_ih_l0"`},
		{module: "GRU", tensor: "weight_hh_l0", want: `torch: no such tensor: "a.weight_hh_l0"`},
		{module: "GRU", tensor: "bias_hh_l0", want: `torch: no such tensor: "a.bias_hh_l0"`},
		{module: "GRU", tensor: "weight_hh_l0", shape: []int{20, 5}, want: `torch: tensor "a.weight_hh_l0": has shape [20 5], want [3·H H]`},
		{module: "LSTM", tensor: "weight_hh_l0", shape: []int{20, 3}, want: `torch: tensor "a.weight_hh_l0": has shape [20 3], want [4·H H]`},
		{module: "GRU", tensor: "weight_ih_l0", shape: []int{12, 3}, want: `torch: tensor "a.weight_ih_l0": has 12 rows, want the 15 of weight_hh`},
		{module: "GRU", tensor: "weight_ih_l0", shape: []int{45}, want: `torch: tensor "a.weight_ih_l0": has shape [45], want two dimensions`},
		{module: "GRU", tensor: "bias_ih_l0", shape: []int{14}, want: `torch: tensor "a.bias_ih_l0": has 14 values, want 15`},
		{module: "GRU", tensor: "bias_hh_l0", shape: []int{3, 5}, want: `torch: tensor "a.bias_hh_l0": has shape [3 5], want one dimension`},
		{module: "GRU", tensor: "weight_hh_l0", err: broken, want: `torch: tensor "w": broken`},
		{module: "GRU", tensor: "weight_ih_l1", err: broken, want: `torch: tensor "w": broken`},
		{module: "GRU", tensor: "weight_ih_l0_reverse", err: broken, want: `torch: tensor "w": broken`},
		{module: "GRU", tensor: "bias_ih_l0", err: broken, want: `torch: tensor "w": broken`},
		{module: "GRU(3, 5, num_layers=2, bi", tensor: "weight_ih_l1", shape: []int{15, 5}, want: `torch: tensor "a.weight_ih_l1": 5 inputs and 5 units forward, but 10 and 5 backward`},
		{module: "LSTM(4, 3, num_layers=3", tensor: "weight_ih_l1", shape: []int{12, 4}, want: `torch: tensor "a.weight_ih_l1": has 4 columns, want 3, the states of the layer below`},
		{module: "GRUCell", tensor: "weight_ih", want: `torch: no such tensor: "a.weight_ih"`},
		{module: "LSTMCell", tensor: "bias_hh", shape: []int{1}, want: `torch: tensor "a.bias_hh": has 1 values, want 20`},
		{module: "LSTMCell", tensor: "bias_hh", shape: []int{21}, want: `torch: tensor "a.bias_hh": has 21 values, want 20`},
		{module: "GRUCell", tensor: "weight_hh", shape: []int{0, math.MaxInt/2 + 1}, want: fmt.Sprintf(empty, "a.weight_hh", fmt.Sprint(0, " ", math.MaxInt/2+1))},
		{module: "Conv1d", tensor: "weight", shape: []int{math.MaxInt/2 + 1, 0, 1}, want: fmt.Sprintf(empty, "a.weight", fmt.Sprint(math.MaxInt/2+1, " 0 1"))},
		{module: "Conv1d", tensor: "weight", shape: []int{0, math.MaxInt/2 + 1, 3}, want: fmt.Sprintf(empty, "a.weight", fmt.Sprint(0, " ", math.MaxInt/2+1, " 3"))},
		{module: "Linear", tensor: "weight", shape: []int{1e9, 0}, want: fmt.Sprintf(empty, "a.weight", "1000000000 0")},
		{module: "Linear", tensor: "weight", want: `torch: no such tensor: "a.weight"`},
		{module: "Linear", tensor: "bias", shape: []int{2}, want: `torch: tensor "a.bias": has 2 values, want 3`},
		{module: "Conv1d", tensor: "weight", shape: []int{3, 8}, want: `torch: tensor "a.weight": has shape [3 8], want [out in width]`},
		{module: "Conv1d", tensor: "bias", shape: []int{8}, want: `torch: tensor "a.bias": has 8 values, want 3`},
		{module: "Embedding", tensor: "weight", shape: []int{4, 3, 1}, want: `torch: tensor "a.weight": has shape [4 3 1], want two dimensions`},
		{module: "LayerNorm", tensor: "bias", shape: []int{6}, want: `torch: tensor "a.bias": has 6 values, want 7`},
		{module: "LayerNorm", tensor: "weight", want: `torch: no such tensor: "a.weight"`},
	} {
		m := named(t, c.module)
		d := m.dict(kernels.Best(), "a.")
		tensors := d.Tensor
		d.Tensor = func(name string) ([]int, []float32, error) {
			switch {
			case name != "a."+c.tensor:
				return tensors(name)
			case c.err != nil:
				return nil, nil, c.err
			case c.shape == nil:
				return nil, nil, fmt.Errorf("%w: %q", safetensors.ErrMissing, name)
			}
			n := 1
			for _, s := range c.shape {
				n *= s
			}
			return c.shape, make([]float32, n), nil
		}
		load(m, d)
		if d.Err == nil || d.Err.Error() != c.want {
			t.Errorf("%s, %s as %v: error %v, want %s", c.module, c.tensor, c.shape, d.Err, c.want)
		}
		first := d.Err
		d.Linear("other.") // does nothing
		if d.Err != first {
			t.Errorf("%s: the second error replaces the first: %v", c.module, d.Err)
		}
	}
}

// load reads m, and fails unless there is a layer or an error.
func load(m module, d *StateDict) {
	switch kind, _, _ := strings.Cut(m.Module, "("); kind {
	case "GRU":
		d.GRU("a.")
	case "LSTM":
		d.LSTM("a.")
	case "GRUCell":
		d.GRUCell("a.")
	case "LSTMCell":
		d.LSTMCell("a.")
	case "Linear":
		d.Linear("a.")
	case "Conv1d":
		d.Conv1d("a.")
	case "Embedding":
		d.Embedding("a.")
	case "LayerNorm":
		d.LayerNorm("a.")
	}
}

// TestTooManyInputs: a product of int8 takes no more than kernels.MaxInt8Inputs.
func TestTooManyInputs(t *testing.T) {
	d := &StateDict{Impl: kernels.Best(), Int8: true, Tensor: func(name string) ([]int, []float32, error) {
		return []int{1, kernels.MaxInt8Inputs + 1}, make([]float32, kernels.MaxInt8Inputs+1), nil
	}}
	d.Linear("")
	if d.Err == nil || !strings.Contains(d.Err.Error(), `"weight": has 1 rows of 131072 inputs`) && !strings.Contains(d.Err.Error(), `"bias"`) {
		t.Errorf("error %v, want one that names the number of inputs", d.Err)
	}
}
