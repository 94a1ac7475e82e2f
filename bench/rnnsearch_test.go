package bench

import (
	"bytes"
	"math"
	"slices"
	"testing"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/safetensors"
	"github.com/softsearch-go/softsearch/model/text"
)

// testConfig has sizes that are not multiples of a vector's length.
var testConfig = model.Config{
	Kind: model.RNNsearch, Order: model.UpdateFirst,
	SourceVocab: 23, TargetVocab: 29, Embedding: 9, Hidden: 13, Alignment: 11, Maxout: 7,
}

// testBatch has sentences of different lengths, one of them of the end alone.
var testBatch = []text.Example{
	{Source: []int32{3, 5, 22, 5, 0}, Target: []int32{7, 28, 1, 0}},
	{Source: []int32{4, 0}, Target: []int32{9, 2, 2, 8, 16, 0}},
	{Source: []int32{0}, Target: []int32{0}},
	{Source: []int32{11, 12, 3, 3, 9, 20, 0}, Target: []int32{7, 5, 0}},
}

// testModel returns a model with weights large enough for every gradient to matter.
func testModel(t *testing.T) *model.Model {
	t.Helper()
	m, err := model.New(testConfig, 1)
	if err != nil {
		t.Fatal(err)
	}
	p, r := m.Parameters, newSource()
	for i := range p.Values {
		p.Values[i] *= 2
	}
	for _, w := range [][]float32{p.Attention.Wa.Float32.Data, p.Attention.Ua.Float32.Data} {
		for i := range w {
			w[i] *= 200
		}
	}
	for _, v := range [][]float32{
		p.Source.Float32.Data, p.Target.Float32.Data, p.Attention.Va,
		p.Forward.B, p.Backward.B, p.Decoder.B, p.Bs, p.Bo, p.B,
	} {
		copy(v, r.uniform(len(v), 1))
	}
	return m
}

// naiveOf returns the weights of m for the naive code.
func naiveOf(t *testing.T, m *model.Model) *RNNsearch {
	t.Helper()
	var data bytes.Buffer
	if err := model.Write(&data, m); err != nil {
		t.Fatal(err)
	}
	file, err := safetensors.Read(&data)
	if err != nil {
		t.Fatal(err)
	}
	naive := NewRNNsearch(m.Config)
	list := naive.Tensors()
	if len(list) != len(file.Tensors) {
		t.Fatalf("%d tensors, the file has %d", len(list), len(file.Tensors))
	}
	for _, want := range list {
		got, ok := file.Tensor(want.Name)
		if !ok || len(got.Data) != want.size() {
			t.Fatalf("file has no tensor %s of %d values", want.Name, want.size())
		}
		copy(*want.Values, got.Data)
	}
	return naive
}

func TestTrainer(t *testing.T) {
	testImpls(t, func(t *testing.T, k kernels.Impl) {
		m := testModel(t)
		naive := naiveOf(t, m)
		trainer, err := model.NewTrainer(k, m, model.Hyperparameters{}, model.Capacity{Sentences: 4, SourceLength: 7, TargetLength: 6})
		if err != nil {
			t.Fatal(err)
		}
		opponent := NewTrainer(naive)
		for update := range 3 {
			want, err := trainer.Update(testBatch)
			if err != nil {
				t.Fatal(err)
			}
			got := opponent.Update(testBatch)
			if !(math.Abs(got-want) <= 1e-4*want) {
				t.Fatalf("loss after %d updates: naive %g, kernels %g", update, got, want)
			}
		}
		after := naiveOf(t, m)
		for i, w := range after.Tensors() {
			got := *naive.Tensors()[i].Values
			for j, want := range *w.Values {
				if !(math.Abs(float64(got[j]-want)) <= 1e-5) {
					t.Fatalf("%s[%d] after 3 updates: naive %g, kernels %g", w.Name, j, got[j], want)
				}
			}
		}
	})
}

func TestStepper(t *testing.T) {
	const steps = 5
	testImpls(t, func(t *testing.T, k kernels.Impl) {
		m := testModel(t)
		naive := NewStepper(naiveOf(t, m))
		stepper, err := model.NewStepper(k, m, model.StepperCapacity{Sentences: 1, Hypotheses: 1, Words: 7, Joining: 7})
		if err != nil {
			t.Fatal(err)
		}
		scores, state := make([]float32, testConfig.TargetVocab), make([]float32, testConfig.Hidden)
		for _, e := range testBatch {
			if err := stepper.Begin(e.Source); err != nil {
				t.Fatal(err)
			}
			naive.Begin(state, e.Source)
			word := int32(-1)
			for range steps {
				want, err := stepper.Step([]int32{word})
				if err != nil {
					t.Fatal(err)
				}
				naive.Step(scores, state, word)
				near(t, centred(scores), centred(want.Row(0)), func(int) float64 { return 1e-4 })
				word = (word + 8) % int32(testConfig.TargetVocab)
			}
		}
	})
}

// centred returns x less its largest value.
func centred(x []float32) []float32 {
	largest := slices.Max(x)
	y := make([]float32, len(x))
	for i, v := range x {
		y[i] = v - largest
	}
	return y
}
