package model

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model/text"
)

// smallCapacity is the capacity that badBatches exceed.
var smallCapacity = Capacity{Sentences: 3, SourceLength: 4, TargetLength: 5}

// goodBatch is as large as smallCapacity.
var goodBatch = []text.Example{
	{Source: []int32{1, 20, 0}, Target: []int32{26, 0}},
	{Source: []int32{7, 8, 9, 0}, Target: []int32{1, 0, 3, 4, 0}},
	{Source: []int32{0}, Target: []int32{0}},
}

// A badBatch is a batch that a model of smallConfig with smallCapacity rejects.
type badBatch struct {
	name  string
	batch []text.Example
	is    error
	says  []string
}

// badBatches returns batches with one fault each, never in the first position.
func badBatches() []badBatch {
	list := []badBatch{
		{"nil batch", nil, ErrExample, []string{"without sentences"}},
		{"empty batch", []text.Example{}, ErrExample, []string{"without sentences"}},
		{"large batch", append(slices.Clone(goodBatch), goodBatch[0]), ErrCapacity, []string{"4 sentences", "of 3"}},
	}
	with := func(name string, sentence int, change func(e *text.Example), is error, says ...string) {
		batch := slices.Clone(goodBatch)
		change(&batch[sentence])
		list = append(list, badBatch{name, batch, is, says})
	}
	with("empty source", 1, func(e *text.Example) { e.Source = nil }, ErrExample, "source sentence 1", "empty")
	with("empty target", 2, func(e *text.Example) { e.Target = []int32{} }, ErrExample, "target sentence 2", "empty")
	with("long source", 2, func(e *text.Example) { e.Source = make([]int32, 5) }, ErrCapacity, "source sentence 2", "5 words", "of 4")
	with("long target", 0, func(e *text.Example) { e.Target = make([]int32, 6) }, ErrCapacity, "target sentence 0", "6 words", "of 5")
	for _, id := range []int32{-1, 21, math.MaxInt32, math.MinInt32} {
		with(fmt.Sprint("source id ", id), 1, func(e *text.Example) { e.Source = []int32{1, 2, id, 0} },
			ErrExample, "word 2 of source sentence 1", fmt.Sprint("id ", id), "0 to 20")
	}
	for _, id := range []int32{-1, 27, math.MaxInt32, math.MinInt32} {
		with(fmt.Sprint("target id ", id), 2, func(e *text.Example) { e.Target = []int32{1, id} },
			ErrExample, "word 1 of target sentence 2", fmt.Sprint("id ", id), "0 to 26")
	}
	return list
}

func TestScorerErrors(t *testing.T) {
	eachVariant(t, smallConfig, func(t *testing.T, c Config) {
		w, err := NewScorer(kernels.Best(), randomModel(t, c, 70, 0.4), smallCapacity)
		if err != nil {
			t.Fatal(err)
		}
		want := lossOf(t, w, goodBatch)
		logs := logProbabilities(t, w, 1, 5)
		for _, b := range badBatches() {
			loss, err := w.Loss(b.batch)
			checkError(t, b.name, err, b.is, b.says...)
			if loss != 0 {
				t.Errorf("%s: got loss %v with the error, want 0", b.name, loss)
			}
			sameBits(t, "log-probability of the batch before "+b.name, logProbabilities(t, w, 1, 5), logs)
		}
		if got := lossOf(t, w, goodBatch); got != want {
			t.Errorf("loss after errors: got %v, want %v", got, want)
		}
	})
}

func TestTrainerErrors(t *testing.T) {
	eachVariant(t, smallConfig, func(t *testing.T, c Config) {
		m, control := randomModel(t, c, 71, 0.4), randomModel(t, c, 71, 0.4)
		trainer, err := NewTrainer(kernels.Best(), m, Hyperparameters{}, smallCapacity)
		if err != nil {
			t.Fatal(err)
		}
		undisturbed, err := NewTrainer(kernels.Best(), control, Hyperparameters{}, smallCapacity)
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			before := slices.Clone(m.Parameters.Values)
			for _, b := range badBatches() {
				_, err := trainer.Update(b.batch)
				checkError(t, b.name, err, b.is, b.says...)
				sameBits(t, "weight after "+b.name, m.Parameters.Values, before)
			}
			for _, tr := range []*Trainer{trainer, undisturbed} {
				if _, err := tr.Update(goodBatch); err != nil {
					t.Fatal(err)
				}
			}
			if differs(m.Parameters.Values, before) < 0 {
				t.Error("an update changed no weight")
			}
		}
		sameBits(t, "weight of the trainer that met errors", m.Parameters.Values, control.Parameters.Values)
	})
}

func TestCapacityErrors(t *testing.T) {
	m := randomModel(t, smallConfig, 72, 0.4)
	for _, c := range []Capacity{{}, {0, 1, 1}, {1, 0, 1}, {1, 1, 0}, {-1, 2, 2}, {2, -1, 2}, {2, 2, math.MinInt}} {
		what := fmt.Sprintf("capacity %+v", c)
		_, err := NewScorer(kernels.Best(), m, c)
		checkError(t, "NewScorer: "+what, err, ErrConfig, "capacity")
		_, err = NewTrainer(kernels.Best(), m, Hyperparameters{}, c)
		checkError(t, "NewTrainer: "+what, err, ErrConfig, "capacity")
	}
}

// TestLogProbabilitiesLimits requests sentences that are not in the batch, and fewer values than a
// sentence has.
func TestLogProbabilitiesLimits(t *testing.T) {
	m := randomModel(t, smallConfig, 73, 0.4)
	w, err := NewScorer(kernels.Best(), m, smallCapacity)
	if err != nil {
		t.Fatal(err)
	}
	dst := make([]float32, 5)
	if n := w.LogProbabilities(dst, 0); n != 0 {
		t.Errorf("before a batch: got %d values, want 0", n)
	}
	lossOf(t, w, goodBatch)
	lossOf(t, w, goodBatch[1:])
	for i, want := range map[int]int{-1: 0, 0: 5, 1: 1, 2: 0, math.MaxInt: 0, math.MinInt: 0} {
		if n := w.LogProbabilities(dst, i); n != want {
			t.Errorf("sentence %d: got %d values, want %d", i, n, want)
		}
		if n := w.Alignment(kernels.NewMatrix(5, 4), i); n != want {
			t.Errorf("sentence %d: got %d rows, want %d", i, n, want)
		}
	}
	all := logProbabilities(t, w, 0, 5)
	dst = make([]float32, 5)
	if n := w.LogProbabilities(dst[:2], 0); n != 2 {
		t.Errorf("2 of 5 values: got %d", n)
	}
	sameBits(t, "first log-probabilities", dst, []float32{all[0], all[1], 0, 0, 0})
}

// TestNotFinite puts NaN and infinities into one weight of every tensor in turn. Either the
// gradient is not finite, which is an error and leaves all weights, or the value does not affect
// the loss: an infinity can saturate a gate, and maxout can ignore -Inf.
func TestNotFinite(t *testing.T) {
	eachVariant(t, smallConfig, func(t *testing.T, c Config) {
		for _, p := range randomModel(t, c, 74, 0.4).Parameters.tensors(c) {
			for _, v := range []float32{nan, inf, -inf} {
				checkNotFinite(t, c, p.name, v)
			}
		}
	})
}

func checkNotFinite(t *testing.T, c Config, name string, v float32) {
	t.Helper()
	m := randomModel(t, c, 74, 0.4)
	setWeight(t, m, name, 0, v) // of an embedding: that of word 0, which both orders read
	before := slices.Clone(m.Parameters.Values)
	trainer, err := NewTrainer(kernels.Best(), m, Hyperparameters{}, smallCapacity)
	if err != nil {
		t.Fatal(err)
	}
	_, err = trainer.Update(goodBatch)
	what := fmt.Sprintf("%s = %v", name, v)
	if err == nil && v == v {
		for i, x := range m.Parameters.Values {
			if x != x {
				t.Fatalf("%s: no error, and weight %d is NaN", what, i)
			}
		}
		return
	}
	checkError(t, what, err, ErrNotFinite, "gradient")
	sameBits(t, "weight after "+what, m.Parameters.Values, before)
}

// TestNotFiniteThenOn repairs the weight after the error and compares further updates with those of
// a trainer without an error. The weight is a bias, since a trainer keeps transposes of matrices.
func TestNotFiniteThenOn(t *testing.T) {
	eachVariant(t, smallConfig, func(t *testing.T, c Config) {
		m, control := randomModel(t, c, 75, 0.4), randomModel(t, c, 75, 0.4)
		for _, model := range []*Model{m, control} {
			trainer, err := NewTrainer(kernels.Best(), model, Hyperparameters{}, smallCapacity)
			if err != nil {
				t.Fatal(err)
			}
			for range 2 {
				if _, err := trainer.Update(goodBatch); err != nil {
					t.Fatal(err)
				}
				if model == control {
					continue
				}
				good := parameterOf(t, m, "output.b").read()[3]
				setWeight(t, m, "output.b", 3, nan)
				_, err := trainer.Update(goodBatch)
				checkError(t, "NaN in output.b", err, ErrNotFinite)
				setWeight(t, m, "output.b", 3, good)
			}
		}
		sameBits(t, "weight", m.Parameters.Values, control.Parameters.Values)
	})
}

// TestNormOverflow has a gradient of finite values whose norm overflows float32. All weights but
// Wo are 0, so no other gradient is affected.
func TestNormOverflow(t *testing.T) {
	eachImpl(t, func(t *testing.T, k kernels.Impl) {
		const gold = 5
		m := randomModel(t, smallConfig, 76, 0)
		for i := range m.Config.TargetVocab * m.Config.Maxout {
			w := float32(-1.5e38)
			if i/m.Config.Maxout == gold {
				w = -w
			}
			setWeight(t, m, "output.Wo", i, w)
		}
		before := slices.Clone(m.Parameters.Values)
		trainer, err := NewTrainer(k, m, Hyperparameters{}, smallCapacity)
		if err != nil {
			t.Fatal(err)
		}
		_, err = trainer.Update([]text.Example{{Source: []int32{0}, Target: []int32{gold}}})
		checkError(t, k.String(), err, ErrNotFinite, "Inf")
		for i, g := range trainer.gradients.Values {
			if math.IsInf(float64(g), 0) || g != g {
				t.Fatalf("%s: gradient %d is %v, want finite values", k, i, g)
			}
		}
		sameBits(t, k.String()+": weight", m.Parameters.Values, before)
	})
}
