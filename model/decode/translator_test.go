package decode

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/text"
)

func newTranslator(t testing.TB, k kernels.Impl, m *model.Model, beam, source, length int) *Beam {
	t.Helper()
	tr, err := NewBeam(k, Options{Beam: beam}, capacityFor(1, source, length), m)
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

func translate(t testing.TB, tr *Beam, source []int32, length int) Translation {
	t.Helper()
	r, err := tr.Translate(t.Context(), source, length)
	if err != nil {
		t.Fatal(err)
	}
	return r[0]
}

// sumBound bounds the difference of two sums of n log-probabilities of magnitude p: each
// term is rounded to float32 once or twice (relative 2⁻²⁴), as are the scores of magnitude
// s from which Translator subtracts the logarithm of their sum.
func sumBound(n int, p, s float64) float64 { return float64(2*n) * 0x1p-24 * (p + s + 1) }

// translations returns all translations of up to length words that end with EOS.
func translations(vocabulary, length int) [][]int32 {
	var list [][]int32
	unfinished := [][]int32{nil}
	for range length {
		var next [][]int32
		for _, words := range unfinished {
			list = append(list, append(slices.Clone(words), text.EOS))
			for w := int32(1); int(w) < vocabulary; w++ {
				next = append(next, append(slices.Clone(words), w))
			}
		}
		unfinished = next
	}
	return list
}

// TestBeamExhaustive compares a beam that drops nothing with all translations of up to 4
// words. Some models have an optimum that greedy search misses.
func TestBeamExhaustive(t *testing.T) {
	const length, models = 4, 20
	all := translations(tinyConfig.TargetVocab, length)
	eachVariant(t, tinyConfig, func(t *testing.T, c model.Config) {
		eachImpl(t, func(t *testing.T, k kernels.Impl) {
			missed, long := 0, 0
			for seed := range uint64(models) {
				m := randomModel(t, c, seed, 1)
				source := randomWords(newRand(seed), 1+int(seed)%5, c.SourceVocab)
				best, score := exhaustive(t, k, m, source, all)
				got := translate(t, newTranslator(t, k, m, 4*4*4*4, 5, length), source, length)
				// The weights have deviation 1: a score is below 100.
				if !slices.Equal(got.IDs, best) || !(math.Abs(got.LogProb-score) <= sumBound(length, -score, 100)) {
					t.Errorf("%s: model %d: got %v of %v, want %v of %v", k, seed, got.IDs, got.LogProb, best, score)
				}
				if greedy := translate(t, newTranslator(t, k, m, 1, 5, length), source, length); !slices.Equal(greedy.IDs, best) {
					missed++
				}
				if len(best) > 2 {
					long++
				}
			}
			if missed == 0 || long == 0 {
				t.Errorf("%s: greedy search misses %d and %d are longer than 2 words of %d optima, want some of each", k, missed, long, models)
			}
		})
	})
}

// exhaustive returns the most probable of all translations.
func exhaustive(t *testing.T, k kernels.Impl, m *model.Model, source []int32, all [][]int32) (best []int32, score float64) {
	t.Helper()
	batch := make([]text.Example, len(all))
	for i, words := range all {
		batch[i] = text.Example{Source: source, Target: words}
	}
	w := newScorerFor(t, k, m, batch)
	lossOf(t, w, batch)
	score = math.Inf(-1)
	for i, words := range all {
		sum := 0.0
		for _, p := range logProbabilities(t, w, i, len(words)) {
			sum += float64(p)
		}
		if sum > score {
			best, score = words, sum
		}
	}
	return best, score
}

// TestGreedy compares a beam of 1 with the highest score of each step.
func TestGreedy(t *testing.T) {
	const length = 9
	eachVariant(t, smallConfig, func(t *testing.T, c model.Config) {
		eachImpl(t, func(t *testing.T, k kernels.Impl) {
			for seed := range uint64(10) {
				m := randomModel(t, c, seed, 0.7)
				source := randomWords(newRand(seed), 1+int(seed), c.SourceVocab)
				s := newStepper(t, k, m, len(source))
				begin(t, s, source)
				var want []int32
				last := int32(-1)
				for len(want) < length && last != text.EOS {
					scores := stepOn(t, s, last).Row(0)
					last = int32(slices.Index(scores, slices.Max(scores)))
					want = append(want, last)
				}
				got := translate(t, newTranslator(t, k, m, 1, 10, length), source, length)
				if !slices.Equal(got.IDs, want) {
					t.Errorf("%s: model %d: got %v, want %v", k, seed, got.IDs, want)
				}
			}
		})
	})
}

// TestTranslationAgrees holds LogProb and Alignment against a workspace that is given the
// words, and the alignment against the form of a softmax.
func TestTranslationAgrees(t *testing.T) {
	const length, beam = 8, 5
	eachVariant(t, smallConfig, func(t *testing.T, c model.Config) {
		eachImpl(t, func(t *testing.T, k kernels.Impl) {
			for seed := range uint64(8) {
				m := randomModel(t, c, seed, 0.5)
				tr := newTranslator(t, k, m, beam, 12, length)
				source := randomWords(newRand(seed), 1+int(seed), c.SourceVocab)
				got := translate(t, tr, source, length)
				what := fmt.Sprintf("%s: model %d: ", k, seed)

				batch := []text.Example{{Source: source, Target: got.IDs}}
				w := newScorerFor(t, k, m, batch)
				want := -lossOf(t, w, batch)
				// The weights have deviation 0.5: a score is below 100.
				if !(math.Abs(got.LogProb-want) <= sumBound(len(got.IDs), -want, 100)) {
					t.Errorf("%sLogProb: got %v, want %v", what, got.LogProb, want)
				}
				sameBits(t, what+"alignment", got.Alignment.Data, alignment(t, m.Config.Kind, w, 0, batch[0]))
				checkAlignment(t, what, c, got, len(source))
			}
		})
	})
}

func checkAlignment(t *testing.T, what string, c model.Config, r Translation, source int) {
	t.Helper()
	a := r.Alignment
	if c.Kind == model.RNNencdec {
		if a.Rows != 0 {
			t.Errorf("%salignment of RNNencdec: got %d rows, want 0", what, a.Rows)
		}
		return
	}
	if a.Rows != len(r.IDs) || a.Cols != source {
		t.Fatalf("%salignment: got %d×%d, want %d×%d", what, a.Rows, a.Cols, len(r.IDs), source)
	}
	for i := range a.Rows {
		sum := 0.0
		for j, v := range a.Row(i) {
			if !(v >= 0 && v <= 1) {
				t.Errorf("%sα of word %d and position %d: got %v, want 0 to 1", what, i, j, v)
			}
			sum += float64(v)
		}
		// Each of at most 12 values is off by 2⁻²³ of itself, their sum by as much.
		if !(math.Abs(sum-1) <= 1e-6) {
			t.Errorf("%sα of word %d: sum %v, want 1", what, i, sum)
		}
	}
}
