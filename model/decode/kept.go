package decode

import (
	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/text"
)

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
	left, before []int32 // how many of each the hypotheses lack, a row for each; of those of the step before
}

// begin starts with one empty translation of a source, of which there will be as many as rows.
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

// turn makes the hypotheses those of the step before.
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
