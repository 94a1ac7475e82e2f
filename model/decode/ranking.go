package decode

import (
	"math"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model/text"
)

// rankingBlock is the number of words that a ranking passes over at once.
const rankingBlock = 256

// A candidate continues the hypothesis of row parent by a word.
type candidate struct {
	score  float64
	parent int
	word   int32
}

// A ranking is the best candidates, as many as width, the best first. Of equals it has the
// one that came first.
type ranking struct {
	best         []candidate
	width        int
	noEOS, noUNK bool // words that are left out
}

// reset makes the ranking one of the best width of no candidates.
func (r *ranking) reset(width int) { r.best, r.width = r.best[:0], width }

// bar returns the score that a candidate has to exceed.
func (r *ranking) bar() float64 {
	if len(r.best) < r.width {
		return math.Inf(-1)
	}
	return r.best[r.width-1].score
}

// add ranks the continuations of a hypothesis by every word that may come: base +
// scores[word]. Rounding keeps the order of scores, so a block of words without one above the
// bar has its largest score not above it.
func (r *ranking) add(k kernels.Impl, parent int, base float64, scores []float32) {
	for from := 0; from < len(scores); from += rankingBlock {
		block := scores[from:min(from+rankingBlock, len(scores))]
		bar := r.bar()
		if base+float64(k.Max(block)) <= bar {
			continue
		}
		for w, s := range block {
			score := base + float64(s)
			if score <= bar || r.leavesOut(int32(from+w)) {
				continue
			}
			r.insert(candidate{score, parent, int32(from + w)})
			bar = r.bar()
		}
	}
}

// leavesOut reports whether a word may not come.
func (r *ranking) leavesOut(word int32) bool {
	return word == text.EOS && r.noEOS || word == text.UNK && r.noUNK
}

// insert puts c into its place.
func (r *ranking) insert(c candidate) {
	if len(r.best) < r.width {
		r.best = append(r.best, c)
	}
	i := len(r.best) - 1
	for ; i > 0 && r.best[i-1].score < c.score; i-- {
		r.best[i] = r.best[i-1]
	}
	r.best[i] = c
}
