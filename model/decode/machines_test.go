package decode

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/text"
	"github.com/softsearch-go/softsearch/model/text/grammar"
)

// The hashes of the tests in this file. They hold on every machine; they change with the
// expression of any kernel.
const (
	runHash      = "1d615bfb8c8917db"
	int8Hash     = "2821d1b191a4561d"
	fileHash     = "f9c7f3c3295949a5"
	decodingHash = "a94860fa57d5e383"
)

// tinyFile is a model file that every machine writes with the same bytes.
const tinyFile = "../testdata/tiny.safetensors"

// TestMachines trains and translates like a program, and checks the hash of all results: initial
// weights, losses, trained weights, translations and the model file. The trained model with weights of
// int8 has a hash of its own, of loss, translations and file.
func TestMachines(t *testing.T) {
	const sentences, updates = 16, 30
	train, heldOut := grammar.Pairs(10, 300, 20)
	train, _ = text.LimitLength(train, 12)
	everyImpl(t, func(t *testing.T, k kernels.Impl) {
		d := newDigest()
		m := newRunModel(t, train)
		initial, err := model.New(m.Config, 16)
		if err != nil {
			t.Fatal(err)
		}
		d.floats(initial.Parameters.Values)
		losses := trainRun(t, k, d, m, train, sentences, updates)
		if first, last := mean(losses[:5]), mean(losses[updates-5:]); !(last < first) {
			t.Errorf("%s: loss per word: first %g, last %g, want it to fall", k, first, last)
		}
		d.floats(m.Parameters.Values)
		translateRun(t, k, d, m, heldOut)
		file := written(t, m)
		d.Write(file)
		checkRead(t, file, m)
		quantized, err := m.Quantize()
		if err != nil {
			t.Fatal(err)
		}
		d8 := newDigest()
		translateRun(t, k, d8, quantized, heldOut)
		file = written(t, quantized)
		d8.Write(file)
		checkRead(t, file, quantized)
		t.Logf("%s: hash %s, int8 %s", k, d, d8)
		if d.String() != runHash {
			t.Errorf("%s: hash %s, want %s", k, d, runHash)
		}
		if d8.String() != int8Hash {
			t.Errorf("%s: hash of int8 %s, want %s", k, d8, int8Hash)
		}
	})
}

// checkRead checks that reading the file gives m.
func checkRead(t *testing.T, file []byte, m *model.Model) {
	t.Helper()
	back := read(t, file)
	if back.Config != m.Config {
		t.Errorf("config: got %+v, want %+v", back.Config, m.Config)
	}
	if !slices.Equal(back.Source.Words(), m.Source.Words()) || !slices.Equal(back.Target.Words(), m.Target.Words()) {
		t.Error("vocabularies from the file differ")
	}
	sameBits(t, "weight", back.Parameters.Values, m.Parameters.Values)
	if !bytes.Equal(written(t, back), file) {
		t.Error("the model from the file writes another file")
	}
}

// newRunModel returns a model with the words of the pairs. Its weights are so large that
// translations have different words from the first update on. No size of a product or row is a
// multiple of 16.
func newRunModel(t *testing.T, pairs []text.Pair) *model.Model {
	t.Helper()
	source, err := text.NewVocabulary(text.Sources(pairs), 1000)
	if err != nil {
		t.Fatal(err)
	}
	target, err := text.NewVocabulary(text.Targets(pairs), 1000)
	if err != nil {
		t.Fatal(err)
	}
	m := randomModel(t, model.Config{
		Kind: model.RNNsearch, Order: model.UpdateFirst, SourceVocab: source.Size(), TargetVocab: target.Size(),
		Embedding: 18, Hidden: 21, Alignment: 19, Maxout: 9,
	}, 38, 0.3)
	m.Source, m.Target = source, target
	return m
}

// trainRun trains on batches of the pairs and returns the losses per word.
func trainRun(t *testing.T, k kernels.Impl, d digest, m *model.Model, pairs []text.Pair, sentences, updates int) []float64 {
	t.Helper()
	examples := text.Examples(pairs, m.Source, m.Target)
	capacity := capacityFor(sentences, 100, 100)
	trainer, err := model.NewTrainer(k, m, model.Recipe{}, capacity)
	if err != nil {
		t.Fatal(err)
	}
	batches := text.NewBatcher(examples, sentences, 17)
	losses := make([]float64, updates)
	for i := range losses {
		batch := batches.Next()
		loss, err := trainer.Update(batch)
		if err != nil {
			t.Fatal(err)
		}
		d.number(math.Float64bits(loss))
		words := 0
		for _, e := range batch {
			words += len(e.Target)
		}
		losses[i] = loss / float64(words)
	}
	return losses
}

func mean(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}

// translateRun adds the loss of the pairs and the translations of their sources, by a beam of 3, to
// d.
func translateRun(t *testing.T, k kernels.Impl, d digest, m *model.Model, pairs []text.Pair) {
	t.Helper()
	const longest = 100
	batch := text.Examples(pairs, m.Source, m.Target)
	d.number(math.Float64bits(lossOf(t, newScorerFor(t, k, m, batch), batch)))
	tr := searcherOf(t, k, Options{Beam: 3}, capacityFor(1, longest, longest), m)
	words := 0
	for _, e := range batch {
		r := tr.one(t, e.Source, longest)
		d.translation(r)
		d.Write([]byte(strings.Join(m.Target.Decode(r.IDs), " ")))
		words += len(r.IDs) - 1
	}
	if words < 2*len(pairs) {
		t.Errorf("%s: %d translations have %d words in all, want twice as many", k, len(pairs), words)
	}
}

// TestMachinesFile translates with the model in tinyFile.
func TestMachinesFile(t *testing.T) {
	m, err := model.Open(tinyFile)
	if err != nil {
		t.Fatal(err)
	}
	everyImpl(t, func(t *testing.T, k kernels.Impl) {
		d := newDigest()
		d.translation(searcherOf(t, k, Options{Beam: 4}, capacityFor(1, 9, 12), m).one(t, []int32{5, 2, 8, 3, 7, 4, 6, 5, 0}, 12))
		if got := d.String(); got != fileHash {
			t.Errorf("%s: translation of the model in %s: hash %s, want %s", k, tinyFile, got, fileHash)
		}
	})
}

// TestMachinesDecoding checks the hash of an n-best list by an ensemble, ranked by normalized
// scores.
func TestMachinesDecoding(t *testing.T) {
	m, err := model.Open(tinyFile)
	if err != nil {
		t.Fatal(err)
	}
	models := append(ensembleOf(t, m.Config, 2, 98, 0.5), m)
	d := Options{Beam: 5, NBest: 4, Normalization: 0.7, MinLength: 2, ForbidUNK: true}
	everyImpl(t, func(t *testing.T, k kernels.Impl) {
		tr := searcherOf(t, k, d, capacityFor(1, 9, 12), models...)
		best := tr.best(t, []int32{5, 2, 8, 3, 7, 4, 6, 5, 0}, 12)
		hash := newDigest()
		for _, r := range best {
			hash.translation(r)
			hash.number(math.Float64bits(r.Score))
		}
		if got := hash.String(); got != decodingHash {
			t.Errorf("%s: hash %s, want %s", k, got, decodingHash)
		}
	})
}
