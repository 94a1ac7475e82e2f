package decode

import (
	"math"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model/text"
)

// rankingBlock is the number of ids that a ranking can skip at once.
const rankingBlock = 256

// A candidate is the hypothesis in row parent, continued by an id.
type candidate struct {
	score  float64
	parent int
	word   int32
}

// A ranking holds the best candidates, up to width of them, best first. Of equal ones the first
// that was added ranks first.
type ranking struct {
	best         []candidate
	width        int
	noEOS, noUNK bool    // ids that are skipped
	placeholders []uint8 // of each id: what keep.target is
	left         []int32 // of each placeholder; they are skipped if there are none. Nil skips nothing
}

func (r *ranking) reset(width int) {
	r.best, r.width = r.best[:0], width
}

// bar returns the score that a candidate must exceed.
func (r *ranking) bar() float64 {
	if len(r.best) < r.width {
		return math.Inf(-1)
	}
	return r.best[r.width-1].score
}

// add ranks the continuations of a hypothesis by every allowed word, with base and its score.
// Rounding is monotonic: if the sum of the largest score of a block is not above the bar, no sum of
// the block is.
func (r *ranking) add(k kernels.Impl, parent int, base float64, scores []float32) {
	for from := 0; from < len(scores); from += rankingBlock {
		block := scores[from:min(from+rankingBlock, len(scores))]
		bar := r.bar()
		if base+float64(k.Max(block)) <= bar {
			continue
		}
		for i, s := range block {
			score := base + float64(s)
			if score <= bar {
				continue
			}
			word := int32(from + i)
			if r.skips(word) {
				continue
			}
			r.insert(candidate{score, parent, word})
			bar = r.bar()
		}
	}
}

func (r *ranking) skips(word int32) bool {
	if word == text.EOS && r.noEOS || word == text.UNK && r.noUNK {
		return true
	}
	return r.left != nil && r.placeholders[word] > 0 && r.left[r.placeholders[word]-1] == 0
}

// willing is log 20: a hypothesis would end where EOS has a twentieth of the probability of the best word. One that went
// on until EOS is the best would get lost in words.
const willing = 3

// ends reports whether no other allowed word has a score higher than EOS by more than willing.
func (r *ranking) ends(k kernels.Impl, scores []float32) bool {
	eos := scores[text.EOS] + willing
	for from := 0; from < len(scores); from += rankingBlock {
		block := scores[from:min(from+rankingBlock, len(scores))]
		if k.Max(block) <= eos {
			continue
		}
		for i, s := range block {
			if s > eos && !r.skips(int32(from+i)) {
				return false
			}
		}
	}
	return true
}

// insert inserts c and drops the worst candidate if there are more than width.
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
