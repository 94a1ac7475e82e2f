package main

import (
	"regexp"
	"slices"
	"strings"
)

// An entry is a word and what stands for it most often.
type entry struct{ source, target string }

// dictionary returns the words of the sources that have a clear translation, the most frequent first: t(f|e)·t(e|f) of
// IBM Model 1 (Brown et al., 1993) in both directions is the largest for it, and large.
func dictionary(sources, targets []string) []entry {
	const (
		least    = 8 // times in the sources
		clear    = 0.12
		probable = 0.2
	)
	s, t := newVocabulary(sources), newVocabulary(targets)
	forward, backward := model1(s, t), model1(t, s)
	type candidate struct {
		target int32
		weight float64
	}
	best := make([]candidate, len(s.words))
	for id, pair := range forward.pairs {
		e, f, p := pair[0], pair[1], forward.p[id]
		weight := p * backward.of(f, e)
		if b := best[e]; p >= probable && (weight > b.weight || weight == b.weight && f < b.target) {
			best[e] = candidate{f, weight}
		}
	}
	order := make([]int32, len(s.words))
	for e := range order {
		order[e] = int32(e)
	}
	slices.SortStableFunc(order, func(a, b int32) int { return s.counts[b] - s.counts[a] })
	var list []entry
	for _, e := range order {
		source, target := s.words[e], t.words[best[e].target]
		if e != none && s.counts[e] >= least && best[e].weight >= clear && !strings.Contains(source+target, "'") {
			list = append(list, entry{source, target})
		}
	}
	return list
}

// A vocabulary is the different words of lines, and these as ids.
type vocabulary struct {
	words  []string // words[none] stands for no word
	counts []int
	lines  [][]int32
}

const none int32 = 0

// A word is letters, which hyphens join; French ones are divided after an elision.
var word = regexp.MustCompile(`(?:(?:[cdjlmnst]|qu|jusqu|lorsqu|puisqu)['’])|[\pL]+(?:['’][\pL]+)?(?:-[\pL]+)*`)

func newVocabulary(lines []string) *vocabulary {
	v := &vocabulary{words: []string{""}, counts: []int{0}}
	ids := map[string]int32{}
	for _, line := range lines {
		var list []int32
		for _, w := range word.FindAllString(strings.ToLower(line), -1) {
			w = strings.ReplaceAll(w, "’", "'")
			id, ok := ids[w]
			if !ok {
				id = int32(len(v.words))
				ids[w] = id
				v.words, v.counts = append(v.words, w), append(v.counts, 0)
			}
			v.counts[id]++
			list = append(list, id)
		}
		v.lines = append(v.lines, list)
	}
	return v
}

// A table is t(f|e) for the pairs of words in lines that translate each other.
type table struct {
	ids   map[[2]int32]int // of e and f
	pairs [][2]int32
	p     []float64
}

// of returns t(f|e), 0 for words that share no line.
func (t *table) of(e, f int32) float64 {
	if id, ok := t.ids[[2]int32{e, f}]; ok {
		return t.p[id]
	}
	return 0
}

// model1 returns the table after five iterations of expectation maximization.
func model1(s, t *vocabulary) *table {
	const iterations = 5
	m := &table{ids: map[[2]int32]int{}}
	var links []int // for each target word of each line, the pairs of it with none and all words of the source
	for i, targets := range t.lines {
		for _, f := range targets {
			for _, e := range append([]int32{none}, s.lines[i]...) {
				pair := [2]int32{e, f}
				id, ok := m.ids[pair]
				if !ok {
					id = len(m.pairs)
					m.ids[pair] = id
					m.pairs, m.p = append(m.pairs, pair), append(m.p, 1)
				}
				links = append(links, id)
			}
		}
	}
	for range iterations {
		counts, totals, rest := make([]float64, len(m.p)), make([]float64, len(s.words)), links
		for i, targets := range t.lines {
			for range targets {
				var word []int
				word, rest = rest[:1+len(s.lines[i])], rest[1+len(s.lines[i]):]
				sum := 0.0
				for _, id := range word {
					sum += m.p[id]
				}
				for _, id := range word {
					part := m.p[id] / sum
					counts[id] += part
					totals[m.pairs[id][0]] += part
				}
			}
		}
		for id, pair := range m.pairs {
			m.p[id] = counts[id] / totals[pair[0]]
		}
	}
	return m
}
