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

// A path is a hypothesis of naiveBeam.
type path struct {
	words []int32
	score float64
}

// naiveBeam is the search that beam describes, without its shortcuts: it lists and sorts all
// continuations, and recomputes the scores of every hypothesis from its first word.
func naiveBeam(t *testing.T, k kernels.Impl, m *model.Model, source []int32, beam, length int) path {
	t.Helper()
	s := newStepper(t, k, m, len(source))
	live, finished := []path{{}}, []path(nil)
	for range length {
		var all []path
		for _, p := range live {
			begin(t, s, source)
			scores := stepOn(t, s, -1).Row(0)
			for _, w := range p.words {
				scores = stepOn(t, s, w).Row(0)
			}
			base := p.score - float64(k.LogSumExp(scores))
			for w, v := range scores {
				all = append(all, path{append(slices.Clone(p.words), int32(w)), base + float64(v)})
			}
		}
		byScore(all)
		live = nil
		for _, p := range all[:min(beam-len(finished), len(all))] {
			if p.words[len(p.words)-1] == text.EOS {
				finished = append(finished, p)
			} else {
				live = append(live, p)
			}
		}
		byScore(finished)
		if len(live) == 0 || len(finished) > 0 && finished[0].score >= live[0].score {
			break
		}
	}
	return slices.Concat(finished, live)[0]
}

// byScore sorts from best to worst and is stable.
func byScore(list []path) {
	slices.SortStableFunc(list, func(a, b path) int {
		switch {
		case a.score > b.score:
			return -1
		case a.score < b.score:
			return 1
		}
		return 0
	})
}

func TestBeamAsNaive(t *testing.T) {
	for _, c := range append(variants(tinyConfig), variants(smallConfig)...) {
		name := fmt.Sprint(nameOf(c), "/", c.TargetVocab)
		t.Run(name, func(t *testing.T) {
			k, unfinished := kernels.Best(), 0
			for seed := range uint64(8) {
				m := randomModel(t, c, seed, 0.6)
				source := randomWords(newRand(seed), 4, c.SourceVocab)
				for _, beam := range []int{1, 2, 3, 7} {
					tr := searcherOf(t, k, Options{Beam: beam}, capacityFor(1, 4, 6), m)
					for _, length := range []int{1, 2, 6} {
						want, got := naiveBeam(t, k, m, source, beam, length), tr.one(t, source, length)
						if !slices.Equal(got.IDs, want.words) || got.LogProb != want.score {
							t.Errorf("%s: model %d beam %d length %d: got %v of %v, want %v of %v",
								k, seed, beam, length, got.IDs, got.LogProb, want.words, want.score)
						}
						if got.IDs[len(got.IDs)-1] != text.EOS {
							unfinished++
						}
					}
				}
			}
			if unfinished == 0 {
				t.Error("all translations are finished, want some unfinished")
			}
		})
	}
}

// TestTranslateSameBits compares the implementations of the kernels.
func TestTranslateSameBits(t *testing.T) {
	eachVariant(t, smallConfig, func(t *testing.T, c model.Config) {
		for seed := range uint64(5) {
			m := randomModel(t, c, seed, 0.5)
			source := randomWords(newRand(seed), 7, c.SourceVocab)
			want := searcherOf(t, portable(), Options{Beam: 6}, capacityFor(1, 7, 8), m).one(t, source, 8)
			for _, k := range kernels.Available() {
				got := searcherOf(t, k, Options{Beam: 6}, capacityFor(1, 9, 8), m).one(t, source, 8)
				if !slices.Equal(got.IDs, want.IDs) || math.Float64bits(got.LogProb) != math.Float64bits(want.LogProb) {
					t.Errorf("%s: model %d: got %v of %x, want %v of %x", k, seed, got.IDs, got.LogProb, want.IDs, want.LogProb)
				}
				sameBits(t, fmt.Sprintf("%s: model %d: alignment", k, seed), got.Alignment.Data, want.Alignment.Data)
			}
		}
	})
}

// TestLengthLimit makes EOS very improbable, and then very probable.
func TestLengthLimit(t *testing.T) {
	eachVariant(t, smallConfig, func(t *testing.T, c model.Config) {
		for _, beam := range []int{1, 2, 5, 40} {
			m := randomModel(t, c, 22, 0.3)
			tr := searcherOf(t, kernels.Best(), Options{Beam: beam}, capacityFor(1, 5, 7), m)
			for _, length := range []int{1, 2, 6, 7} {
				setBias(m, int(text.EOS), -60)
				r := tr.one(t, []int32{1, 2, 0}, length)
				// A beam wider than 26 keeps all words, and EOS is then the only finished
				// translation.
				if len(r.IDs) != length && beam <= 26 || len(r.IDs) > length {
					t.Errorf("beam %d length %d: got %v, want %d words", beam, length, r.IDs, length)
				}
				if i := slices.Index(r.IDs, text.EOS); i >= 0 && i != len(r.IDs)-1 {
					t.Errorf("beam %d length %d: got %v, want EOS at the end only", beam, length, r.IDs)
				}
				setBias(m, int(text.EOS), 60)
				if r := tr.one(t, []int32{1, 2, 0}, length); !slices.Equal(r.IDs, []int32{text.EOS}) {
					t.Errorf("beam %d length %d: got %v, want EOS", beam, length, r.IDs)
				}
			}
		}
	})
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

// translateBatch returns copies of the best translations of a batch.
func translateBatch(t testing.TB, tr *searcher, batch []Sentence) []Translation {
	t.Helper()
	results, err := tr.batch(t.Context(), batch)
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

func checkBatch(t *testing.T, k kernels.Impl, m *model.Model, beam int, batch []Sentence) {
	t.Helper()
	tr := searcherOf(t, k, Options{Beam: beam}, capacityFor(len(batch)+2, 11, 9), m)
	want := make([]Translation, len(batch))
	for i, s := range batch {
		want[i] = clone(searcherOf(t, k, Options{Beam: beam}, capacityFor(1, len(s.Source), s.MaxLength), m).one(t, s.Source, s.MaxLength))
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

// TestJoin lets sentences join a beam at random steps, as there is room, and compares them with those
// of beams for one sentence. The room is so small that the history moves.
func TestJoin(t *testing.T) {
	eachVariant(t, smallConfig, func(t *testing.T, c model.Config) {
		eachImpl(t, func(t *testing.T, k kernels.Impl) {
			for _, width := range []int{1, 4} {
				models, list := ensembleOf(t, c, 1+width%2, 63, 0.6), sentencesOf(64, c, 40, 9, 8)
				o := Options{Beam: width, NBest: min(width, 2)}
				want, b, r := aloneOf(t, k, o, list, models...), searcherOf(t, k, o, capacityFor(3, 9, 8), models...), newRand(65)
				waiting, joined, left := make([]*task, len(list)), 0, len(list)
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
				if joined < len(list)/2 || b.used != (capacity{}) {
					t.Errorf("%d of %d sentences joined others; after the last %+v is in use", joined, len(list), b.used)
				}
			}
		})
	})
}

// TestTranslateBatchEnds compares translations in a batch, in the reversed batch, in parts of the batch
// and alone, in the same beam, with those by beams that hold one sentence. The models have 4 words, one
// of them EOS, so that hypotheses finish at every step and some of the best ones late.
func TestTranslateBatchEnds(t *testing.T) {
	eachVariant(t, tinyConfig, func(t *testing.T, c model.Config) {
		models := uint64(15)
		if fixture.Full() {
			models = 60
		}
		for seed := range models {
			m := randomModel(t, c, seed, 1.5)
			for _, beam := range []int{1, 2, 3} {
				checkBatch(t, kernels.Best(), m, beam, sentencesOf(seed, c, 13, 5, 7))
			}
		}
	})
}
