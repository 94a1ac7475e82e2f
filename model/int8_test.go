package model

import (
	"bytes"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model/safetensors"
	"github.com/softsearch-go/softsearch/model/text"
)

func quantized(t testing.TB, m *Model) *Model {
	t.Helper()
	q, err := m.Quantize()
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// An int8Reference computes log-probabilities from the tensors of a file as the paper writes them,
// in float64 but for what defines the quantization: the scale of an input, and its division by that.
type int8Reference struct {
	config  Config
	tensors map[string]safetensors.Tensor
}

func newInt8Reference(t *testing.T, m *Model) *int8Reference {
	t.Helper()
	f, err := safetensors.Read(bytes.NewReader(written(t, m)))
	if err != nil {
		t.Fatal(err)
	}
	r := &int8Reference{m.Config, map[string]safetensors.Tensor{}}
	for _, tensor := range f.Tensors {
		r.tensors[tensor.Name] = tensor
	}
	return r
}

// product returns the product of the named matrix with x.
func (r *int8Reference) product(name string, x []float64) []float64 {
	w, scales := r.tensors[name].Int8, r.tensors[name+".scale"].Data
	if len(w) != len(scales)*len(x) {
		panic(fmt.Sprintf("%s: %d values, %d scales, %d inputs", name, len(w), len(scales), len(x)))
	}
	largest := float32(0)
	for _, v := range x {
		largest = max(largest, float32(math.Abs(v)))
	}
	scale, q := largest/127, make([]int, len(x))
	for i, v := range x {
		if scale > 0 {
			q[i] = int(math.RoundToEven(float64(float32(v) / scale)))
		}
	}
	y := make([]float64, len(scales))
	for i := range y {
		sum := 0
		for j, v := range q {
			sum += v * int(w[i*len(x)+j])
		}
		y[i] = float64(sum) * float64(scale) * float64(scales[i])
	}
	return y
}

func (r *int8Reference) vector(name string) []float64 {
	var v []float64
	for _, x := range r.tensors[name].Data {
		v = append(v, float64(x))
	}
	return v
}

// embedding returns a row of the named embedding, zeros for -1.
func (r *int8Reference) embedding(name string, id int32) []float64 {
	x := make([]float64, r.config.Embedding)
	if id >= 0 {
		for j := range x {
			x[j] = float64(r.tensors[name+".scale"].Data[id]) * float64(r.tensors[name].Int8[int(id)*len(x)+j])
		}
	}
	return x
}

// plus returns the sum of vectors.
func plus(vectors ...[]float64) []float64 {
	sum := make([]float64, len(vectors[0]))
	for _, v := range vectors {
		for i := range sum {
			sum[i] += v[i]
		}
	}
	return sum
}

func each(x []float64, f func(float64) float64) []float64 {
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = f(v)
	}
	return y
}

func logistic(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// gru returns the state after h, for an input x. Each gate also adds what more returns of its letter,
// z, r or none.
func (r *int8Reference) gru(name string, x, h []float64, more func(gate string) []float64) []float64 {
	sum := func(gate string, h []float64) []float64 {
		return plus(r.product(name+".W"+gate, x), r.product(name+".U"+gate, h), r.vector(name+".b"+gate), more(gate))
	}
	z, reset := each(sum("z", h), logistic), each(sum("r", h), logistic)
	rh := make([]float64, len(h))
	for i := range rh {
		rh[i] = reset[i] * h[i]
	}
	next := each(sum("", rh), math.Tanh)
	for i := range next {
		next[i] = (1-z[i])*h[i] + z[i]*next[i]
	}
	return next
}

// encode returns the annotations and s_0.
func (r *int8Reference) encode(source []int32) (annotations [][]float64, initial []float64) {
	h := r.config.Hidden
	none := func(string) []float64 { return make([]float64, h) }
	run := func(name string, reversed bool) [][]float64 {
		states, state := make([][]float64, len(source)), make([]float64, h)
		for i := range source {
			j := i
			if reversed {
				j = len(source) - 1 - i
			}
			state = r.gru(name, r.embedding("source.embedding", source[j]), state, none)
			states[j] = state
		}
		return states
	}
	annotations = run("encoder.forward", false)
	last := annotations[len(source)-1]
	if r.config.Kind == RNNsearch {
		backward := run("encoder.backward", true)
		last = backward[0]
		for j := range annotations {
			annotations[j] = append(slices.Clone(annotations[j]), backward[j]...)
		}
	} else {
		annotations = annotations[len(source)-1:]
	}
	return annotations, each(plus(r.product("decoder.Ws", last), r.vector("decoder.bs")), math.Tanh)
}

// attend returns α of a state over the annotations.
func (r *int8Reference) attend(state []float64, annotations [][]float64) []float64 {
	alpha, sum := make([]float64, len(annotations)), 0.0
	for j, a := range annotations {
		score := 0.0
		switch {
		case r.config.Kind == RNNencdec:
		case r.config.AlignmentModel == Additive:
			va := r.vector("attention.va")
			for i, v := range plus(r.product("attention.Wa", state), r.product("attention.Ua", a)) {
				score += va[i] * math.Tanh(v)
			}
		case r.config.AlignmentModel == Dot:
			for i, v := range state {
				score += v * (a[i] + a[len(state)+i])
			}
		default:
			for i, v := range r.product("attention.Wa", a) {
				score += v * state[i]
			}
		}
		alpha[j] = math.Exp(score)
		sum += alpha[j]
	}
	return each(alpha, func(v float64) float64 { return v / sum })
}

// logProbabilities returns log p of every target word.
func (r *int8Reference) logProbabilities(e text.Example) []float64 {
	annotations, state := r.encode(e.Source)
	previous, logs := int32(-1), []float64(nil)
	for _, word := range e.Target {
		alpha := r.attend(state, annotations)
		// Σ α (C h) is what the model computes of C c, and quantizes h for.
		context := func(name string, n int) []float64 {
			sum := make([]float64, n)
			for j, a := range annotations {
				sum = plus(sum, each(r.product(name, a), func(v float64) float64 { return alpha[j] * v }))
			}
			return sum
		}
		update := func(word int32) []float64 {
			return r.gru("decoder", r.embedding("target.embedding", word), state, func(gate string) []float64 {
				return context("decoder.C"+gate, r.config.Hidden)
			})
		}
		predicting := state
		if r.config.Order == UpdateFirst {
			state = update(previous)
			predicting = state
		}
		sums := plus(r.product("readout.Uo", predicting), r.product("readout.Vo", r.embedding("target.embedding", previous)),
			context("readout.Co", 2*r.config.Maxout), r.vector("readout.bo"))
		units := make([]float64, r.config.Maxout)
		for i := range units {
			units[i] = max(sums[2*i], sums[2*i+1])
		}
		scores, sum := plus(r.product("output.Wo", units), r.vector("output.b")), 0.0
		for _, v := range scores {
			sum += math.Exp(v)
		}
		logs = append(logs, scores[word]-math.Log(sum))
		if r.config.Order == PredictFirst {
			state = update(word)
		}
		previous = word
	}
	return logs
}

// TestInt8Reference compares with the formulas of the paper over the tensors of the file. A value
// beside a boundary of two integers would round to the other one in float64; none does here, as a
// difference of 0.01 would show.
func TestInt8Reference(t *testing.T) {
	eachVariant(t, smallConfig, func(t *testing.T, c Config) {
		m := randomModel(t, c, 80, 0.4)
		q := quantized(t, m)
		r, batch := newInt8Reference(t, q), randomBatch(newRand(81), c, 6, 7, 8)
		w, exact := newScorerFor(t, portable(), q, batch), newScorerFor(t, portable(), m, batch)
		lossOf(t, w, batch)
		lossOf(t, exact, batch)
		differs := false
		for i, e := range batch {
			got, float := logProbabilities(t, w, i, len(e.Target)), logProbabilities(t, exact, i, len(e.Target))
			for j, want := range r.logProbabilities(e) {
				if !(math.Abs(float64(got[j])-want) <= 2e-5) {
					t.Errorf("sentence %d, word %d: log p = %v, want %v", i, j, got[j], want)
				}
				differs = differs || math.Abs(float64(got[j]-float[j])) > 1e-3
			}
		}
		if !differs {
			t.Error("all log-probabilities are those of float32")
		}
	})
}

// TestInt8File: a file holds what the model in memory is.
func TestInt8File(t *testing.T) {
	path := filepath.Join(t.TempDir(), "int8.safetensors")
	eachVariant(t, smallConfig, func(t *testing.T, c Config) {
		m := withVocabularies(t, c)
		m.LongestSource, m.Search = 17, Search{5, 1.5, 1, -0.1}
		q := quantized(t, m)
		if q.LongestSource != 17 || q.Search != m.Search || q.Source != m.Source || m.Config.Weights != Float32 {
			t.Errorf("quantized: longest source %d, want 17 and the vocabularies of a model that does not change", q.LongestSource)
		}
		if err := Save(path, q); err != nil {
			t.Fatal(err)
		}
		got, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		sameModel(t, got, q)
		if !bytes.Equal(written(t, got), written(t, q)) {
			t.Error("a file that was read is written with other bytes")
		}
	})
}

// TestInt8Values: every weight is the nearest multiple of its row's scale, the largest 127 times it.
func TestInt8Values(t *testing.T) {
	m := randomModel(t, smallConfig, 87, 0.4)
	q := quantized(t, m)
	theirs := q.Parameters.tensors(q.Config)
	for i, tensor := range m.Parameters.tensors(m.Config) {
		if len(tensor.shape) == 1 {
			sameBits(t, tensor.name, theirs[i].read(), tensor.read())
			continue
		}
		data, scales := theirs[i].readInt8()
		for row, scale := range scales {
			largest := float32(0)
			for j, v := range tensor.read()[row*tensor.shape[1]:][:tensor.shape[1]] {
				n := data[row*tensor.shape[1]+j]
				if !(math.Abs(float64(v/scale)-float64(n)) <= 0.5) {
					t.Errorf("%s, row %d, column %d: %v became %d times %v", tensor.name, row, j, v, n, scale)
				}
				largest = max(largest, v, -v)
			}
			if scale != largest/127 {
				t.Errorf("%s, row %d: scale %v, want %v", tensor.name, row, scale, largest/127)
			}
		}
	}
}

// badInt8Files are changes after which Read rejects the file of an int8 model.
var badInt8Files = []struct {
	name  string
	alter func(f *safetensors.File)
	says  []string
}{
	{"weights of float32", func(f *safetensors.File) {
		f.Metadata["config"] = strings.Replace(f.Metadata["config"], `,"weights":"int8"`, "", 1)
	}, []string{"tensor source.embedding of int8, expected float32"}},
	{"weights of int4", func(f *safetensors.File) {
		f.Metadata["config"] = strings.Replace(f.Metadata["config"], "int8", "int4", 1)
	}, []string{`weights "int4"`, `"int8"`}},
	{"a matrix of float32", func(f *safetensors.File) {
		w := tensorOf(f, "decoder.Uz")
		w.Data, w.Int8 = make([]float32, len(w.Int8)), nil
	}, []string{"decoder.Uz of float32", "expected int8"}},
	{"a vector of int8", func(f *safetensors.File) {
		v := tensorOf(f, "output.b")
		v.Int8, v.Data = make([]int8, len(v.Data)), nil
	}, []string{"output.b of int8", "expected float32"}},
	{"scales of int8", func(f *safetensors.File) {
		v := tensorOf(f, "target.embedding.scale")
		v.Int8, v.Data = make([]int8, len(v.Data)), nil
	}, []string{"target.embedding.scale of int8", "expected float32"}},
	{"no scales", func(f *safetensors.File) { tensorOf(f, "readout.Vo.scale").Name = "readout.Vo.scales" }, []string{"no tensor readout.Vo.scale"}},
	{"scales of another shape", func(f *safetensors.File) {
		tensorOf(f, "readout.Vo.scale").Shape = []int{18, 1}
	}, []string{"readout.Vo.scale", "[18 1]", "[18]"}},
	{"a scale too many", func(f *safetensors.File) {
		s := tensorOf(f, "readout.Vo.scale")
		s.Data, s.Shape = append(s.Data, 1), []int{19}
	}, []string{"tensor readout.Vo.scale has shape [19], expected [18]"}},
	{"shape exchanged", func(f *safetensors.File) { slices.Reverse(tensorOf(f, "readout.Vo").Shape) }, []string{"readout.Vo", "[7 18]", "[18 7]"}},
}

// TestDequantize compares weights with integers times scales, and trains them.
func TestDequantize(t *testing.T) {
	q := quantized(t, withVocabularies(t, smallConfig))
	d, err := q.Dequantize()
	if err != nil {
		t.Fatal(err)
	}
	if d.Config != smallConfig || d.Source != q.Source || q.Config.Weights != Int8 {
		t.Errorf("configuration %+v, want %+v and that of the model of int8 as it was", d.Config, smallConfig)
	}
	theirs := q.Parameters.tensors(q.Config)
	for i, tensor := range d.Parameters.tensors(d.Config) {
		want := theirs[i]
		if len(tensor.shape) == 1 {
			sameBits(t, tensor.name, tensor.read(), want.read())
			continue
		}
		data, scales := want.readInt8()
		for j, v := range tensor.read() {
			if product := float32(data[j]) * scales[j/tensor.shape[1]]; v != product {
				t.Fatalf("%s: value %d is %v, want %d times the scale, %v", tensor.name, j, v, data[j], product)
			}
		}
	}
	if _, err := NewTrainer(kernels.Best(), d, Hyperparameters{}, smallCapacity); err != nil {
		t.Error(err)
	}
	_, err = d.Dequantize()
	checkError(t, "float32", err, ErrConfig, "weights of float32, expected int8")
	_, err = (*Model)(nil).Dequantize()
	checkError(t, "nil", err, ErrConfig, "nil model")
}

func TestInt8ReadErrors(t *testing.T) {
	for _, e := range badInt8Files {
		f, err := quantized(t, withVocabularies(t, smallConfig)).file()
		if err != nil {
			t.Fatal(err)
		}
		for i := range f.Tensors {
			f.Tensors[i].Shape = slices.Clone(f.Tensors[i].Shape)
		}
		e.alter(f)
		m, err := Read(bytes.NewReader(encoded(t, f)))
		checkError(t, e.name, err, ErrFile, e.says...)
		if m != nil {
			t.Errorf("%s: got a model with the error", e.name)
		}
	}
	f := contents(t, smallConfig)
	f.Metadata["config"] = configJSON(t, func(c *Config) { c.Weights = Int8 })
	_, err := Read(bytes.NewReader(encoded(t, f)))
	checkError(t, "int8 in the configuration alone", err, ErrFile, "tensor source.embedding of float32, expected int8")
}

// TestInt8Training: nothing trains weights of int8.
func TestInt8Training(t *testing.T) {
	q := quantized(t, withVocabularies(t, smallConfig))
	_, err := NewTrainer(kernels.Best(), q, Hyperparameters{}, smallCapacity)
	checkError(t, "NewTrainer", err, ErrConfig, "weights of int8 cannot be trained", "float32")
	_, err = New(q.Config, 1)
	checkError(t, "New", err, ErrConfig, "weights of int8 cannot be trained")
	_, err = q.Quantize()
	checkError(t, "Quantize", err, ErrConfig, "weights of int8", "expected float32")
	if bytes := TrainerBytes(q.Config, Hyperparameters{}, smallCapacity); bytes != math.MaxInt64 {
		t.Errorf("TrainerBytes: got %d, want %d", bytes, int64(math.MaxInt64))
	}
	path := filepath.Join(t.TempDir(), "model")
	if err := Save(path, q); err != nil {
		t.Fatal(err)
	}
	trainer, err := NewTrainer(kernels.Best(), randomModel(t, smallConfig, 1, 0.1), Hyperparameters{}, smallCapacity)
	if err != nil {
		t.Fatal(err)
	}
	_, err = trainer.Load(path)
	checkError(t, "Load", err, ErrCheckpoint, path, "softsearch 1")
}

// TestQuantizeErrors: what cannot be quantized is an error.
func TestQuantizeErrors(t *testing.T) {
	for _, v := range []float32{float32(math.NaN()), float32(math.Inf(-1))} {
		for _, name := range []string{"target.embedding", "decoder.Ur", "output.b"} {
			m := randomModel(t, smallConfig, 1, 0.1)
			setWeight(t, m, name, 3, v)
			_, err := m.Quantize()
			checkError(t, name, err, ErrNotFinite, name)
		}
	}
	for name, m := range badModels(t) {
		_, err := m.Quantize()
		checkError(t, name, err, ErrConfig)
	}
	wide := smallConfig
	wide.Weights, wide.Maxout = Int8, kernels.MaxInt8Inputs+1
	checkError(t, "wide", wide.Check(), ErrConfig, "131072 inputs", "131071")
	wide.Maxout--
	if err := wide.Check(); err != nil {
		t.Error(err)
	}
}

// TestInt8BadModels: Check finds matrices of int8 that do not belong to the configuration.
func TestInt8BadModels(t *testing.T) {
	m := quantized(t, randomModel(t, smallConfig, 1, 0.1))
	if err := m.Check(); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(p *Parameters){
		"no data":            func(p *Parameters) { p.Uo.Int8.Data = nil },
		"data cut short":     func(p *Parameters) { p.Decoder.W.Int8.Data = p.Decoder.W.Int8.Data[1:] },
		"no scales":          func(p *Parameters) { p.Attention.Ua.Int8.Scales = nil },
		"other inputs":       func(p *Parameters) { p.Wo = p.Uo },
		"a table cut short":  func(p *Parameters) { p.Source.Int8.Rows-- },
		"rows without data":  func(p *Parameters) { p.Source.Int8 = kernels.RowsInt8{Rows: 21, Cols: 7} },
		"a float32 matrix":   func(p *Parameters) { p.Ws = randomModel(t, smallConfig, 1, 0.1).Parameters.Ws },
		"both kinds":         func(p *Parameters) { p.Ws.Float32 = kernels.NewPacked(13, 13) },
		"other bias":         func(p *Parameters) { p.B = slices.Clone(p.B) },
		"a table of float32": func(p *Parameters) { p.Target = randomModel(t, smallConfig, 1, 0.1).Parameters.Target },
	} {
		p := *m.Parameters
		change(&p)
		bad := *m
		bad.Parameters = &p
		checkError(t, name, bad.Check(), ErrConfig)
	}
}
