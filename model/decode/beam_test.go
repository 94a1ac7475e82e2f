package decode

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/text"
)

// A path is a hypothesis of naiveBeam.
type path struct {
	words []int32
	score float64
}

// naiveBeam is the search that Translator describes: it lists and sorts all continuations
// and computes the scores of every hypothesis from its first word on.
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

// byScore sorts from the best to the worst, equals as they were.
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
					tr := newTranslator(t, k, m, beam, 4, 6)
					for _, length := range []int{1, 2, 6} {
						want, got := naiveBeam(t, k, m, source, beam, length), translate(t, tr, source, length)
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
				t.Error("every translation is finished, want some that are not")
			}
		})
	}
}

// TestTranslateSameBits compares the implementations.
func TestTranslateSameBits(t *testing.T) {
	eachVariant(t, smallConfig, func(t *testing.T, c model.Config) {
		for seed := range uint64(5) {
			m := randomModel(t, c, seed, 0.5)
			source := randomWords(newRand(seed), 7, c.SourceVocab)
			want := translate(t, newTranslator(t, portable(), m, 6, 7, 8), source, 8)
			for _, k := range kernels.Available() {
				got := translate(t, newTranslator(t, k, m, 6, 9, 8), source, 8)
				if !slices.Equal(got.IDs, want.IDs) || math.Float64bits(got.LogProb) != math.Float64bits(want.LogProb) {
					t.Errorf("%s: model %d: got %v of %x, want %v of %x", k, seed, got.IDs, got.LogProb, want.IDs, want.LogProb)
				}
				sameBits(t, fmt.Sprintf("%s: model %d: alignment", k, seed), got.Alignment.Data, want.Alignment.Data)
			}
		}
	})
}

// TestTranslateAgain uses a translator for sentences of all lengths one after another.
func TestTranslateAgain(t *testing.T) {
	eachVariant(t, smallConfig, func(t *testing.T, c model.Config) {
		k, m, r := kernels.Best(), randomModel(t, c, 20, 0.5), newRand(21)
		used := newTranslator(t, k, m, 4, 9, 8)
		for _, n := range []int{9, 1, 5, 2, 9, 3} {
			source := randomWords(r, n, c.SourceVocab)
			got := translate(t, used, source, min(n, 8))
			want := translate(t, newTranslator(t, k, m, 4, n, min(n, 8)), source, min(n, 8))
			if !slices.Equal(got.IDs, want.IDs) || got.LogProb != want.LogProb {
				t.Errorf("%s: source of %d words: got %v of %v, want %v of %v", k, n, got.IDs, got.LogProb, want.IDs, want.LogProb)
			}
			sameBits(t, "alignment", got.Alignment.Data, want.Alignment.Data)
		}
	})
}

// TestLengthLimit makes EOS all but impossible, and then all but certain.
func TestLengthLimit(t *testing.T) {
	eachVariant(t, smallConfig, func(t *testing.T, c model.Config) {
		for _, beam := range []int{1, 2, 5, 40} {
			m := randomModel(t, c, 22, 0.3)
			tr := newTranslator(t, kernels.Best(), m, beam, 5, 7)
			for _, length := range []int{1, 2, 6, 7} {
				setBias(m, int(text.EOS), -60)
				r := translate(t, tr, []int32{1, 2, 0}, length)
				// A beam above 26 keeps all words, EOS among them, which then is the only
				// finished translation.
				if len(r.IDs) != length && beam <= 26 || len(r.IDs) > length {
					t.Errorf("beam %d length %d: got %v, want %d words", beam, length, r.IDs, length)
				}
				if i := slices.Index(r.IDs, text.EOS); i >= 0 && i != len(r.IDs)-1 {
					t.Errorf("beam %d length %d: got %v, want EOS at the end only", beam, length, r.IDs)
				}
				setBias(m, int(text.EOS), 60)
				if r := translate(t, tr, []int32{1, 2, 0}, length); !slices.Equal(r.IDs, []int32{text.EOS}) {
					t.Errorf("beam %d length %d: got %v, want EOS", beam, length, r.IDs)
				}
			}
		}
	})
}

// TestBeamTies gives all words the same score: the earlier hypothesis and the lower word win.
func TestBeamTies(t *testing.T) {
	m := randomModel(t, smallConfig, 23, 0)
	for _, beam := range []int{1, 3, 30} {
		tr := newTranslator(t, kernels.Best(), m, beam, 2, 3)
		setBias(m, int(text.EOS), 0)
		if r := translate(t, tr, []int32{1, 0}, 3); !slices.Equal(r.IDs, []int32{0}) {
			t.Errorf("beam %d: got %v, want [0]", beam, r.IDs)
		}
		setBias(m, int(text.EOS), -90)
		want := []int32{1, 1, 1}
		if beam == 30 {
			want = []int32{0} // all 26 others and EOS are kept: EOS is the one that finishes
		}
		if r := translate(t, tr, []int32{1, 0}, 3); !slices.Equal(r.IDs, want) {
			t.Errorf("beam %d without EOS: got %v, want %v", beam, r.IDs, want)
		}
	}
}

func TestTranslatorErrors(t *testing.T) {
	k, m := kernels.Best(), randomModel(t, smallConfig, 24, 0.4)
	for _, size := range [][3]int{{0, 4, 4}, {-3, 4, 4}, {2, 0, 4}, {2, -1, 4}, {2, 4, 0}, {2, 4, -1}} {
		if _, err := NewBeam(k, Options{Beam: size[0]}, capacityFor(1, size[1], size[2]), m); !errors.Is(err, model.ErrConfig) {
			t.Errorf("NewTranslator of beam %d source %d length %d: got %v, want ErrConfig", size[0], size[1], size[2], err)
		}
	}
	tr := newTranslator(t, k, m, 3, 4, 5)
	before := translate(t, tr, []int32{1, 2, 0}, 5)
	words, logProb := slices.Clone(before.IDs), before.LogProb
	for _, e := range badSources {
		_, err := tr.Translate(t.Context(), e.source, 5)
		checkError(t, e.name, err, e.is, e.says...)
	}
	for _, length := range []int{0, -1, 6, math.MaxInt} {
		_, err := tr.Translate(t.Context(), []int32{1, 2, 0}, length)
		checkError(t, fmt.Sprint("length ", length), err, model.ErrCapacity, fmt.Sprint(length), "of 1 to 5")
	}
	after := translate(t, tr, []int32{1, 2, 0}, 5)
	if !slices.Equal(after.IDs, words) || after.LogProb != logProb {
		t.Errorf("after errors: got %v of %v, want %v of %v", after.IDs, after.LogProb, words, logProb)
	}
}
