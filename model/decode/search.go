package decode

import (
	"context"
	"fmt"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/text"
)

// A search is the state of one sentence.
type search struct {
	length   int // most words
	live     int // unfinished hypotheses
	finished int
	best     []ending // best first, up to Decoding.Best of them
}

// A step is one word of a hypothesis and the row of the hypothesis before it.
type step struct {
	word   int32
	parent int
}

// begin starts a search for each sentence, with one hypothesis without words, in a beam of
// that width.
func (t *Beam) begin(batch []Sentence, width int) error {
	t.sources = t.sources[:0]
	for i, s := range batch {
		if err := checkMaxLength(i, s, t.capacity); err != nil {
			return err
		}
		t.sources = append(t.sources, s.Source)
	}
	if err := t.ensemble.begin(t.sources); err != nil {
		return err
	}
	t.clear()
	t.width, t.searches = width, t.searches[:0]
	most := t.decoding.best()
	for i, s := range batch {
		t.searches = append(t.searches, search{length: s.MaxLength, live: 1, best: t.endings[i*most:][:0:most]})
		t.push(-1, 0, -1)
	}
	return nil
}

// checkMaxLength returns an error if there is no room for the translation of sentence i.
func checkMaxLength(i int, s Sentence, c model.Capacity) error {
	if s.MaxLength < 1 || s.MaxLength > c.TargetLength {
		return fmt.Errorf("model: translation of sentence %d in %d words: %w of 1 to %d", i, s.MaxLength, model.ErrCapacity, c.TargetLength)
	}
	return nil
}

// clear removes all hypotheses.
func (t *Beam) clear() {
	t.words, t.logProbs, t.parents = t.words[:0], t.logProbs[:0], t.parents[:0]
}

// push adds a hypothesis: its last word, its log-probability and the row that it continues.
func (t *Beam) push(word int32, logProb float64, parent int) {
	t.words, t.logProbs, t.parents = append(t.words, word), append(t.logProbs, logProb), append(t.parents, parent)
}

// step continues all hypotheses by a word.
func (t *Beam) step(ctx context.Context, time int) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("model: translation after %d words: %w", time, err)
	}
	scores, err := t.ensemble.step(t.words)
	if err != nil {
		return err
	}
	t.remember(time)
	if err := t.extend(time, scores); err != nil {
		return err
	}
	return t.ensemble.keep(t.parents)
}

// remember stores the alignments of this step.
func (t *Beam) remember(time int) {
	if t.alpha == nil {
		return
	}
	for row := range t.words {
		t.ensemble.weights(t.alpha[t.place(time, row)*t.capacity.SourceLength:], row)
	}
}

// place returns where the history has a row of that time.
func (t *Beam) place(time, row int) int {
	return time*t.capacity.Sentences*t.decoding.Beam + row
}

// extend replaces the hypotheses of all sentences by their best continuations.
func (t *Beam) extend(time int, scores kernels.Matrix) error {
	t.logProbs, t.before = t.before, t.logProbs
	t.clear()
	t.ranking.noEOS = time < t.minLength
	row := 0
	for i := range t.searches {
		s := &t.searches[i]
		end := row + s.live
		if row < end {
			if !t.expand(scores, row, end, t.width-s.finished) {
				return fmt.Errorf("model: scores after %d words: %w", time, model.ErrNotFinite)
			}
			t.advance(s, time)
		}
		row = end
	}
	return nil
}

// expand ranks the continuations of the hypotheses of a sentence, which are rows from to
// to-1; of equals the one of the earlier hypothesis and the lower word is the better. It
// reports whether there are any, with scores that are numbers.
func (t *Beam) expand(scores kernels.Matrix, from, to, width int) bool {
	t.ranking.reset(width)
	for row := from; row < to; row++ {
		base := t.before[row] - t.ensemble.logSums[row]
		if base-base != 0 {
			return false
		}
		t.ranking.add(t.kernels, row, base, scores.Row(row))
	}
	return len(t.ranking.best) > 0
}

// advance sets the finished continuations aside and makes the others the hypotheses of the
// next step, unless the search is over.
func (t *Beam) advance(s *search, time int) {
	first := len(t.words)
	for _, c := range t.ranking.best {
		step := step{c.word, c.parent}
		if c.word == text.EOS {
			s.finished++
			s.finish(t.ending(step, time, c.score))
			continue
		}
		t.history[t.place(time, len(t.words))] = step
		t.push(c.word, c.score, c.parent)
	}
	s.live = len(t.words) - first
	if time+1 == s.length {
		t.fill(s, first, time)
	} else if s.live > 0 && !t.decided(s, t.logProbs[first]) {
		return
	}
	t.words, t.logProbs, t.parents = t.words[:first], t.logProbs[:first], t.parents[:first]
	s.live = 0
}
