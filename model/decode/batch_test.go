package decode

import (
	"fmt"
	"slices"
	"testing"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model"
)

// translateBatch returns translations that outlive the next call.
func translateBatch(t testing.TB, tr *Beam, batch []Sentence) []Translation {
	t.Helper()
	results, err := tr.TranslateBatch(t.Context(), batch)
	if err != nil {
		t.Fatal(err)
	}
	if len(results) != len(batch) {
		t.Fatalf("%d translations of %d sentences", len(results), len(batch))
	}
	list := make([]Translation, len(results))
	for i, best := range results {
		list[i] = clone(best[0])
	}
	return list
}

// TestTranslateBatchSameBits compares translations in a batch, in the batch in reverse, in
// parts of the batch and alone, with one translator after the other and in one of another
// capacity.
func TestTranslateBatchSameBits(t *testing.T) {
	eachVariant(t, smallConfig, func(t *testing.T, c model.Config) {
		eachImpl(t, func(t *testing.T, k kernels.Impl) {
			for _, beam := range []int{1, 2, 5, 8} {
				m := randomModel(t, c, 60+uint64(beam), 0.6)
				checkBatch(t, k, m, beam, sentencesOf(61, c, 23, 9, 8))
			}
		})
	})
}

func checkBatch(t *testing.T, k kernels.Impl, m *model.Model, beam int, batch []Sentence) {
	t.Helper()
	tr, err := NewBeam(k, Options{Beam: beam}, capacityFor(len(batch)+2, 11, 9), m)
	if err != nil {
		t.Fatal(err)
	}
	want := make([]Translation, len(batch))
	for i, s := range batch {
		want[i] = clone(translate(t, newTranslator(t, k, m, beam, len(s.Source), s.MaxLength), s.Source, s.MaxLength))
	}
	compare := func(what string, results []Translation, sentence func(i int) int) {
		t.Helper()
		for i, r := range results {
			sameTranslation(t, fmt.Sprintf("%s: beam %d: sentence %d %s", k, beam, sentence(i), what), r, want[sentence(i)])
		}
	}
	reversed := slices.Clone(batch)
	slices.Reverse(reversed)
	compare("in the batch", translateBatch(t, tr, batch), func(i int) int { return i })
	compare("in reverse order", translateBatch(t, tr, reversed), func(i int) int { return len(batch) - 1 - i })
	for from := 0; from < len(batch); from += 1 + from {
		part := batch[from:min(2*from+1, len(batch))]
		compare("in a part", translateBatch(t, tr, part), func(i int) int { return from + i })
	}
	for i := range batch {
		compare("alone", translateBatch(t, tr, batch[i:i+1]), func(int) int { return i })
	}
}

// TestTranslateBatchEnds has models of 4 words, one of which is EOS: hypotheses finish at all
// times, and some of the best only after others.
func TestTranslateBatchEnds(t *testing.T) {
	eachVariant(t, tinyConfig, func(t *testing.T, c model.Config) {
		for seed := range uint64(60) {
			m := randomModel(t, c, seed, 1.5)
			for _, beam := range []int{2, 3} {
				checkBatch(t, kernels.Best(), m, beam, sentencesOf(seed, c, 13, 5, 7))
			}
		}
	})
}

func TestTranslateBatchErrors(t *testing.T) {
	k, m := kernels.Best(), randomModel(t, smallConfig, 64, 0.4)
	for _, c := range []model.Capacity{capacityFor(0, 4, 4), capacityFor(-1, 4, 4)} {
		_, err := NewBeam(k, Options{Beam: 2}, c, m)
		checkError(t, fmt.Sprint("capacity ", c), err, model.ErrConfig)
	}
	tr, err := NewBeam(k, Options{Beam: 3}, capacityFor(2, 4, 5), m)
	if err != nil {
		t.Fatal(err)
	}
	good := Sentence{[]int32{1, 2, 0}, 5}
	want := translateBatch(t, tr, []Sentence{good, good})
	_, err = tr.TranslateBatch(t.Context(), nil)
	checkError(t, "no sentence", err, model.ErrExample, "no source sentence")
	_, err = tr.TranslateBatch(t.Context(), []Sentence{good, good, good})
	checkError(t, "3 sentences", err, model.ErrCapacity, "3 source sentences", "of 2")
	for _, e := range badSources {
		_, err := tr.TranslateBatch(t.Context(), []Sentence{good, {e.source, 5}})
		checkError(t, e.name, err, e.is, append(e.says, "sentence 1")...)
	}
	for _, length := range []int{0, -1, 6} {
		_, err := tr.TranslateBatch(t.Context(), []Sentence{good, {good.Source, length}})
		checkError(t, fmt.Sprint("length ", length), err, model.ErrCapacity, fmt.Sprint(length), "sentence 1", "of 1 to 5")
	}
	got := translateBatch(t, tr, []Sentence{good, good})
	for i := range got {
		sameTranslation(t, "after errors", got[i], want[i])
	}
}

// TestTranslateThreadsSameBits translates with teams, at sizes whose products a team divides.
func TestTranslateThreadsSameBits(t *testing.T) {
	c := model.Config{Kind: model.RNNsearch, Order: model.UpdateFirst, SourceVocab: 301, TargetVocab: 907, Embedding: 49, Hidden: 67, Alignment: 41, Maxout: 48}
	m, batch := randomModel(t, c, 65, 0.3), sentencesOf(66, c, 9, 12, 8)
	results := func(k kernels.Impl) []Translation {
		tr, err := NewBeam(k, Options{Beam: 4}, capacityFor(len(batch), 12, 8), m)
		if err != nil {
			t.Fatal(err)
		}
		return translateBatch(t, tr, batch)
	}
	want := results(kernels.Best())
	for _, threads := range []int{1, 2, 3} {
		team := kernels.NewTeam(threads)
		for i, r := range results(kernels.Best().With(team)) {
			sameTranslation(t, fmt.Sprintf("%d threads: sentence %d", threads, i), r, want[i])
		}
		team.Close()
	}
}
