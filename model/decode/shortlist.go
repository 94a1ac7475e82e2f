package decode

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/internal/real"
	"github.com/softsearch-go/softsearch/model/text"
)

// A Lexicon counts which target words the models of a translator attend to which source words for. At each word of
// given translations, that word and the most probable ones count for each source id as their probability times
// its α. Counts are integers, so that their order does not matter.
type Lexicon struct {
	translator *Translator
	counts     []map[int32]uint64 // by source id and target id
	totals     []uint64           // by target id
}

const (
	countedWords = 16      // most probable ones at each step
	countUnit    = 1 << 20 // the count of a word that is certain
	leastShare   = 3000    // of the counts of a source word have those that a shortlist leaves out
	leastCount   = countUnit >> 10
	countedPairs = 1024 // whose links are in memory at a time
)

// NewLexicon returns a lexicon without counts. The error wraps [model.ErrConfig] if no model has alignments, or
// Options omit them.
func (t *Translator) NewLexicon() (*Lexicon, error) {
	if !t.aligns() {
		return nil, fmt.Errorf("%w: lexicon of models without alignments", model.ErrConfig)
	}
	c := t.models[0].Config
	return &Lexicon{t, make([]map[int32]uint64, c.SourceVocab), make([]uint64, c.TargetVocab)}, nil
}

// Count counts pairs, and calls f once for each list[i], like [Translator.ScoreEach], with the error of a pair that is
// not counted. Calls must not overlap.
func (l *Lexicon) Count(ctx context.Context, list []text.Example, f func(i int, err error)) {
	check(ctx, f != nil)
	for from := 0; from < len(list); from += countedPairs {
		l.count(ctx, list[from:min(from+countedPairs, len(list))], func(i int, err error) { f(from+i, err) })
	}
}

func (l *Lexicon) count(ctx context.Context, list []text.Example, f func(i int, err error)) {
	t := l.translator
	tasks, modes := make([]*task, 0, len(list)), make([]*counting, len(list))
	for i, e := range list {
		k, err := t.newScore(ctx, i, e)
		if err != nil {
			f(i, err)
			continue
		}
		modes[i] = &counting{ids: k.mode.(score)}
		k.mode = modes[i]
		tasks = append(tasks, k)
	}
	t.run(ctx, tasks, func(i int, _ []Translation, err error) {
		if err == nil {
			l.add(modes[i].links)
		}
		modes[i] = nil
		f(i, err)
	})
}

func (l *Lexicon) add(links []link) {
	for _, k := range links {
		if l.counts[k.source] == nil {
			l.counts[k.source] = map[int32]uint64{}
		}
		l.counts[k.source][k.target] += k.count
		l.totals[k.target] += k.count
	}
}

// A link is what a target word counts for a source word.
type link struct {
	source, target int32
	count          uint64
}

// counting is the mode of a translation that is given and counted.
type counting struct {
	ids   score
	links []link
}

func (*counting) target(int) int32 { return -1 }

func (m *counting) extend(b *beam, s *search, scores kernels.Matrix, row int) {
	var best [countedWords]float32
	var words [countedWords]int32
	x, given, alpha := scores.Row(row), m.ids[s.time], b.alphaOf(s, s.time, 0)
	n := b.kernels.TopK(best[:], words[:], x)
	b.ensemble.scored[row] = float64(x[given]) - b.ensemble.logSums[row]
	for i, id := range words[:n] {
		m.link(s.source, alpha, id, float64(best[i])-b.ensemble.logSums[row])
	}
	if !slices.Contains(words[:n], given) {
		m.link(s.source, alpha, given, b.ensemble.scored[row])
	}
	m.ids.extend(b, s, scores, row)
}

// link counts a target word of that log-probability.
func (m *counting) link(source []int32, alpha []float32, target int32, logProb float64) {
	p := real.Exp(min(0, logProb))
	for j, a := range alpha {
		if n := uint64(float64(float64(float64(a)*p) * countUnit)); n >= leastCount {
			m.links = append(m.links, link{source[j], target, n})
		}
	}
}

// Shortlist returns the shortlist of what has been counted: the common target words with the largest counts, and for
// each source word those of the others that have at least 1/3000 of its counts, at most perWord. Of equal
// counts the smaller id comes first. It panics if a number is negative.
func (l *Lexicon) Shortlist(perWord, common int) *model.Shortlist {
	if min(perWord, common) < 0 {
		panic("decode: Lexicon.Shortlist: negative number of words")
	}
	all := make(map[int32]uint64, len(l.totals))
	for id, n := range l.totals {
		all[int32(id)] = n
	}
	s := &model.Shortlist{Common: largestCounts(all, common, 1, nil), Lexicon: make([][]int32, len(l.counts))}
	for source, counts := range l.counts {
		total := uint64(0)
		for _, n := range counts {
			total += n
		}
		s.Lexicon[source] = largestCounts(counts, perWord, max(1, total/leastShare), s.Common)
	}
	return s
}

// largestCounts returns the ids with the largest counts, each at least least and not in without, in ascending order.
func largestCounts(counts map[int32]uint64, most int, least uint64, without []int32) []int32 {
	ids := make([]int32, 0, len(counts))
	for id, n := range counts {
		if _, found := slices.BinarySearch(without, id); n >= least && !found {
			ids = append(ids, id)
		}
	}
	slices.SortFunc(ids, func(a, b int32) int { return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b)) })
	ids = slices.Clip(ids[:min(most, len(ids))])
	slices.Sort(ids)
	return ids
}
