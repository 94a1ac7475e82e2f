package decode

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/text"
	"github.com/softsearch-go/softsearch/model/text/pipeline"
)

// TestWordless translates a sentence without words, whatever the options, alone and among others.
func TestWordless(t *testing.T) {
	for _, c := range variants(smallConfig) {
		m := withVocabularies(t, c)
		setBias(m, int(text.EOS), -60) // a search would not end before the limit
		for _, o := range []Options{{}, {Beam: 4, NBest: 3, Normalization: new(1.0)}, {MinLength: 2, NoAlignments: true}} {
			o.MaxLength = 6
			tr := newTranslator(t, o, m)
			rows := 0
			if c.Kind == model.RNNsearch && !o.NoAlignments {
				rows = 1
			}
			check := func(what string, best []Translation, err error) {
				t.Helper()
				what = fmt.Sprintf("%s, %+v: %s", nameOf(c), o, what)
				if err != nil || len(best) != 1 {
					t.Errorf("%s: %d translations, error %v", what, len(best), err)
					return
				}
				r := best[0]
				if !slices.Equal(r.IDs, []int32{text.EOS}) || r.LogProb != 0 || r.Score != 0 || !slices.Equal(r.LogProbs, []float64{0}) || tr.Write(pipeline.Reading{}, r).Line != "" {
					t.Errorf("%s: got %+v", what, r)
				}
				if r.Alignment.Rows != rows || rows == 1 && (r.Alignment.Cols != 1 || r.Alignment.Row(0)[0] != 1) {
					t.Errorf("%s: alignment %+v, want %d rows", what, r.Alignment, rows)
				}
			}
			source := m.Encode("")
			best, err := tr.Translate(t.Context(), source)
			check("alone", best, err)
			list := []Sentence{{Source: m.Encode("s3 s4")}, {Source: source}, {Source: m.Encode("s5")}, {Source: source, MaxLength: 1}}
			want, calls := eachOf(t, tr, []Sentence{list[0], list[2]}), 0
			tr.Each(t.Context(), list, func(i int, best []Translation, err error) {
				if calls++; i%2 == 1 {
					check("among others", best, err)
				} else if err != nil {
					t.Error(err)
				} else {
					sameList(t, "with words", best, want[i/2])
				}
			})
			if calls != len(list) {
				t.Errorf("%d results for %d sentences", calls, len(list))
			}
			for id, err := range streamIDs(tr, t.Context(), source) {
				t.Errorf("stream: got id %d, error %v", id, err)
			}
			if line, err := tr.Line(t.Context(), ""); line != "" || err != nil {
				t.Errorf("line: got %q, error %v", line, err)
			}
			if err := tr.Check(source); err != nil {
				t.Error(err)
			}
			pair := text.Example{Source: source, Target: []int32{5, text.EOS}}
			r, err := tr.Score(t.Context(), pair.Source, pair.Target)
			if want := meanScore(t, pair, []*model.Model{m}); err != nil || math.Abs(r.LogProb-want.LogProb) > 1e-12*math.Abs(want.LogProb) {
				t.Errorf("score: got %v, error %v, want %v", r.LogProb, err, want.LogProb)
			}
		}
	}
}

// TestWordlessErrors has the errors of sentences with words.
func TestWordlessErrors(t *testing.T) {
	tr, err := New(randomModel(t, smallConfig, 1, 0.4), Options{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	check := func(ctx context.Context, is error) {
		t.Helper()
		_, err := tr.Translate(ctx, []int32{text.EOS})
		checkError(t, "Translate", err, is)
		calls := 0
		for _, err := range streamIDs(tr, ctx, []int32{text.EOS}) {
			calls++
			checkError(t, "StreamIDs", err, is)
		}
		if calls != 1 {
			t.Errorf("a stream of %d pairs, want an error", calls)
		}
	}
	check(ctx, context.Canceled)
	tr.Close()
	check(t.Context(), ErrClosed)
}

// TestEveryEntry gives each invalid source and target to everything that takes one.
func TestEveryEntry(t *testing.T) {
	k := kernels.Best()
	tr := newTranslator(t, Options{Kernels: &k, MaxLength: 3}, randomModel(t, smallConfig, 2, 0.4))
	good := []int32{3, text.EOS}
	for _, bad := range [][]int32{nil, {}, {3}, {3, 4}, {0, 0}, {3, 0, 0}, {0, 3}, {3, 0, 3}, {3, 0, 3, 0}, {-1, 0}, {27, 0}, {3, math.MaxInt32, 0}, {math.MinInt32}} {
		what := fmt.Sprint(bad)
		_, err := tr.Translate(t.Context(), bad)
		checkError(t, "Translate "+what, err, model.ErrExample)
		checkError(t, "Check "+what, tr.Check(bad), model.ErrExample)
		for _, err := range streamIDs(tr, t.Context(), bad) {
			checkError(t, "StreamIDs "+what, err, model.ErrExample)
		}
		tr.Each(t.Context(), []Sentence{{Source: good}, {Source: bad}}, func(i int, _ []Translation, err error) {
			if i == 1 {
				checkError(t, "Each "+what, err, model.ErrExample)
			} else if err != nil {
				t.Error(err)
			}
		})
		for i, e := range []text.Example{{Source: bad, Target: good}, {Source: good, Target: bad}} {
			_, err := tr.Score(t.Context(), e.Source, e.Target)
			checkError(t, fmt.Sprintf("Score %d of %s", i, what), err, model.ErrExample)
			tr.ScoreEach(t.Context(), []text.Example{{Source: good, Target: good}, e}, func(j int, _ Translation, err error) {
				if j == 1 {
					checkError(t, fmt.Sprintf("ScoreEach %d of %s", i, what), err, model.ErrExample)
				} else if err != nil {
					t.Error(err)
				}
			})
		}
	}
}
