package decode

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/grammar"
	"github.com/softsearch-go/softsearch/model/text"
)

// The hashes of the tests in this file. They hold on every machine; they change with the
// expression of any kernel.
const (
	runHash      = "94fa9bb8edff7f1c"
	int8Hash     = "670b82f97d9ab662"
	bf16Hash     = "0cfe0d972bc28787"
	decodingHash = "a94860fa57d5e383"
	streamHash   = "49a7d241a7f99f96"
)

// tinyFile is a model file that every machine writes with the same bytes.
const tinyFile = "../testdata/tiny.safetensors"

// TestMachines trains and translates like a program, and checks the hashes of all results: in float32,
// with the trained weights in int8, and trained with products of bfloat16.
func TestMachines(t *testing.T) {
	train, heldOut := grammar.Pairs(10, 144, 10)
	train = slices.DeleteFunc(train, func(p text.Pair) bool { return max(len(p.Source), len(p.Target)) > 12 })
	everyImpl(t, func(t *testing.T, k kernels.Impl) {
		m, float := float32Run(t, k, train, heldOut)
		for _, run := range []struct{ name, got, want string }{
			{"float32", float.String(), runHash},
			{"int8", int8Run(t, k, m, heldOut).String(), int8Hash},
			{"bf16", bf16Run(t, k, train, heldOut).String(), bf16Hash},
		} {
			t.Logf("%s: hash of %s %s", k, run.name, run.got)
			if run.got != run.want {
				t.Errorf("%s: hash of %s %s, want %s", k, run.name, run.got, run.want)
			}
		}
	})
}

// float32Run returns a trained model, and the hash of initial weights, losses, trained weights,
// translations and the model file.
func float32Run(t *testing.T, k kernels.Impl, train, heldOut []text.Pair) (*model.Model, digest) {
	t.Helper()
	d, m := newDigest(), newRunModel(t, train)
	initial, err := model.New(m.Config, 16)
	if err != nil {
		t.Fatal(err)
	}
	d.floats(initial.Parameters.Values)
	trainRun(t, k, d, m, model.Hyperparameters{}, train)
	d.floats(m.Parameters.Values)
	translateRun(t, k, d, m, heldOut)
	file := written(t, m)
	d.Write(file)
	checkRead(t, file, m)
	return m, d
}

// int8Run returns the hash of translations and the model file of m with weights of int8.
func int8Run(t *testing.T, k kernels.Impl, m *model.Model, heldOut []text.Pair) digest {
	t.Helper()
	d, q := newDigest(), quantized(t, m)
	translateRun(t, k, d, q, heldOut)
	file := written(t, q)
	d.Write(file)
	checkRead(t, file, q)
	return d
}

// bf16Run returns the hash of losses, weights and translations of a training with products of bfloat16.
func bf16Run(t *testing.T, k kernels.Impl, train, heldOut []text.Pair) digest {
	t.Helper()
	d, m := newDigest(), newRunModel(t, train)
	trainRun(t, k, d, m, model.Hyperparameters{Precision: model.BF16}, train)
	d.floats(m.Parameters.Values)
	translateRun(t, k, d, m, heldOut)
	return d
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

// trainRun trains on batches of the pairs, checks that the loss per word falls, and adds the losses to d.
func trainRun(t *testing.T, k kernels.Impl, d digest, m *model.Model, recipe model.Hyperparameters, pairs []text.Pair) {
	t.Helper()
	const sentences, updates = 12, 12
	examples := text.Examples(pairs, m.Source, m.Target)
	capacity := capacityFor(sentences, 100, 100)
	trainer, err := model.NewTrainer(k, m, recipe, capacity)
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
	if first, last := mean(losses[:4]), mean(losses[updates-4:]); !(last < first) {
		t.Errorf("%s: loss per word: first %g, last %g, want it to fall", k, first, last)
	}
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

// TestMachinesDecoding checks the hash of an n-best list by an ensemble, ranked by normalized
// scores.
func TestMachinesDecoding(t *testing.T) {
	m, err := model.Open(tinyFile)
	if err != nil {
		t.Fatal(err)
	}
	models := append(ensembleOf(t, m.Config, 2, 98, 0.5), m)
	d := Options{Beam: 5, NBest: 4, Normalization: new(0.7), MinLength: 2, ForbidUNK: true}
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

// TestMachinesStream checks the hash of streams with normalized scores and of their perplexity. Each ends
// with the bits of the translation by a beam of 1.
func TestMachinesStream(t *testing.T) {
	m, err := model.Open(tinyFile)
	if err != nil {
		t.Fatal(err)
	}
	everyImpl(t, func(t *testing.T, k kernels.Impl) {
		tr, d := newTranslator(t, Options{Normalization: new(0.7), Kernels: &k}, m), newDigest()
		for i, s := range sentencesOf(101, m.Config, 8, 9, 12) {
			if s.Beam, s.MaxLength = 1, 12; i%4 == 0 {
				s.Prefix = []int32{3, 4}
			}
			want, err := one(t, tr, s)
			if err != nil {
				t.Fatal(err)
			}
			var got Word
			for w, err := range tr.StreamWords(t.Context(), s) {
				if err != nil {
					t.Fatal(err)
				}
				got = w
				d.number(uint64(w.ID))
				for _, v := range []float64{w.LogProb, w.SoFar.LogProb, w.SoFar.Score} {
					d.number(math.Float64bits(v))
				}
			}
			if got.SoFar.LogProb != want[0].LogProb || got.SoFar.Score != want[0].Score {
				t.Errorf("%s: sentence %d: log p %v and score %v, want %v and %v", k, i, got.SoFar.LogProb, got.SoFar.Score, want[0].LogProb, want[0].Score)
			}
			d.number(math.Float64bits(Perplexity(got.SoFar.LogProb, len(want[0].IDs))))
		}
		if got := d.String(); got != streamHash {
			t.Errorf("%s: hash of streams %s, want %s", k, got, streamHash)
		}
	})
}
