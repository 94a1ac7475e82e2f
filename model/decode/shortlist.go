package decode

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/internal/real"
)

// A Lexicon counts which target words the models of a translator attend to which source words for. Of sentences that
// they translate by greedy search among all words, the most probable words at each step count for each source
// id as their probability times its α. Counts are integers, so that their order does not matter.
type Lexicon struct {
	translator *Translator
	counts     []map[int32]uint64 // by source id and target id
}

const (
	countedWords     = 16 // most probable ones at each step
	countUnit        = 1 << 20
	leastLink        = countUnit >> 10
	leastCount       = countUnit / 500
	leastShare       = 5000 // of the counts of a source word have those that a shortlist leaves out
	countedSentences = 1024 // whose links are in memory at a time
)

// NewLexicon returns a lexicon without counts. The error wraps [model.ErrConfig] if no model has alignments, or
// Options omit them.
func (t *Translator) NewLexicon() (*Lexicon, error) {
	if !t.aligns() {
		return nil, fmt.Errorf("%w: lexicon of models without alignments", model.ErrConfig)
	}
	return &Lexicon{t, make([]map[int32]uint64, t.models[0].Config.SourceVocab)}, nil
}

// Count translates sources of ids that end with EOS and counts. It calls f once for each list[i], like
// [Translator.Each], with the error of a source that is not counted. Calls must not overlap.
func (l *Lexicon) Count(ctx context.Context, list [][]int32, f func(i int, err error)) {
	check(ctx, f != nil)
	for from := 0; from < len(list); from += countedSentences {
		l.count(ctx, list[from:min(from+countedSentences, len(list))], func(i int, err error) { f(from+i, err) })
	}
}

func (l *Lexicon) count(ctx context.Context, list [][]int32, f func(i int, err error)) {
	t := l.translator
	tasks, modes := make([]*task, 0, len(list)), make([]*counting, len(list))
	for i, source := range list {
		k, err := t.newTask(ctx, i, Sentence{Source: source, Beam: 1, NBest: 1}, true)
		if err != nil {
			f(i, err)
			continue
		}
		modes[i] = &counting{}
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
	}
}

// A link is what a target word counts for a source word.
type link struct {
	source, target int32
	count          uint64
}

// counting is the mode of a greedy search that is counted.
type counting struct {
	translate
	links []link
}

func (m *counting) extend(b *beam, s *search, scores kernels.Matrix, row int) {
	var best [countedWords]float32
	var words [countedWords]int32
	n := b.kernels.TopK(best[:], words[:], scores.Row(row))
	alpha := b.alphaOf(s, s.time, 0)
	for i, id := range words[:n] {
		p := countUnit * real.Exp(min(0, float64(best[i])-b.ensemble.logSums[row]))
		if p < leastLink {
			break
		}
		for j, a := range alpha {
			if count := uint64(float64(float64(a) * p)); count >= leastLink {
				m.links = append(m.links, link{s.source[j], id, count})
			}
		}
	}
	m.translate.extend(b, s, scores, row)
}

// Shortlist returns the shortlist of what has been counted: common words for any sentence, and for each source word
// those of the others with the largest counts, at most perWord, that have at least 1/500 of a word and 1/5000 of the
// counts of the source word. Of equal counts the smaller id comes first. It panics if a number is negative.
func (l *Lexicon) Shortlist(perWord, common int) *model.Shortlist {
	if min(perWord, common) < 0 {
		panic("decode: Lexicon.Shortlist: negative number of words")
	}
	common = min(common, l.translator.models[0].Config.TargetVocab)
	s := &model.Shortlist{Common: common, Lexicon: make([][]int32, len(l.counts))}
	for source, counts := range l.counts {
		total := uint64(0)
		for _, n := range counts {
			total += n
		}
		s.Lexicon[source] = largestCounts(counts, perWord, leastCount+total/leastShare, int32(common))
	}
	return s
}

// largestCounts returns the ids from first on with the largest counts, each at least least, in ascending order.
func largestCounts(counts map[int32]uint64, most int, least uint64, first int32) []int32 {
	ids := make([]int32, 0, len(counts))
	for id, n := range counts {
		if n >= least && id >= first {
			ids = append(ids, id)
		}
	}
	slices.SortFunc(ids, func(a, b int32) int { return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b)) })
	ids = slices.Clip(ids[:min(most, len(ids))])
	slices.Sort(ids)
	return ids
}
