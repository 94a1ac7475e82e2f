package model

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/softsearch-go/softsearch/kernels"
)

// sentencesOf returns n sentences of 1 to source words with limits of 1 to length.
func sentencesOf(seed uint64, c Config, n, source, length int) []Sentence {
	r, list := newRand(seed), make([]Sentence, n)
	for i := range list {
		list[i] = Sentence{randomWords(r, 1+r.IntN(source), c.SourceVocab), 1 + r.IntN(length)}
	}
	return list
}

// clone returns a translation that outlives the next call.
func clone(r Translation) Translation {
	r.IDs = slices.Clone(r.IDs)
	r.Alignment.Data = slices.Clone(r.Alignment.Data)
	return r
}

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

func sameTranslation(t *testing.T, what string, got, want Translation) {
	t.Helper()
	if !slices.Equal(got.IDs, want.IDs) || math.Float64bits(got.LogProb) != math.Float64bits(want.LogProb) {
		t.Errorf("%s: got %v of %x, want %v of %x", what, got.IDs, got.LogProb, want.IDs, want.LogProb)
	}
	if math.Float64bits(got.Score) != math.Float64bits(want.Score) {
		t.Errorf("%s: score %x, want %x", what, got.Score, want.Score)
	}
	if got.Alignment.Rows != want.Alignment.Rows || got.Alignment.Cols != want.Alignment.Cols {
		t.Errorf("%s: alignment of %d×%d, want %d×%d", what, got.Alignment.Rows, got.Alignment.Cols, want.Alignment.Rows, want.Alignment.Cols)
	}
	sameBits(t, what+": alignment", got.Alignment.Data, want.Alignment.Data)
}

// TestTranslateBatchSameBits compares translations in a batch, in the batch in reverse, in
// parts of the batch and alone, with one translator after the other and in one of another
// capacity.
func TestTranslateBatchSameBits(t *testing.T) {
	eachVariant(t, smallConfig, func(t *testing.T, c Config) {
		eachImpl(t, func(t *testing.T, k kernels.Impl) {
			for _, beam := range []int{1, 2, 5, 8} {
				m := randomModel(t, c, 60+uint64(beam), 0.6)
				checkBatch(t, k, m, beam, sentencesOf(61, c, 23, 9, 8))
			}
		})
	})
}

func checkBatch(t *testing.T, k kernels.Impl, m *Model, beam int, batch []Sentence) {
	t.Helper()
	tr, err := NewBeam(k, Options{Beam: beam}, Capacity{len(batch) + 2, 11, 9}, m)
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
	eachVariant(t, tinyConfig, func(t *testing.T, c Config) {
		for seed := range uint64(60) {
			m := randomModel(t, c, seed, 1.5)
			for _, beam := range []int{2, 3} {
				checkBatch(t, kernels.Best(), m, beam, sentencesOf(seed, c, 13, 5, 7))
			}
		}
	})
}

// TestStepperSources runs hypotheses of several sources together, chosen anew after each
// step, and each path of words by itself.
func TestStepperSources(t *testing.T) {
	eachVariant(t, smallConfig, func(t *testing.T, c Config) {
		eachImpl(t, func(t *testing.T, k kernels.Impl) { checkSources(t, k, randomModel(t, c, 62, 0.4)) })
	})
}

func checkSources(t *testing.T, k kernels.Impl, m *Model) {
	t.Helper()
	type path struct {
		source int
		words  []int32
	}
	r, sources, paths := newRand(63), make([][]int32, 5), make([]path, 5)
	for i := range sources {
		sources[i], paths[i] = randomWords(r, 1+(7*i)%9, m.Config.SourceVocab), path{i, nil}
	}
	together, err := NewStepper(k, m, 6, 14, 9)
	if err != nil {
		t.Fatal(err)
	}
	if err := together.Begin(sources...); err != nil {
		t.Fatal(err)
	}
	alone, words := newStepper(t, k, m, 1, 9), []int32{-1, -1, -1, -1, -1}
	for _, n := range []int{14, 6, 2, 13, 0} {
		scores := stepOn(t, together, words...)
		for i, p := range paths {
			begin(t, alone, sources[p.source])
			want := stepOn(t, alone, -1)
			for _, word := range p.words {
				want = stepOn(t, alone, word)
			}
			what := fmt.Sprintf("%s: hypothesis %d of %d, %v of source %d: ", k, i, len(paths), p.words, p.source)
			sameBits(t, what+"score", scores.Row(i), want.Row(0))
			sameBits(t, what+"weight", together.Weights(i), alone.Weights(0))
		}
		parents, next := make([]int, n), make([]path, n)
		words = make([]int32, n)
		for i := range n {
			parents[i], words[i] = r.IntN(len(paths)), int32(r.IntN(m.Config.TargetVocab))
			from := paths[parents[i]]
			next[i] = path{from.source, append(slices.Clone(from.words), words[i])}
		}
		keep(t, together, parents...)
		paths = next
	}
}

func TestTranslateBatchErrors(t *testing.T) {
	k, m := kernels.Best(), randomModel(t, smallConfig, 64, 0.4)
	for _, c := range []Capacity{{0, 4, 4}, {-1, 4, 4}} {
		_, err := NewBeam(k, Options{Beam: 2}, c, m)
		checkError(t, fmt.Sprint("capacity ", c), err, ErrConfig)
	}
	tr, err := NewBeam(k, Options{Beam: 3}, Capacity{2, 4, 5}, m)
	if err != nil {
		t.Fatal(err)
	}
	good := Sentence{[]int32{1, 2, 0}, 5}
	want := translateBatch(t, tr, []Sentence{good, good})
	_, err = tr.TranslateBatch(t.Context(), nil)
	checkError(t, "no sentence", err, ErrExample, "no source sentence")
	_, err = tr.TranslateBatch(t.Context(), []Sentence{good, good, good})
	checkError(t, "3 sentences", err, ErrCapacity, "3 source sentences", "of 2")
	for _, e := range badSources {
		_, err := tr.TranslateBatch(t.Context(), []Sentence{good, {e.source, 5}})
		checkError(t, e.name, err, e.is, append(e.says, "sentence 1")...)
	}
	for _, length := range []int{0, -1, 6} {
		_, err := tr.TranslateBatch(t.Context(), []Sentence{good, {good.Source, length}})
		checkError(t, fmt.Sprint("length ", length), err, ErrCapacity, fmt.Sprint(length), "sentence 1", "of 1 to 5")
	}
	got := translateBatch(t, tr, []Sentence{good, good})
	for i := range got {
		sameTranslation(t, "after errors", got[i], want[i])
	}
}

// TestTranslateThreadsSameBits translates with teams, at sizes whose products a team divides.
func TestTranslateThreadsSameBits(t *testing.T) {
	c := Config{Kind: RNNsearch, Order: UpdateFirst, SourceVocab: 301, TargetVocab: 907, Embedding: 49, Hidden: 67, Alignment: 41, Maxout: 48}
	m, batch := randomModel(t, c, 65, 0.3), sentencesOf(66, c, 9, 12, 8)
	results := func(k kernels.Impl) []Translation {
		tr, err := NewBeam(k, Options{Beam: 4}, Capacity{len(batch), 12, 8}, m)
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
