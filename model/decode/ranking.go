package decode

import (
	"math"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model"
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

// prune drops candidates that score lower than the best one by more than below, while more than remain are left.
func (r *ranking) prune(remain int, below float64) {
	n := len(r.best)
	for n > remain && r.best[n-1].score < r.best[0].score-below {
		n--
	}
	r.best = r.best[:n]
}

// placeholders are the words that stand for kept spans.
type placeholders struct {
	ids            []int32 // of the target vocabulary, by number
	source, target []uint8 // the number of the placeholder that an id is, from 1; 0 for other words
}

func placeholdersOf(m *model.Model) *placeholders {
	words := m.SourceText.Placeholders()
	if m.Source == nil || m.Target == nil || len(words) == 0 {
		return nil
	}
	p := &placeholders{source: make([]uint8, m.Config.SourceVocab), target: make([]uint8, m.Config.TargetVocab)}
	for _, word := range words {
		id := m.Target.ID(word)
		if id == text.UNK {
			continue
		}
		p.ids = append(p.ids, id)
		p.target[id] = uint8(len(p.ids))
		if id := m.Source.ID(word); id != text.UNK {
			p.source[id] = uint8(len(p.ids))
		}
	}
	return p
}

// is reports whether an id of the target vocabulary is a placeholder.
func (p *placeholders) is(id int32) bool { return p != nil && p.target[id] > 0 }

// keep is the constraint that a translation has each placeholder as often as its source. A hypothesis does not end
// before. One that would end, or for which the maximum length leaves no room otherwise, goes on by a placeholder that it
// lacks. A nil keep is no constraint.
type keep struct {
	*placeholders
	left, before []int32 // how many of each the hypotheses lack, a row for each, now and at the step before
}

// begin starts with one empty translation of a source, of which there will be at most rows.
func (k *keep) begin(source []int32, rows int) {
	if k == nil {
		return
	}
	k.left, k.before = resize(k.left, rows*len(k.ids))[:len(k.ids)], resize(k.before, rows*len(k.ids))
	clear(k.left)
	for _, id := range source {
		if number := k.source[id]; number > 0 {
			k.left[number-1]++
		}
	}
}

// row returns what a hypothesis lacks.
func (k *keep) row(left []int32, hypothesis int) []int32 {
	return left[hypothesis*len(k.ids):][:len(k.ids)]
}

// rank ranks the continuations of hypothesis i of a sentence, which is in a row of the scores.
func (k *keep) rank(b *beam, s *task, i, row int, base float64, scores []float32) {
	r := &b.ranking
	r.placeholders, r.left = k.target, k.row(k.left, i)
	missing := 0
	for _, n := range r.left {
		missing += int(n)
	}
	if missing == 0 {
		r.add(b.kernels, row, base, scores)
		return
	}
	if missing+1 >= s.maxLength-s.time || !r.noEOS && r.ends(b.kernels, scores) {
		for at, n := range r.left {
			if score := base + float64(scores[k.ids[at]]); n > 0 && score > r.bar() {
				r.insert(candidate{score, row, k.ids[at]})
			}
		}
		return
	}
	noEOS := r.noEOS
	r.noEOS = true
	r.add(b.kernels, row, base, scores)
	r.noEOS = noEOS
}

// turn begins a step: the hypotheses become the ones before.
func (k *keep) turn() {
	if k != nil {
		k.left, k.before = k.before[:0], k.left
	}
}

// push adds the next hypothesis, which continues hypothesis parent of the step before by an id.
func (k *keep) push(parent int, id int32) {
	if k == nil {
		return
	}
	k.left = append(k.left, k.row(k.before, parent)...)
	if number := k.target[id]; number > 0 {
		if n := &k.left[len(k.left)-len(k.ids)+int(number)-1]; *n > 0 {
			*n--
		}
	}
}
