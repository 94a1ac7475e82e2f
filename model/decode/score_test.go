package decode

import (
	"fmt"
	"math"
	"testing"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/text"
)

// pairsOf returns n pairs of ids; the first is the longest.
func pairsOf(seed uint64, c model.Config, n, source, target int) []text.Example {
	r, list := newRand(seed), make([]text.Example, n)
	for i := range list {
		s, t := 1+r.IntN(source), 1+r.IntN(target)
		if i == 0 {
			s, t = source, target
		}
		list[i] = text.Example{Source: sentenceOf(r, s, c.SourceVocab), Target: sentenceOf(r, t, c.TargetVocab)}
	}
	return list
}

// TestScore compares with a scorer: the log-probabilities and alignments of a model have its bits,
// and those of an ensemble are means.
func TestScore(t *testing.T) {
	eachVariant(t, smallConfig, func(t *testing.T, c model.Config) {
		for _, n := range []int{1, 3} {
			models, list := ensembleOf(t, c, n, 120, 0.5), pairsOf(121, c, 40, 80, 90)
			want := make([]Translation, len(list))
			for i, e := range list {
				want[i] = meanScore(t, e, models)
			}
			for _, threads := range []int{1, 3} {
				tr, calls := newTranslator(t, Options{Threads: threads, Normalization: new(1.0)}, models...), 0
				tr.ScoreEach(t.Context(), list, func(i int, r Translation, err error) {
					calls++
					what := fmt.Sprintf("%d models, %d threads: pair %d", n, threads, i)
					if err != nil {
						t.Errorf("%s: %v", what, err)
						return
					}
					if n == 1 {
						sameTranslation(t, what, r, want[i])
					}
					closeTranslation(t, what, r, want[i])
				})
				if calls != len(list) {
					t.Errorf("%d results for %d pairs", calls, len(list))
				}
			}
		}
	})
}

// meanScore returns what scorers of the models make of a pair.
func meanScore(t *testing.T, e text.Example, models []*model.Model) Translation {
	t.Helper()
	r := Translation{IDs: e.Target, LogProbs: make([]float64, len(e.Target))}
	var sum []float64
	attending := 0.0
	for _, m := range models {
		s := newScorerFor(t, kernels.Best(), m, []text.Example{e})
		lossOf(t, s, []text.Example{e})
		for i, p := range logProbabilities(t, s, 0, len(e.Target)) {
			r.LogProbs[i] += float64(p) / float64(len(models))
		}
		if a := alignment(t, m.Config.Kind, s, 0, e); a != nil {
			attending++
			for i, w := range a {
				if len(sum) <= i {
					sum = append(sum, 0)
				}
				sum[i] += float64(w)
			}
		}
	}
	if attending > 0 {
		r.Alignment = kernels.NewMatrix(len(e.Target), len(e.Source))
		for i, w := range sum {
			r.Alignment.Data[i] = float32(w / attending)
		}
	}
	for _, p := range r.LogProbs {
		r.LogProb += p
	}
	r.Score = r.LogProb / float64(len(e.Target))
	return r
}

// closeTranslation allows for the rounding of a mean.
func closeTranslation(t *testing.T, what string, got, want Translation) {
	t.Helper()
	for i, p := range got.LogProbs {
		if !(math.Abs(p-want.LogProbs[i]) <= 1e-14*math.Abs(p)) {
			t.Errorf("%s: log p of id %d: got %v, want %v", what, i, p, want.LogProbs[i])
		}
	}
	if !(math.Abs(got.LogProb-want.LogProb) <= 1e-12*math.Abs(want.LogProb)) {
		t.Errorf("%s: log p: got %v, want %v", what, got.LogProb, want.LogProb)
	}
	if len(got.LogProbs) != len(want.LogProbs) || len(got.Alignment.Data) != len(want.Alignment.Data) {
		t.Errorf("%s: %d values and %d weights, want %d and %d", what, len(got.LogProbs), len(got.Alignment.Data), len(want.LogProbs), len(want.Alignment.Data))
		return
	}
	for i, a := range got.Alignment.Data {
		if !(math.Abs(float64(a-want.Alignment.Data[i])) <= 0x1p-22) {
			t.Errorf("%s: α %d: got %v, want %v", what, i, a, want.Alignment.Data[i])
		}
	}
}

func TestScoreErrors(t *testing.T) {
	tr := newTranslator(t, Options{Memory: 4 << 20}, randomModel(t, smallConfig, 124, 0.5))
	for _, test := range []struct {
		name string
		pair text.Example
		is   error
		says []string
	}{
		{"no source", text.Example{Target: []int32{0}}, model.ErrExample, []string{"empty source"}},
		{"no target", text.Example{Source: []int32{0}}, model.ErrExample, []string{"empty target"}},
		{"source id", text.Example{Source: []int32{1, 21}, Target: []int32{0}}, model.ErrExample, []string{"word 1 of the source", "id 21", "0 to 20"}},
		{"target id", text.Example{Source: []int32{1, 0}, Target: []int32{2, 3, 27}}, model.ErrExample, []string{"word 2 of the target", "id 27", "0 to 26"}},
		{"negative id", text.Example{Source: []int32{1, 0}, Target: []int32{-1}}, model.ErrExample, []string{"word 0 of the target", "id -1"}},
		{"no end", text.Example{Source: []int32{1, 0}, Target: []int32{4, 5}}, model.ErrExample, []string{"word 1 of the target has id 5", "EOS"}},
		{"source without end", text.Example{Source: []int32{1}, Target: []int32{0}}, model.ErrExample, []string{"word 0 of the source has id 1"}},
		{"two ends", text.Example{Source: []int32{1, 0}, Target: []int32{4, 0, 0}}, model.ErrExample, []string{"word 1 of the target is EOS", "after word 2 only"}},
		{"long target", text.Example{Source: sentenceOf(newRand(1), 1000, 21), Target: sentenceOf(newRand(1), 2000, 27)}, model.ErrCapacity, []string{"1000 words", "2000 words", "4.0 MiB"}},
	} {
		_, err := tr.Score(t.Context(), test.pair.Source, test.pair.Target)
		checkError(t, test.name, err, test.is, test.says...)
	}
}
