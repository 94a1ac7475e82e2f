package decode

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/internal/fixture"
	"github.com/softsearch-go/softsearch/model/text"
)

// sumBound bounds the difference of two sums of n log-probabilities of magnitude p: each
// term is rounded to float32 once or twice (relative 2⁻²⁴), as are the scores of magnitude
// s from which the search subtracts the logarithm of their sum.
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

// TestTranslationAgrees compares LogProb and Alignment with those of a scorer that is given the
// translation, and checks that each row of the alignment is a distribution.
func TestTranslationAgrees(t *testing.T) {
	const length, beam = 8, 5
	eachVariant(t, smallConfig, func(t *testing.T, c model.Config) {
		eachImpl(t, func(t *testing.T, k kernels.Impl) {
			for seed := range uint64(8) {
				m := randomModel(t, c, seed, 0.5)
				tr := searcherOf(t, k, Options{Beam: beam}, capacityFor(1, 12, length), m)
				source := randomWords(newRand(seed), 1+int(seed), c.SourceVocab)
				got := tr.one(t, source, length)
				what := fmt.Sprintf("%s: model %d: ", k, seed)

				batch := []text.Example{{Source: source, Target: got.IDs}}
				w := newScorerFor(t, k, m, batch)
				want := -lossOf(t, w, batch)
				// The weights have deviation 0.5, so scores are below 100.
				if !(math.Abs(got.LogProb-want) <= sumBound(len(got.IDs), -want, 100)) {
					t.Errorf("%sLogProb: got %v, want %v", what, got.LogProb, want)
				}
				sum := 0.0
				for _, p := range got.LogProbs {
					sum += p
				}
				if !(math.Abs(sum-got.LogProb) <= 1e-12*math.Abs(sum)) {
					t.Errorf("%sLogProb: got %v, the sum of LogProbs is %v", what, got.LogProb, sum)
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
		// Each of at most 12 values has a relative error of 2⁻²³, and so does their sum.
		if !(math.Abs(sum-1) <= 1e-6) {
			t.Errorf("%sα of word %d: sum %v, want 1", what, i, sum)
		}
	}
}

// TestBeamTies gives all words the same score: the earlier hypothesis and the lower id win.
func TestBeamTies(t *testing.T) {
	m := randomModel(t, smallConfig, 23, 0)
	for _, beam := range []int{1, 3, 30} {
		tr := searcherOf(t, kernels.Best(), Options{Beam: beam}, capacityFor(1, 2, 3), m)
		setBias(m, int(text.EOS), 0)
		if r := tr.one(t, []int32{1, 0}, 3); !slices.Equal(r.IDs, []int32{0}) {
			t.Errorf("beam %d: got %v, want [0]", beam, r.IDs)
		}
		setBias(m, int(text.EOS), -90)
		want := []int32{1, 1, 1}
		if beam == 30 {
			want = []int32{0} // all 26 others and EOS are kept: EOS is the one that finishes
		}
		if r := tr.one(t, []int32{1, 0}, 3); !slices.Equal(r.IDs, want) {
			t.Errorf("beam %d without EOS: got %v, want %v", beam, r.IDs, want)
		}
	}
}

// TestJoin lets sentences join a beam at random steps, as there is room, and compares them with those
// of beams for one sentence. The room is so small that the history moves.
func TestJoin(t *testing.T) {
	eachVariant(t, smallConfig, func(t *testing.T, c model.Config) {
		eachImpl(t, func(t *testing.T, k kernels.Impl) {
			for _, width := range []int{1, 4} {
				if n := join(t, k, width, ensembleOf(t, c, 1+width%2, 63, 0.6), sentencesOf(64, c, 40, 9, 8)); n < 20 {
					t.Errorf("%s: beam %d: %d of 40 sentences joined others", k, width, n)
				}
			}
		})
	})
}

// TestJoinEnds has models of 4 words, one of them EOS, so that hypotheses finish at every step and some
// of the best ones late.
func TestJoinEnds(t *testing.T) {
	models := uint64(15)
	if fixture.Full() {
		models = 60
	}
	eachVariant(t, tinyConfig, func(t *testing.T, c model.Config) {
		joined := 0
		for seed := range models {
			for _, width := range []int{1, 2, 3} {
				joined += join(t, kernels.Best(), width, ensembleOf(t, c, 1, seed, 1.5), sentencesOf(seed, c, 13, 5, 7))
			}
		}
		if joined < 3*int(models) {
			t.Errorf("%d sentences joined others, want more", joined)
		}
	})
}

// join translates a list by one beam, compares the results and returns how many sentences joined others.
func join(t *testing.T, k kernels.Impl, width int, models []*model.Model, list []Sentence) (joined int) {
	t.Helper()
	o := Options{Beam: width, NBest: min(width, 2)}
	want, b, r := aloneOf(t, k, o, list, models...), searcherOf(t, k, o, capacityFor(3, 9, 8), models...), newRand(65)
	waiting, left := make([]*task, len(list)), len(list)
	for i, s := range list {
		waiting[i] = &task{mode: translate{}, ctx: t.Context(), index: i, source: s.Source, maxLength: s.MaxLength, wanted: o.NBest}
		waiting[i].need = need(width, len(s.Source), s.MaxLength, len(b.alpha) > 0)
		waiting[i].done = func(k *task, err error) {
			if left--; err != nil {
				t.Error(err)
			}
			sameList(t, fmt.Sprintf("%s: beam %d: sentence %d", b.kernels, width, i), k.results, want[i])
		}
	}
	for left > 0 {
		for r.IntN(2) == 0 && len(waiting) > 0 && b.admit(waiting[0]) {
			waiting = waiting[1:]
			if len(b.searches) > 0 {
				joined++
			}
		}
		if b.join(); b.used.rows > 0 {
			b.step()
		}
	}
	if b.used != (capacity{}) {
		t.Errorf("after the last sentence %+v is in use", b.used)
	}
	return joined
}
