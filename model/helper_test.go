package model

import (
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model/text"
)

// full is fixture.Full, which imports this package.
func full() bool { return os.Getenv("SOFTSEARCH_TEST") == "full" }

// eachImpl runs f once for each implementation that this machine supports in full tests, otherwise for the fastest and
// the slowest but portable Go.
func eachImpl(t *testing.T, f func(t *testing.T, k kernels.Impl)) {
	t.Helper()
	list := kernels.Available()
	if n := len(list); !full() && n > 1 {
		list = slices.Compact([]kernels.Impl{list[0], list[n-2]})
	}
	for _, k := range list {
		t.Run(k.String(), func(t *testing.T) { f(t, k) })
	}
}

func newRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 1409)) }

// smallConfig has no size that is a multiple of 8, and 2·Maxout is above 16.
var smallConfig = Config{
	Kind: RNNsearch, Order: UpdateFirst,
	SourceVocab: 21, TargetVocab: 27, Embedding: 7, Hidden: 13, Alignment: 11, Maxout: 9,
}

// tinyConfig has very small vocabularies.
var tinyConfig = Config{
	Kind: RNNsearch, Order: UpdateFirst,
	SourceVocab: 9, TargetVocab: 4, Embedding: 3, Hidden: 5, Alignment: 6, Maxout: 3,
}

// variants returns c in both kinds and both orders, and with Dot and General in one order each.
func variants(c Config) []Config {
	var list []Config
	for _, v := range []Config{
		{Kind: RNNsearch, Order: UpdateFirst}, {Kind: RNNsearch, Order: PredictFirst},
		{Kind: RNNencdec, Order: PredictFirst}, {Kind: RNNencdec, Order: UpdateFirst},
		{Kind: RNNsearch, Order: PredictFirst, AlignmentModel: Dot}, {Kind: RNNsearch, Order: UpdateFirst, AlignmentModel: General},
	} {
		c.Kind, c.Order = v.Kind, v.Order
		list = append(list, withAlignment(c, v.AlignmentModel))
	}
	return list
}

// withAlignment returns c with alignment model a and as many units as a needs.
func withAlignment(c Config, a AlignmentModel) Config {
	c.AlignmentModel = a
	if a != Additive {
		c.Alignment = c.Hidden
	}
	return c
}

// nameOf returns the name of one of the variants.
func nameOf(c Config) string {
	name := string(c.Kind) + "/" + string(c.Order)
	if c.AlignmentModel != Additive {
		name += "/" + string(c.AlignmentModel)
	}
	return name
}

// eachVariant runs f once for every other one of the variants, which include both kinds and both
// orders, or for each in full tests.
func eachVariant(t *testing.T, c Config, f func(t *testing.T, c Config)) {
	t.Helper()
	for i, c := range variants(c) {
		if !full() && i%2 != 0 {
			continue
		}
		t.Run(nameOf(c), func(t *testing.T) { f(t, c) })
	}
}

// randomModel returns a model with all weights, including va and biases, drawn with this
// deviation. A model of New would attend uniformly and hardly depend on the sentence.
func randomModel(t testing.TB, c Config, seed uint64, deviation float64) *Model {
	t.Helper()
	m, err := New(c, seed)
	if err != nil {
		t.Fatal(err)
	}
	r := newRand(seed)
	for _, p := range m.Parameters.tensors(c) {
		p.write(normal(r, len(p.read()), deviation))
	}
	return m
}

// parameterOf returns the tensor of that name.
func parameterOf(t testing.TB, m *Model, name string) tensor {
	t.Helper()
	for _, p := range m.Parameters.tensors(m.Config) {
		if p.name == name {
			return p
		}
	}
	t.Fatalf("no tensor %s", name)
	return tensor{}
}

// setWeight sets value i, row-major, of the tensor of that name.
func setWeight(t testing.TB, m *Model, name string, i int, v float32) {
	t.Helper()
	p := parameterOf(t, m, name)
	values := append([]float32(nil), p.read()...)
	values[i] = v
	p.write(values)
}

func randomWords(r *rand.Rand, n, vocabulary int) []int32 {
	words := make([]int32, n)
	for i := range words {
		words[i] = int32(r.IntN(vocabulary))
	}
	return words
}

// randomBatch returns n examples of up to source and target words. The first has that many.
func randomBatch(r *rand.Rand, c Config, n, source, target int) []text.Example {
	batch := make([]text.Example, n)
	for i := range batch {
		s, t := 1+r.IntN(source), 1+r.IntN(target)
		if i == 0 {
			s, t = source, target
		}
		batch[i] = text.Example{Source: randomWords(r, s, c.SourceVocab), Target: randomWords(r, t, c.TargetVocab)}
	}
	return batch
}

// differs returns the first index at which the bits of got and want differ, or -1. Slices
// of different lengths differ where the shorter one ends.
func differs(got, want []float32) int {
	for i := range min(len(got), len(want)) {
		if math.Float32bits(got[i]) != math.Float32bits(want[i]) {
			return i
		}
	}
	if len(got) != len(want) {
		return min(len(got), len(want))
	}
	return -1
}

// sameBits fails unless got and want have the same bits.
func sameBits(t testing.TB, what string, got, want []float32) {
	t.Helper()
	i := differs(got, want)
	switch {
	case i < 0:
	case len(got) != len(want):
		t.Errorf("%s: %d values, want %d", what, len(got), len(want))
	default:
		t.Errorf("%s[%d]: got %x, want %x", what, i, got[i], want[i])
	}
}

func newScorerFor(t testing.TB, k kernels.Impl, m *Model, batch []text.Example) *Scorer {
	t.Helper()
	w, err := NewScorer(k, m, capacityOf(batch))
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// scorerOf returns a scorer that shares the network of a trainer, and the results of its last
// batch.
func scorerOf(t *Trainer, last []text.Example) *Scorer {
	return &Scorer{kernels: t.kernels, model: t.model, capacity: t.capacity, network: t.network, sentences: len(last)}
}

func lossOf(t testing.TB, w *Scorer, batch []text.Example) float64 {
	t.Helper()
	loss, err := w.Loss(batch)
	if err != nil {
		t.Fatal(err)
	}
	return loss
}

// logProbabilities returns those of sentence i of the last batch, which has n words.
func logProbabilities(t testing.TB, w *Scorer, i, n int) []float32 {
	t.Helper()
	p := make([]float32, n+1)
	if got := w.LogProbabilities(p, i); got != n {
		t.Fatalf("sentence %d: %d log-probabilities, want %d", i, got, n)
	}
	return p[:n]
}

// alignment returns the weights of sentence i of the last batch, nil for RNNencdec.
func alignment(t testing.TB, w *Scorer, i int, e text.Example) []float32 {
	t.Helper()
	a := kernels.NewMatrix(len(e.Target), len(e.Source))
	rows := w.Alignment(a, i)
	if w.model.Config.Kind == RNNencdec {
		if rows != 0 {
			t.Fatalf("sentence %d: %d rows of alignment, want none", i, rows)
		}
		return nil
	}
	if rows != len(e.Target) {
		t.Fatalf("sentence %d: %d rows of alignment, want %d", i, rows, len(e.Target))
	}
	return a.Data
}

var (
	nan = float32(math.NaN())
	inf = float32(math.Inf(1))
)
