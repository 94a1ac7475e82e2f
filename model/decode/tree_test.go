package decode

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/text"
)

// TestPrefix forces the beginning of each translation of an n-best list: greedy search and the beam
// then find that translation or a better one, with the bits of its first log-probabilities and α.
func TestPrefix(t *testing.T) {
	eachVariant(t, smallConfig, func(t *testing.T, c model.Config) {
		models, forced := ensembleOf(t, c, 2, 130, 0.6), 0
		tr := newTranslator(t, Options{Beam: 4, NBest: 4, MaxLength: 8}, models...)
		greedy := newTranslator(t, Options{Beam: 1, MaxLength: 8}, models...)
		for i, s := range sentencesOf(131, c, 9, 9, 8) {
			best, err := tr.Translate(t.Context(), s.Source)
			if err != nil {
				t.Fatal(err)
			}
			for _, b := range best {
				for n := range len(b.IDs) {
					what := fmt.Sprintf("sentence %d, prefix %v", i, b.IDs[:n])
					for _, from := range []*Translator{tr, greedy} {
						list, err := one(t, from, Sentence{Source: s.Source, Prefix: b.IDs[:n]})
						if err != nil {
							t.Fatalf("%s: %v", what, err)
						}
						for _, got := range list {
							if !slices.Equal(got.IDs[:n], b.IDs[:n]) || !slices.Equal(got.LogProbs[:n], b.LogProbs[:n]) {
								t.Errorf("%s: got %v of %v, want %v of %v", what, got.IDs, got.LogProbs, b.IDs, b.LogProbs)
							}
							rows := n * got.Alignment.Cols
							sameBits(t, what+": α", got.Alignment.Data[:min(rows, len(got.Alignment.Data))], b.Alignment.Data[:min(rows, len(b.Alignment.Data))])
						}
						if n == len(b.IDs)-1 && n > 0 && from == tr {
							if !slices.ContainsFunc(list, func(r Translation) bool { return slices.Equal(r.IDs, b.IDs) && r.LogProb == b.LogProb }) {
								t.Errorf("%s: no translation is %v of %v", what, b.IDs, b.LogProb)
							}
							forced++
						}
					}
				}
			}
		}
		if forced == 0 {
			t.Error("no prefix of a whole translation")
		}
	})
}

// one translates one sentence.
func one(t testing.TB, tr *Translator, s Sentence) (best []Translation, err error) {
	t.Helper()
	tr.Each(t.Context(), []Sentence{s}, func(_ int, b []Translation, e error) { best, err = b, e })
	return best, err
}

// TestSentenceBeam compares beams of sentences with those of options.
func TestSentenceBeam(t *testing.T) {
	m, list := randomModel(t, smallConfig, 132, 0.6), sentencesOf(133, smallConfig, 20, 9, 8)
	var want [][]Translation
	for i := range list {
		list[i].Beam, list[i].NBest = 1+i%7, 1+i%3%(1+i%7)
		o := Options{Beam: list[i].Beam, NBest: list[i].NBest}
		want = append(want, aloneOf(t, kernels.Best(), o, []Sentence{{Source: list[i].Source, MaxLength: list[i].MaxLength}}, m)...)
	}
	for i, best := range eachOf(t, newTranslator(t, Options{Beam: 3, NBest: 2, Threads: 2}, m), list) {
		sameList(t, fmt.Sprintf("sentence %d, %+v", i, list[i]), best, want[i])
	}
	tr := newTranslator(t, Options{Beam: 3, NBest: 2, Memory: 1 << 20}, m)
	if best, err := one(t, tr, Sentence{Source: []int32{1, 2, 0}, Beam: 1}); err != nil || len(best) != 1 {
		t.Errorf("beam of 1: %d translations, error %v", len(best), err)
	}
	for _, test := range []struct {
		name string
		s    Sentence
		is   error
		says string
	}{
		{"negative beam", Sentence{Beam: -1}, model.ErrExample, "beam of -1"},
		{"negative list", Sentence{NBest: -1}, model.ErrExample, "-1 best"},
		{"long list", Sentence{NBest: 4}, model.ErrExample, "4 best translations, expected 0 to the beam of 3"},
		{"wide", Sentence{Beam: math.MaxInt}, model.ErrCapacity, "beam of"},
		{"prefix id", Sentence{Prefix: []int32{3, 27}}, model.ErrExample, "word 1 of the prefix has id 27"},
		{"negative prefix id", Sentence{Prefix: []int32{-1}}, model.ErrExample, "word 0 of the prefix"},
		{"prefix with an end", Sentence{Prefix: []int32{3, 0}}, model.ErrExample, "word 1 of the prefix is EOS"},
		{"long prefix", Sentence{Prefix: []int32{3, 4}, MaxLength: 2}, model.ErrExample, "prefix of 2 ids"},
	} {
		test.s.Source = []int32{1, 0}
		_, err := one(t, tr, test.s)
		checkError(t, test.name, err, test.is, test.says)
		_, _, err = tr.Search(t.Context(), test.s)
		checkError(t, test.name+": Search", err, test.is, test.says)
	}
}

// TestSearch checks that a tree has the beam of every step, that each hypothesis is its parent and an
// id, and that the translations are in it.
func TestSearch(t *testing.T) {
	eachVariant(t, smallConfig, func(t *testing.T, c model.Config) {
		m := randomModel(t, c, 134, 0.6)
		setBias(m, int(text.EOS), 2)
		tr := newTranslator(t, Options{Beam: 4, NBest: 3, MaxLength: 8}, m)
		unfinished := 0
		for i, s := range sentencesOf(135, c, 12, 9, 8) {
			if i%3 == 0 {
				s.Prefix = []int32{5, 6}
			}
			s.MaxLength = 3 + i%6
			what := fmt.Sprint("sentence ", i)
			want, err := one(t, tr, s)
			if err != nil {
				t.Fatal(err)
			}
			best, nodes, err := tr.Search(t.Context(), s)
			if err != nil {
				t.Fatal(err)
			}
			sameList(t, what, best, want)
			live, step, ranks := 0, 0, 0
			paths, width, sizes := make([][]int32, len(nodes)), make([]int, 9), make([]int, 9)
			for j, n := range nodes {
				var before []int32
				total := n.LogProb
				if n.Parent >= 0 {
					before, total = paths[n.Parent], nodes[n.Parent].Total+n.LogProb
				}
				paths[j] = append(slices.Clone(before), n.ID)
				if len(paths[j]) < step || int(n.Parent) >= j || !(math.Abs(total-n.Total) <= 1e-12*math.Abs(total)) {
					t.Fatalf("%s: node %d is %+v after step %d", what, j, n, step)
				}
				if len(before) > 0 && before[len(before)-1] == text.EOS {
					t.Errorf("%s: node %d continues a finished hypothesis", what, j)
				}
				step = len(paths[j])
				sizes[step]++
				if n.ID != text.EOS {
					width[step]++
				}
				if n.Rank >= 0 {
					ranks++
					r := best[n.Rank]
					if !slices.Equal(paths[j], r.IDs) || n.Total != r.LogProb {
						t.Errorf("%s: node %d is %v of %v, translation %d is %v of %v", what, j, paths[j], n.Total, n.Rank, r.IDs, r.LogProb)
					}
					if n.ID != text.EOS {
						unfinished++
					}
				}
			}
			if ranks != len(best) {
				t.Errorf("%s: %d nodes are translations, want %d", what, ranks, len(best))
			}
			finished := 0
			for n := 1; n <= step; n++ {
				want := 4 - finished
				if n <= len(s.Prefix) {
					want = 1
				}
				if live = width[n]; sizes[n] != want {
					t.Errorf("%s: %d hypotheses of %d ids, want %d", what, sizes[n], n, want)
				}
				finished += sizes[n] - live
			}
			for k, id := range s.Prefix {
				if nodes[k].ID != id {
					t.Errorf("%s: node %d has id %d, want %d of the prefix", what, k, nodes[k].ID, id)
				}
			}
		}
		if unfinished == 0 {
			t.Error("all translations are finished, want some unfinished")
		}
	})
	best, nodes, err := newTranslator(t, Options{}, randomModel(t, smallConfig, 1, 0.5)).Search(t.Context(), Sentence{Source: []int32{0}})
	if len(best) != 1 || len(nodes) != 0 || err != nil {
		t.Errorf("no words: %d translations, %d nodes, error %v", len(best), len(nodes), err)
	}
}

// TestNext compares the next ids with those of naiveMean.
func TestNext(t *testing.T) {
	const vocabulary = 27
	for n := 1; n <= 2; n++ {
		models := ensembleOf(t, smallConfig, n, 136, 0.5)
		tr, source := newTranslator(t, Options{ForbidUNK: true, MinLength: 9}, models...), []int32{4, 7, 3, 0}
		for _, prefix := range [][]int32{nil, {5}, {5, 1, 5}} {
			mean := naiveMean(t, kernels.Best(), source, prefix, models)
			want := make([]int, vocabulary)
			for id := range want {
				want[id] = id
			}
			slices.SortFunc(want, func(a, b int) int { return cmp.Compare(mean[b], mean[a]) })
			for _, n := range []int{1, 5, vocabulary, 1000} {
				got, err := tr.Next(t.Context(), source, prefix, n)
				if err != nil || len(got) != min(n, vocabulary) {
					t.Fatalf("%v: %d of %d candidates, error %v", prefix, len(got), n, err)
				}
				for i, c := range got {
					if int(c.ID) != want[i] || !(math.Abs(c.LogProb-mean[c.ID]) <= sumBound(1, 0, 100)) {
						t.Errorf("%v: candidate %d is %+v, want %d with %v", prefix, i, c, want[i], mean[want[i]])
					}
				}
			}
		}
		for _, test := range []struct {
			source, prefix []int32
			n              int
			says           string
		}{
			{source, nil, 0, "0 next ids"}, {source, []int32{0}, 1, "prefix is EOS"}, {nil, nil, 1, "empty source"},
		} {
			_, err := tr.Next(t.Context(), test.source, test.prefix, test.n)
			checkError(t, test.says, err, model.ErrExample, test.says)
		}
		if got, err := tr.Next(t.Context(), []int32{0}, nil, 2); len(got) != 2 || err != nil {
			t.Errorf("no words: got %v, error %v", got, err)
		}
	}
}
