package torch

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model/safetensors"
	"github.com/softsearch-go/softsearch/rnn"
)

// A golden holds inputs and the outputs that PyTorch computes of them, each [time][batch][columns].
type golden struct {
	X            [][][]float64
	GRU          [][][]float64 `json:"gru"`
	LSTM         [][][]float64 `json:"lstm"`
	LSTMOneLayer [][][]float64 `json:"lstm_proj_free"`
	LayerNorm    [][][]float64 `json:"layernorm"`
}

// flat returns the values as a matrix of one row for each time and sequence.
func flat(x [][][]float64) kernels.Matrix {
	var values []float32
	rows := slices.Concat(x...)
	for _, row := range rows {
		for _, v := range row {
			values = append(values, float32(v))
		}
	}
	return kernels.View(values, len(rows), len(rows[0]))
}

// TestForeign compares layers with the outputs of PyTorch, in the folder that FOREIGN_DIR names.
func TestForeign(t *testing.T) {
	folder := os.Getenv("FOREIGN_DIR")
	if folder == "" {
		t.Skip("no FOREIGN_DIR")
	}
	text, err := os.ReadFile(filepath.Join(folder, "torch_golden.json"))
	if err != nil {
		t.Fatal(err)
	}
	var g golden
	if err := json.Unmarshal(text, &g); err != nil {
		t.Fatal(err)
	}
	x, lengths := flat(g.X), make([]int, len(g.X[0]))
	for i := range lengths {
		lengths[i] = len(g.X)
	}
	layout := rnn.NewLayout(len(g.X))
	layout.Set(lengths)
	recurrent := func(read func(d *StateDict) []rnn.Layer) func(k kernels.Impl, d *StateDict, columns int) kernels.Matrix {
		return func(k kernels.Impl, d *StateDict, columns int) kernels.Matrix {
			layers := read(d)
			if d.Err != nil {
				return kernels.Matrix{}
			}
			s := rnn.NewStack(layers, len(lengths), x.Rows)
			h := kernels.NewMatrix(x.Rows, columns)
			s.Forward(k, &layout, h, x)
			return h
		}
	}
	for _, c := range []struct {
		file string
		want [][][]float64
		run  func(k kernels.Impl, d *StateDict, columns int) kernels.Matrix
	}{
		{"gru", g.GRU, recurrent(func(d *StateDict) []rnn.Layer { return d.GRU("") })},
		{"lstm", g.LSTM, recurrent(func(d *StateDict) []rnn.Layer { return d.LSTM("") })},
		{"lstm_proj_free", g.LSTMOneLayer, recurrent(func(d *StateDict) []rnn.Layer { return d.LSTM("") })},
		{"layernorm", g.LayerNorm, func(k kernels.Impl, d *StateDict, columns int) kernels.Matrix {
			y := kernels.NewMatrix(x.Rows, columns)
			weight, bias := d.LayerNorm("")
			k.LayerNormRows(y, x, weight, bias, 1e-5)
			return y
		}},
	} {
		t.Run(c.file, func(t *testing.T) {
			file, err := safetensors.Open(filepath.Join(folder, c.file+".safetensors"))
			if err != nil {
				t.Fatal(err)
			}
			defer file.Close()
			want := flat(c.want)
			for _, k := range kernels.Available() {
				d := &StateDict{Impl: k, Tensor: file.Float32}
				got := c.run(k, d, want.Cols)
				if d.Err != nil {
					t.Fatal(d.Err)
				}
				worst := 0.0
				for i, v := range want.Data {
					worst = max(worst, math.Abs(float64(got.Data[i])-float64(v)))
				}
				if !(worst <= 1e-5) {
					t.Errorf("%s: differs by %g from PyTorch, want at most 1e-5", k, worst)
				}
			}
		})
	}
}
