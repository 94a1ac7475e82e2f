package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"math"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/safetensors"
	"github.com/softsearch-go/softsearch/model/text"
	"github.com/softsearch-go/softsearch/model/torch"
	"github.com/softsearch-go/softsearch/rnn"
)

// uniform returns n values in [-limit, limit), the same for a name in every language: value i is
//
//	limit · (2·u - 1)    u = (mix(2³²·crc32(name) + i) >> 40) / 2²⁴
//
// with the mix of SplitMix64 (Steele, Lea and Flood, 2014) and the CRC-32 of IEEE 802.3.
func uniform(name string, n int, limit float32) []float32 {
	stream := uint64(crc32.ChecksumIEEE([]byte(name))) << 32
	x := make([]float32, n)
	for i := range x {
		z := (stream + uint64(i) + 1) * 0x9e3779b97f4a7c15
		z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		x[i] = limit * (2*(float32((z^z>>31)>>40)/(1<<24)) - 1)
	}
	return x
}

func layerLimit(units int) float32 { return float32(1 / math.Sqrt(float64(units))) }

// exact returns what an operation computes, in float64, and the sum of the magnitudes.
func exact(op string, o operands) (want, size []float64) {
	want, size = make([]float64, len(o.y)), make([]float64, len(o.y))
	add := func(i int, a, b float32) {
		want[i] += float64(a) * float64(b)
		size[i] += math.Abs(float64(a) * float64(b))
	}
	for i, v := range o.y {
		if op == "GemmGrad" {
			add(i, v, 1)
		}
	}
	for n := range max(o.batch, 1) {
		for r := range o.rows {
			for c := range o.cols {
				switch op {
				case "GemmInput":
					add(n*o.cols+c, o.dy[n*o.rows+r], o.w[r*o.cols+c])
				case "GemmGrad":
					add(r*o.cols+c, o.dy[n*o.rows+r], o.x[n*o.cols+c])
				default:
					add(n*o.rows+r, o.x[n*o.cols+c], o.w[r*o.cols+c])
				}
			}
		}
	}
	return want, size
}

// TestLibraries compares with sums and functions in float64.
func TestLibraries(t *testing.T) {
	if core, _ := openBLAS(); core == "" {
		t.Log("without the tag openblas")
	}
	functions := map[string]func(x float64) float64{"Tanh": math.Tanh, "Exp": math.Exp, "Sigmoid": func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }}
	for op := range sizes {
		list := []size{{0, 37, 75, 0}, {0, 64, 128, 0}}
		if strings.HasPrefix(op, "Gemm") {
			list = []size{{1, 5, 3, 0}, {7, 34, 50, 0}, {16, 64, 128, 0}}
		} else if functions[op] != nil {
			list = []size{{n: 101}}
		}
		for _, s := range list {
			for _, l := range libraries() {
				if l.ops[op] == nil {
					continue
				}
				o := newOperands(op, s)
				var want, size []float64
				if f := functions[op]; f != nil {
					for _, x := range o.x {
						want, size = append(want, f(float64(x))), append(size, 300*math.Abs(f(float64(x))))
					}
				} else {
					want, size = exact(op, o)
				}
				l.ops[op](o)()
				for i, got := range o.y {
					if limit := 1e-6*size[i] + 1e-7; !(math.Abs(float64(got)-want[i]) <= limit) {
						t.Errorf("%s, %s, %s: value %d is %g, want %g within %g", l.name, op, s, i, got, want[i], limit)
						break
					}
				}
			}
		}
	}
}

// computed are operations of the kernels, the rnn and the model by the names that torch_peers.py reads.
var computed = map[string]func() []float32{
	"Gemv/rows=37/cols=75":         func() []float32 { return gemm("Gemv", 1, 37, 75) },
	"Gemm/batch=7/rows=34/cols=50": func() []float32 { return gemm("Gemm", 7, 34, 50) },
	"Tanh/n=101":                   func() []float32 { return elementwise(kernels.Impl.Tanh) },
	"Sigmoid/n=101":                func() []float32 { return elementwise(kernels.Impl.Sigmoid) },
	"Exp/n=101":                    func() []float32 { return elementwise(kernels.Impl.Exp) },
	"Softmax/n=101":                func() []float32 { return elementwise(kernels.Impl.Softmax) },
	"Layer/cell=gru/units=37/batch=5/source=3":                                                       func() []float32 { return layer("gru", 37, 5, 3) },
	"Layer/cell=lstm/units=64/batch=1/source=4":                                                      func() []float32 { return layer("lstm", 64, 1, 4) },
	"Layer/weights=int8/cell=lstm/units=64/batch=5/source=3":                                         func() []float32 { return layer("lstm", 64, 5, 3) },
	"DecoderStep/batch=12/source=9/units=64/vocabulary=200/embedding=32/maxout=48":                   step,
	"DecoderStep/weights=int8/batch=12/source=9/units=64/vocabulary=200/embedding=32/maxout=48":      step,
	"TrainingUpdate/batch=20/source=9/units=64/vocabulary=200/embedding=32/maxout=48":                update,
	"TrainingUpdate/precision=bf16/batch=20/source=9/units=64/vocabulary=200/embedding=32/maxout=48": update,
}

func gemm(_ string, batch, rows, cols int) []float32 {
	k, y := kernels.Best(), make([]float32, batch*rows)
	w := k.Pack(kernels.View(uniform("W", rows*cols, 1), rows, cols))
	k.Gemm(kernels.View(y, batch, rows), w, kernels.View(uniform("X", batch*cols, 1), batch, cols), nil, kernels.Identity)
	return y
}

func elementwise(f func(k kernels.Impl, dst, src []float32)) []float32 {
	y := make([]float32, 101)
	f(kernels.Best(), y, uniform("source", 101, 4))
	return y
}

func layer(cell string, units, batch, steps int) []float32 {
	d := torch.StateDict{Impl: kernels.Best(), Tensor: func(name string) ([]int, []float32, error) {
		shape := []int{map[string]int{"gru": 3, "lstm": 4}[cell] * units}
		n := shape[0]
		if strings.HasPrefix(name, "weight_") {
			shape, n = append(shape, units), n*units
		}
		if !strings.HasSuffix(name, "_l0") {
			return nil, nil, fmt.Errorf("%w: %s", safetensors.ErrMissing, name)
		}
		return shape, uniform(name, n, layerLimit(units)), nil
	}}
	read := map[string]func(prefix string) []rnn.Layer{"gru": d.GRU, "lstm": d.LSTM}[cell]
	layers := read("")
	if d.Err != nil {
		panic(d.Err)
	}
	rows, layout := steps*batch, rnn.NewLayout(steps)
	layout.Set(slices.Repeat([]int{steps}, batch))
	h := kernels.NewMatrix(rows, units)
	rnn.NewStack(layers, batch, rows).Forward(kernels.Best(), &layout, h, kernels.View(uniform("X", rows*units, 1), rows, units))
	return h.Data
}

// newModel returns a model whose tensors have values such that the sums of a product are about as large as its inputs.
func newModel(source int) *model.Model {
	m, err := model.New(model.Config{
		Kind: model.RNNsearch, Order: model.UpdateFirst, SourceVocab: source, TargetVocab: 200, Embedding: 32, Hidden: 64, Alignment: 64, Maxout: 48,
	}, 1)
	check(err)
	var file bytes.Buffer
	check(model.Write(&file, m))
	f, err := safetensors.Read(bytes.NewReader(file.Bytes()))
	check(err)
	for i, t := range f.Tensors {
		limit := 0.1
		if strings.HasSuffix(t.Name, ".embedding") {
			limit = 1
		} else if len(t.Shape) == 2 {
			limit = math.Sqrt(3 / float64(t.Shape[1]))
		}
		f.Tensors[i].Data = uniform(t.Name, len(t.Data), float32(limit))
	}
	file.Reset()
	check(safetensors.Write(&file, f))
	m, err = model.Read(&file)
	check(err)
	return m
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

// step returns log p of all words after a step of 12 hypotheses of the sentence 1, 2 … 8 and 0.
func step() []float32 {
	s, err := model.NewStepper(kernels.Best(), newModel(9), model.StepperCapacity{Sentences: 1, Hypotheses: 12, Words: 9, Joining: 9})
	check(err)
	check(s.Begin([]int32{1, 2, 3, 4, 5, 6, 7, 8, 0}))
	_, err = s.Step([]int32{-1})
	check(err)
	check(s.Keep(make([]int, 12)))
	scores, err := s.Step([]int32{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
	check(err)
	p := make([]float32, len(scores.Data))
	for r := range scores.Rows {
		sum := 0.0
		for _, s := range scores.Row(r) {
			sum += math.Exp(float64(s))
		}
		for i, s := range scores.Row(r) {
			p[r*scores.Cols+i] = s - float32(math.Log(sum))
		}
	}
	return p
}

// update returns the losses before four updates on 20 pairs of 9 + 9 words. Those after the first depend on all gradients.
func update() []float32 {
	batch := make([]text.Example, 20)
	for i := range batch {
		sentence := func(factor int) []int32 {
			words := make([]int32, 9)
			for j := range 8 {
				words[j] = int32(1 + (i*9+j)*factor%199)
			}
			return words
		}
		batch[i] = text.Example{Source: sentence(7919), Target: sentence(104729)}
	}
	trainer, err := model.NewTrainer(kernels.Best(), newModel(200), model.Hyperparameters{}, model.CapacityOf(batch, len(batch)))
	check(err)
	var losses []float32
	for range 4 {
		loss, err := trainer.Update(batch)
		check(err)
		losses = append(losses, float32(loss))
	}
	return losses
}

// TestTorch compares PyTorch, if it is there, with the kernels: in float32 closely, in int8 and bfloat16 not exactly.
func TestTorch(t *testing.T) {
	python := exec.Command("/usr/bin/python3", "torch_peers.py")
	var names []string
	for name := range computed {
		names = append(names, name)
	}
	python.Stdin = strings.NewReader(strings.Join(names, "\n") + "\n")
	python.Env = append(os.Environ(), "LD_LIBRARY_PATH=/usr/lib/x86_64-linux-gnu/openblas-openmp")
	if err := exec.Command("/usr/bin/python3", "-c", "import torch").Run(); err != nil {
		t.Skip("no PyTorch: ", err)
	}
	output, err := python.Output()
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(bytes.NewReader(output))
	lines.Buffer(nil, 1<<20)
	for _, name := range names {
		var got []float32
		if !lines.Scan() || json.Unmarshal(lines.Bytes(), &got) != nil {
			t.Fatalf("%s: no values", name)
		}
		compareTorch(t, name, got, computed[name]())
	}
}

func compareTorch(t *testing.T, name string, got, want []float32) {
	rough := strings.Contains(name, "int8") || strings.Contains(name, "bf16")
	scale, largest := 1.0, 0.0
	if strings.HasPrefix(name, "Training") {
		scale = float64(want[0])
	}
	limit := map[bool]float64{false: 2e-5, true: 0.05}[rough] * scale
	if strings.HasPrefix(name, "Exp") {
		limit *= float64(slices.Max(want))
	}
	if len(got) != len(want) {
		t.Fatalf("%s: %d values, want %d", name, len(got), len(want))
	}
	for i, v := range got {
		largest = max(largest, math.Abs(float64(v)-float64(want[i])))
	}
	if !(largest <= limit) || rough && largest < 1e-3*math.Min(scale, 1) {
		t.Errorf("%s: differs by %s, want at most %s", name, strconv.FormatFloat(largest, 'g', 3, 64), strconv.FormatFloat(limit, 'g', 3, 64))
	}
}

// TestLSTM compares the layer of spaGO with that of package rnn.
func TestLSTM(t *testing.T) {
	l := newLSTM(tensors(37), 4, 2, 37)
	l.run()
	for i, want := range layer("lstm", 37, 2, 4) {
		if math.Abs(float64(l.h[i]-want)) > 1e-5 {
			t.Fatalf("value %d is %g, want %g", i, l.h[i], want)
		}
	}
}
