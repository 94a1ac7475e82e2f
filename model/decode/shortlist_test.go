package decode

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/text"
)

// lexiconConfig has a target vocabulary of which a shortlist is a small part.
var lexiconConfig = func() model.Config {
	c := smallConfig
	c.TargetVocab = 311
	return c
}()

// withLexicon returns a model with a random shortlist.
func withLexicon(t testing.TB, seed uint64) *model.Model {
	m, r := randomModel(t, lexiconConfig, seed, 0.4), newRand(seed)
	m.Shortlist = &model.Shortlist{Common: 25}
	for range m.Config.SourceVocab {
		ids := randomWords(r, r.IntN(9), m.Config.TargetVocab)
		slices.Sort(ids)
		ids = slices.Compact(ids)
		m.Shortlist.Lexicon = append(m.Shortlist.Lexicon, slices.DeleteFunc(ids, func(id int32) bool { return id < 25 }))
	}
	return m
}

// TestShortlist translates by one model and by two, of float32 and of int8, in batches and alone, on one thread and on
// two, by every implementation: the same bits, of words of the shortlists.
func TestShortlist(t *testing.T) {
	a, b := withLexicon(t, 501), withLexicon(t, 502)
	q, err := a.Quantize()
	if err != nil {
		t.Fatal(err)
	}
	list := sentencesOf(503, lexiconConfig, 40, 12, 14)
	for i := range list {
		list[i].Beam, list[i].NBest = 1+i%4, 1+i%2*(i%4)
		if i%5 == 0 {
			list[i].MaxLength, list[i].Prefix = 20, []int32{int32(300 - i), 7}
		}
		if i%7 == 0 {
			list[i].MaxLength, list[i].Terms = 24, []Constraint{{IDs: []int32{int32(290 - i), 299}}}
		}
	}
	for _, models := range [][]*model.Model{{a}, {q}, {a, b}, {b, q}} {
		var want [][]Translation
		differ := 0
		for _, o := range []Options{{AllWords: true}, {Threads: 1}, {Threads: 2}} {
			everyImpl(t, func(t *testing.T, k kernels.Impl) {
				o.Kernels = &k
				tr := newTranslator(t, o, models...)
				got := make([][]Translation, len(list))
				tr.Each(t.Context(), list, func(i int, best []Translation, err error) {
					if err != nil {
						t.Fatalf("sentence %d: %v", i, err)
					}
					got[i] = cloneAll(best)
				})
				if o.AllWords {
					want = got
					return
				}
				for i, s := range list {
					var terms []int32
					for _, term := range s.Terms {
						terms = append(terms, term.IDs...)
					}
					words := model.Candidates(models, s.Source, s.Prefix, terms)
					if words == nil {
						t.Fatal("all words are candidates")
					}
					for _, r := range got[i] {
						for _, id := range r.IDs {
							if !slices.Contains(words, id) {
								t.Fatalf("sentence %d: id %d of %v is none of %v", i, id, r.IDs, words)
							}
						}
						if !slices.Equal(r.IDs[:len(s.Prefix)], s.Prefix) || len(r.IDs) < s.MaxLength && len(terms) > 0 && count(r.IDs, terms) == 0 {
							t.Fatalf("sentence %d: got %v, want prefix %v and terms %v", i, r.IDs, s.Prefix, terms)
						}
					}
				}
				if o.Threads == 1 && k.String() == kernels.Best().String() {
					for i := range list {
						if !slices.Equal(got[i][0].IDs, want[i][0].IDs) {
							differ++
						}
					}
					want = got
				}
				for i := range list {
					sameList(t, fmt.Sprintf("%s, %d threads, sentence %d", k, o.Threads, i), got[i], want[i])
				}
				for i := range 9 {
					var alone []Translation
					tr.Each(t.Context(), list[i:i+1], func(_ int, best []Translation, _ error) { alone = best })
					sameList(t, fmt.Sprintf("%s, sentence %d alone", k, i), alone, want[i])
				}
			})
		}
		if differ == 0 {
			t.Error("no translation differs from that of all words")
		}
	}
}

// TestShortlistModes: streams are greedy searches, and a model with a shortlist scores translations, predicts words
// and, if told to, translates like one without it.
func TestShortlistModes(t *testing.T) {
	m := withLexicon(t, 511)
	plain := *m
	plain.Shortlist = nil
	ctx, list := t.Context(), sentencesOf(512, lexiconConfig, 12, 9, 9)
	tr, without := newTranslator(t, Options{Beam: 3}, m), newTranslator(t, Options{Beam: 3}, &plain)
	all, pair := newTranslator(t, Options{Beam: 3, AllWords: true}, m), newTranslator(t, Options{Beam: 3}, m, &plain)
	pairOfPlain := newTranslator(t, Options{Beam: 3}, &plain, &plain)
	for _, s := range list {
		best := translated(t, tr, ctx, Sentence{Source: s.Source, MaxLength: s.MaxLength, Beam: 1})
		var ids []int32
		for w, err := range tr.StreamWords(ctx, s) {
			if err != nil {
				t.Fatal(err)
			}
			ids = append(ids, w.ID)
		}
		if !slices.Equal(ids, best[0].IDs) {
			t.Errorf("streamed %v, translated %v", ids, best[0].IDs)
		}
		sameList(t, "all words", translated(t, all, ctx, s), translated(t, without, ctx, s))
		sameList(t, "one model without a shortlist", translated(t, pair, ctx, s), translated(t, pairOfPlain, ctx, s))
		target := []int32{5, 300, 17, text.EOS}
		got, err := tr.Score(ctx, s.Source, target)
		if err != nil {
			t.Fatal(err)
		}
		want, err := without.Score(ctx, s.Source, target)
		if err != nil {
			t.Fatal(err)
		}
		sameTranslation(t, "score", got, want)
		next, err := tr.Next(ctx, s.Source, []int32{9}, 400)
		if err != nil || len(next) != lexiconConfig.TargetVocab {
			t.Errorf("%d next words, error %v, want %d", len(next), err, lexiconConfig.TargetVocab)
		}
	}
}

func translated(t *testing.T, tr *Translator, ctx context.Context, s Sentence) (list []Translation) {
	t.Helper()
	tr.Each(ctx, []Sentence{s}, func(_ int, best []Translation, err error) {
		if err != nil {
			t.Fatal(err)
		}
		list = cloneAll(best)
	})
	return list
}

// TestShortlistMemory has sentences whose words are more than beams for ordinary ones have room for.
func TestShortlistMemory(t *testing.T) {
	m := withLexicon(t, 521)
	list := sentencesOf(522, lexiconConfig, 20, 12, 9)
	want := newTranslator(t, Options{Beam: 2}, m)
	tr := newTranslator(t, Options{Beam: 2, Threads: 2}, m)
	tr.ordinary.outputs = 48
	tr.Each(t.Context(), list, func(i int, best []Translation, err error) {
		if err != nil {
			t.Fatal(err)
		}
		sameList(t, fmt.Sprintf("sentence %d", i), best, translated(t, want, t.Context(), list[i]))
	})
}

// TestLexicon learns the same shortlist on any number of threads, by every implementation, in any order of the sentences.
// It has the words that the model gives the most probability.
func TestLexicon(t *testing.T) {
	m := randomModel(t, lexiconConfig, 531, 1)
	r := newRand(532)
	var sources [][]int32
	for range 40 {
		sources = append(sources, sentenceOf(r, 2+r.IntN(6), m.Config.SourceVocab))
	}
	var want *model.Shortlist
	for _, threads := range []int{1, 2} {
		everyImpl(t, func(t *testing.T, k kernels.Impl) {
			l, err := newTranslator(t, Options{Threads: threads, Kernels: &k}, m).NewLexicon()
			if err != nil {
				t.Fatal(err)
			}
			slices.Reverse(sources)
			l.Count(t.Context(), sources, func(i int, err error) {
				if err != nil {
					t.Fatal(err)
				}
			})
			got := l.Shortlist(9, 20)
			if want == nil {
				want = got
			}
			same := got.Common == want.Common && slices.EqualFunc(got.Lexicon, want.Lexicon, func(a, b []int32) bool { return slices.Equal(a, b) })
			if !same || got.Common != 20 {
				t.Errorf("%s, %d threads: got %v, want %v", k, threads, got, want)
			}
		})
	}
	with := *m
	with.Shortlist = want
	if err := with.Check(); err != nil {
		t.Error(err)
	}
	words, found := 0, 0
	for id, list := range want.Lexicon {
		words += len(list)
		for _, other := range list {
			if int(other) < want.Common || len(list) > 9 {
				t.Errorf("source word %d has %v, with common words or more than 9", id, list)
			}
		}
	}
	plain := newTranslator(t, Options{Beam: 1}, m)
	for _, source := range sources {
		next, err := plain.Next(t.Context(), source, nil, 1)
		if err != nil {
			t.Fatal(err)
		}
		if slices.Contains(model.Candidates([]*model.Model{&with}, source), next[0].ID) {
			found++
		}
	}
	if words == 0 || found < len(sources)*3/4 {
		t.Errorf("%d words, the most probable first one for %d of %d sources", words, found, len(sources))
	}
	l, err := plain.NewLexicon()
	if err != nil {
		t.Fatal(err)
	}
	l.Count(t.Context(), [][]int32{{1}}, func(i int, err error) { checkError(t, "source", err, model.ErrExample) })
	c := lexiconConfig
	c.Kind = model.RNNencdec
	_, err = newTranslator(t, Options{}, randomModel(t, c, 1, 0.1)).NewLexicon()
	checkError(t, "RNNencdec", err, model.ErrConfig)
}
