package decode

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/text"
)

// translateTerms returns the translations of a list by Each.
func translateTerms(t *testing.T, tr *Translator, list []Sentence) [][]Translation {
	t.Helper()
	all := make([][]Translation, len(list))
	tr.Each(t.Context(), list, func(i int, best []Translation, err error) {
		if err != nil {
			t.Errorf("sentence %d, terms %v: %v", i, list[i].Terms, err)
		}
		all[i] = best
	})
	return all
}

func constraintsOf(terms [][]int32) (list []Constraint) {
	for _, ids := range terms {
		list = append(list, Constraint{IDs: ids})
	}
	return list
}

// occurrences counts a term in ids, one beside the other.
func occurrences(ids, term []int32) (n int) {
	for i := 0; i+len(term) <= len(ids); {
		if slices.Equal(ids[i:i+len(term)], term) {
			n++
			i += len(term)
		} else {
			i++
		}
	}
	return n
}

// TestTermsExhaustive compares a wide beam with the best of all translations of up to 4 words that have
// the terms.
func TestTermsExhaustive(t *testing.T) {
	const length, models = 4, 12
	all := translations(tinyConfig.TargetVocab, length)
	for _, terms := range [][][]int32{{{2}}, {{2, 3}}, {{2}, {3}}, {{3}, {3}}, {{2, 2}, {3}}} {
		allowed := slices.DeleteFunc(slices.Clone(all), func(ids []int32) bool {
			return slices.ContainsFunc(terms, func(term []int32) bool {
				wanted := 0
				for _, other := range terms {
					if slices.Equal(other, term) {
						wanted++
					}
				}
				return occurrences(ids, term) != wanted
			})
		})
		k, changed := kernels.Best(), 0
		for seed := range uint64(models) {
			m := randomModel(t, tinyConfig, seed, 1)
			source := sentenceOf(newRand(seed), 1+int(seed)%5, tinyConfig.SourceVocab)
			best, score := exhaustive(t, k, m, source, allowed)
			tr := newTranslator(t, Options{Beam: 400, Kernels: &k, Threads: 1}, m)
			got := translateTerms(t, tr, []Sentence{{Source: source, MaxLength: length, Terms: constraintsOf(terms)}})[0][0]
			if !slices.Equal(got.IDs, best) || !(math.Abs(got.LogProb-score) <= sumBound(length, -score, 100)) {
				t.Errorf("%s: model %d, terms %v: got %v of %v, want %v of %v", k, seed, terms, got.IDs, got.LogProb, best, score)
			}
			if free, _ := exhaustive(t, k, m, source, all); !slices.Equal(free, best) {
				changed++
			}
		}
		if changed == 0 {
			t.Errorf("%s: no model says anything else without the terms %v", k, terms)
		}
	}
}

// randomTerms returns up to 4 terms of up to 3 ids, none of them in two terms. Their last ones end words.
func randomTerms(r *rand.Rand, joined []bool, source int) (terms []Constraint) {
	var inside, last []int32
	for _, id := range r.Perm(len(joined) - 2) {
		if id += 2; joined[id] || len(last) > 4 {
			inside = append(inside, int32(id))
		} else {
			last = append(last, int32(id))
		}
	}
	for i := range r.IntN(5) {
		n := r.IntN(3)
		term := append(inside[:n:n], last[i])
		inside = inside[n:]
		for range 1 + r.IntN(5)/4 {
			from := r.IntN(source)
			terms = append(terms, Constraint{term, from, from + r.IntN(source-from)})
		}
	}
	return terms
}

// TestTermsOnce has all terms in all translations, each as often as asked for, whatever the beam, the
// prefix and the length, and the same translations beside others, on several threads and without alignments.
func TestTermsOnce(t *testing.T) {
	c := model.Config{Kind: model.RNNsearch, Order: model.UpdateFirst, SourceVocab: 20, TargetVocab: 30, Embedding: 6, Hidden: 8, Alignment: 6, Maxout: 6}
	joined := make([]bool, c.TargetVocab)
	for _, divided := range []bool{false, true} {
		for id := range joined {
			joined[id] = divided && id%3 == 0 && id > 1
		}
		for seed := range uint64(6) {
			models := ensembleOf(t, c, 1+int(seed)%2, seed, 1)
			r := newRand(seed)
			var list []Sentence
			for range 60 {
				beam := 1 + r.IntN(8)
				s := Sentence{Source: sentenceOf(r, 1+r.IntN(8), c.SourceVocab), Beam: beam, NBest: 1 + r.IntN(beam)}
				s.Terms = randomTerms(r, joined, len(s.Source))
				if r.IntN(3) == 0 {
					n := 1 + r.IntN(2)
					s.Prefix = sentenceOf(r, n+1, c.TargetVocab)[:n]
				}
				rest := 3
				for _, term := range s.Terms {
					rest += len(term.IDs)
				}
				s.MaxLength = len(s.Prefix) + rest + r.IntN(4)
				list = append(list, s)
			}
			tr := newTranslator(t, Options{Threads: 1}, models...)
			tr.joined = func() []bool { return joined }
			together := translateTerms(t, tr, list)
			threads := newTranslator(t, Options{Threads: 3}, models...)
			threads.joined = tr.joined
			unaligned := newTranslator(t, Options{Threads: 1, NoAlignments: true}, models...)
			unaligned.joined = tr.joined
			for i, other := range translateTerms(t, threads, list) {
				alone := translateTerms(t, tr, list[i:i+1])[0]
				sameList(t, fmt.Sprintf("sentence %d alone", i), alone, together[i])
				sameList(t, fmt.Sprintf("sentence %d on threads", i), other, together[i])
				for k, best := range other {
					checkTerms(t, best.IDs, list[i], joined)
					other[k].Alignment = kernels.Matrix{}
				}
				sameList(t, fmt.Sprintf("sentence %d without alignments", i), translateTerms(t, unaligned, list[i:i+1])[0], other)
			}
		}
	}
}

// TestTermsFollowed compares what random ids have begun with the longest end that a term begins with, one that is
// unmet first, and counts the links.
func TestTermsFollowed(t *testing.T) {
	const vocabulary = 6
	joined := []bool{3: true, vocabulary - 1: false}
	longest := func(terms []Constraint, end []int32) (n int) {
		for from := range end {
			begins := func(term Constraint) bool {
				return len(end)-from <= len(term.IDs) && slices.Equal(term.IDs[:len(end)-from], end[from:])
			}
			if (from == 0 || !joined[end[from-1]]) && slices.ContainsFunc(terms, begins) {
				return len(end) - from
			}
		}
		return 0
	}
	for seed := range uint64(200) {
		r := newRand(seed)
		var terms []Constraint
		for range 1 + r.IntN(6) {
			unit := sentenceOf(r, 2+r.IntN(3), vocabulary)
			terms = append(terms, Constraint{IDs: slices.Repeat(unit[:len(unit)-1], 1+r.IntN(6))})
		}
		c, err := newConstraints(terms, func() []bool { return joined }, nil, 1, vocabulary)
		if err != nil {
			t.Fatal(err)
		}
		links := 0
		for _, n := range c.nodes {
			links += len(n.links)
		}
		if most := 2 * len(terms) * c.ids; links > most {
			t.Errorf("terms %v: %d links, want at most %d", terms, links, most)
		}
		var p progress
		var end []int32 // since a term was met, from the beginning of a word
		for range 100 {
			id := int32(1 + r.IntN(vocabulary-1))
			if term := terms[r.IntN(len(terms))].IDs; r.IntN(4) > 0 && c.nodes[p.node].depth < len(term) {
				id = term[c.nodes[p.node].depth]
			}
			inside := len(end) == 0 && p.open
			next := c.next(p, id)
			if end = append(end, id); inside {
				end = end[:0]
			}
			var unmet []Constraint
			for i, term := range terms {
				if p.met&(1<<i) == 0 {
					unmet = append(unmet, term)
				}
			}
			want := cmp.Or(longest(unmet, end), longest(terms, end))
			if end = end[len(end)-want:]; next.met != p.met {
				want = len(terms[next.last].IDs)
				end = end[:0]
			}
			got := c.nodes[next.node].depth
			if next.met != p.met {
				got = next.done - p.done
			}
			if got != want {
				t.Fatalf("seed %d, terms %v: id %d after %d ids goes on to %d, want %d", seed, terms, id, c.nodes[p.node].depth, got, want)
			}
			p = next
		}
	}
}

func checkTerms(t *testing.T, ids []int32, s Sentence, joined []bool) {
	t.Helper()
	if ids[len(ids)-1] != text.EOS && len(ids) < s.MaxLength {
		t.Errorf("translation %v does not end before %d ids, terms %v", ids, s.MaxLength, s.Terms)
	}
	// Terms are looked for from the beginnings of words.
	for _, constraint := range s.Terms {
		term, wanted, found := constraint.IDs, 0, 0
		for _, other := range s.Terms {
			if slices.Equal(other.IDs, term) {
				wanted++
			}
		}
		for i := 0; i+len(term) <= len(ids); i++ {
			if slices.Equal(ids[i:i+len(term)], term) && (i == 0 || !joined[ids[i-1]]) {
				found++
			}
		}
		if found < wanted || found > wanted && occurrences(s.Prefix, term) == 0 {
			t.Errorf("translation %v has term %v %d times, want %d; prefix %v", ids, term, found, wanted, s.Prefix)
		}
	}
}

// TestTermsLength has terms that are longer than the maximum length of translations, unless it is asked for.
func TestTermsLength(t *testing.T) {
	m := randomModel(t, tinyConfig, 1, 1)
	s := Sentence{Source: sentenceOf(newRand(1), 2, tinyConfig.SourceVocab), Terms: constraintsOf([][]int32{{2, 3, 2, 3, 3, 3, 2, 2, 2}})}
	best := translateTerms(t, newTranslator(t, Options{Threads: 1}, m), []Sentence{s})[0][0]
	if occurrences(best.IDs, s.Terms[0].IDs) != 1 {
		t.Errorf("got %v, want the term %v", best.IDs, s.Terms)
	}
	err := newTranslator(t, Options{Threads: 1, MaxLength: 8}, m).CheckSentence(s)
	checkError(t, "maximum length of 8", err, model.ErrExample, "terms of 10 ids")
}

func TestTermsErrors(t *testing.T) {
	m := randomModel(t, tinyConfig, 1, 1)
	tr := newTranslator(t, Options{Threads: 1}, m)
	source := sentenceOf(newRand(1), 2, tinyConfig.SourceVocab)
	for _, test := range []struct {
		s    Sentence
		want string
	}{
		{Sentence{Terms: constraintsOf([][]int32{{}})}, "term 0 is empty"},
		{Sentence{Terms: constraintsOf([][]int32{{2}, {2, text.EOS}})}, "term 1 is empty or has EOS"},
		{Sentence{Terms: constraintsOf([][]int32{{2}, {int32(tinyConfig.TargetVocab)}})}, "word 0 of the term 1 has id"},
		{Sentence{Terms: []Constraint{{IDs: []int32{2}, From: 1, To: 3}}}, "term 0 for the source from 1 to 3, expected a part of its 2 ids"},
		{Sentence{Terms: make([]Constraint, 65)}, "65 terms, expected at most 64"},
		{Sentence{Terms: constraintsOf([][]int32{{2, 2}, {3, 2}}), MaxLength: 4}, "terms of 5 ids with EOS, expected at most the maximum length of 4"},
		{Sentence{Terms: constraintsOf([][]int32{{2, 2}}), Prefix: []int32{3}, MaxLength: 3}, "prefix and terms of 4 ids"},
	} {
		test.s.Source = source
		tr.Each(t.Context(), []Sentence{test.s}, func(_ int, _ []Translation, err error) {
			checkError(t, test.want, err, model.ErrExample, test.want)
		})
	}
}

// TestTermsCopied overwrites the terms of a sentence that workers translate.
func TestTermsCopied(t *testing.T) {
	tr := newTranslator(t, Options{Threads: 1}, randomModel(t, tinyConfig, 1, 1))
	s := Sentence{Source: sentenceOf(newRand(1), 2, tinyConfig.SourceVocab), Terms: []Constraint{{[]int32{2, 3}, 0, 1}}}
	k, err := tr.newTask(t.Context(), 0, s)
	if err != nil {
		t.Fatal(err)
	}
	s.Terms[0].IDs[1], s.Terms[0].To = 4, 100
	if got := k.terms.terms[0]; got.To != 1 || !slices.Equal(got.IDs, []int32{2, 3}) || k.terms.nodes[2].id != 3 {
		t.Errorf("got %v, want ids 2 and 3 for the source from 0 to 1", got)
	}
}
