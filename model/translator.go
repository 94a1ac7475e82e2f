package model

import (
	"context"
	"fmt"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model/text"
)

// A Sentence is one to translate: its ids, EOS at the end, and the most words of its
// translation, with EOS.
type Sentence struct {
	Source []int32
	Length int
}

// A Translation is a translated sentence. Its slices are valid until the next call.
type Translation struct {
	Words     []int32        // with EOS at the end, unless the length ran out
	LogProb   float64        // log p(Words | source)
	Alignment kernels.Matrix // α, words × source positions with EOS; no rows for RNNencdec
}

// A Translator finds the most probable translations by beam search: of all continuations of
// the unfinished hypotheses of a sentence it keeps the best, as many as the beam is wide less
// the number that are finished, and ends when no unfinished one is more probable than the
// best finished one. A beam of 1 is greedy search.
//
// The hypotheses of all sentences of a batch are rows of the same products. A sentence that
// is translated leaves no row behind, and its translation does not depend on the others.
type Translator struct {
	kernels  kernels.Impl
	decoding Decoding
	capacity Capacity
	stepper  *Stepper
	sources  [][]int32
	searches []search
	ranking  ranking

	// Of the hypotheses of all sentences, those of a sentence side by side, best first.
	words            []int32   // the last ones
	logProbs, before []float64 // of the words of each hypothesis; those of the step before
	parents          []int     // their rows at the step before

	history []step    // TargetLength×hypotheses: those of each time
	alpha   []float32 // TargetLength×hypotheses×SourceLength

	lists   [][]Translation
	results []Translation // Sentences
	output  []int32       // Sentences×TargetLength
	aligned []float32     // Sentences×TargetLength×SourceLength
}

// A search is the state of one sentence.
type search struct {
	length   int // most words
	live     int // unfinished hypotheses
	finished int
	result   ending
}

// A step is one word of a hypothesis and the row of the hypothesis before it.
type step struct {
	word   int32
	parent int
}

// An ending is the last word of a hypothesis.
type ending struct {
	step
	time  int
	score float64
	found bool
}

// NewTranslator returns a translator of batches within the capacity, by one model. The error
// wraps ErrConfig.
func NewTranslator(k kernels.Impl, d Decoding, capacity Capacity, models ...*Model) (*Translator, error) {
	if err := capacity.check(); err != nil {
		return nil, err
	}
	if err := d.Check(); err != nil {
		return nil, err
	}
	if len(models) != 1 {
		return nil, fmt.Errorf("model: %w: %d models, expected 1", ErrConfig, len(models))
	}
	m, rows := models[0], capacity.Sentences*d.Beam
	stepper, err := NewStepper(k, m, capacity.Sentences, rows, capacity.SourceLength)
	if err != nil {
		return nil, err
	}
	t := &Translator{
		kernels: k, decoding: d, capacity: capacity,
		stepper: stepper,
		sources: make([][]int32, 0, capacity.Sentences), searches: make([]search, 0, capacity.Sentences),
		ranking: ranking{best: make([]candidate, 0, d.Beam)},
		words:   make([]int32, 0, rows), parents: make([]int, 0, rows),
		logProbs: make([]float64, 0, rows), before: make([]float64, 0, rows),
		history: make([]step, capacity.TargetLength*rows),
		lists:   make([][]Translation, 0, capacity.Sentences),
		results: make([]Translation, capacity.Sentences),
		output:  make([]int32, capacity.Sentences*capacity.TargetLength),
	}
	if m.Config.Kind == Search {
		t.alpha = make([]float32, capacity.TargetLength*rows*capacity.SourceLength)
		t.aligned = make([]float32, capacity.Sentences*capacity.TargetLength*capacity.SourceLength)
	}
	return t, nil
}

// Translate translates a sentence of ids that ends with EOS into at most length words and
// returns the translations found, the best first. The error wraps ErrExample, ErrCapacity or,
// if ctx ended first, its error.
func (t *Translator) Translate(ctx context.Context, source []int32, length int) ([]Translation, error) {
	results, err := t.TranslateBatch(ctx, []Sentence{{source, length}})
	if err != nil {
		return nil, err
	}
	return results[0], nil
}

// TranslateBatch translates sentences, each into what Translate makes of it. The error wraps
// ErrExample, ErrCapacity or, if ctx ended first, its error.
func (t *Translator) TranslateBatch(ctx context.Context, batch []Sentence) ([][]Translation, error) {
	if err := t.begin(batch); err != nil {
		return nil, err
	}
	for time := 0; len(t.words) > 0; time++ {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("model: translation: %w", err)
		}
		scores, err := t.stepper.Step(t.words)
		if err != nil {
			return nil, err
		}
		t.remember(time)
		t.extend(time, scores)
		if err := t.stepper.Keep(t.parents); err != nil {
			return nil, err
		}
	}
	t.lists = t.lists[:0]
	for i := range t.searches {
		t.results[i] = t.trace(i)
		t.lists = append(t.lists, t.results[i:i+1:i+1])
	}
	return t.lists, nil
}

// begin starts a search for each sentence, with one hypothesis without words.
func (t *Translator) begin(batch []Sentence) error {
	t.sources = t.sources[:0]
	for i, s := range batch {
		if err := t.capacity.checkLength(i, s); err != nil {
			return err
		}
		t.sources = append(t.sources, s.Source)
	}
	if err := t.stepper.Begin(t.sources...); err != nil {
		return err
	}
	t.clear()
	t.searches = t.searches[:0]
	for _, s := range batch {
		t.searches = append(t.searches, search{length: s.Length, live: 1})
		t.push(-1, 0, -1)
	}
	return nil
}

// checkLength returns an error if there is no room for the translation of sentence i.
func (c Capacity) checkLength(i int, s Sentence) error {
	if s.Length < 1 || s.Length > c.TargetLength {
		return fmt.Errorf("model: translation of sentence %d in %d words: %w of 1 to %d", i, s.Length, ErrCapacity, c.TargetLength)
	}
	return nil
}

// clear removes all hypotheses.
func (t *Translator) clear() {
	t.words, t.logProbs, t.parents = t.words[:0], t.logProbs[:0], t.parents[:0]
}

// push adds a hypothesis: its last word, its log-probability and the row that it continues.
func (t *Translator) push(word int32, logProb float64, parent int) {
	t.words, t.logProbs, t.parents = append(t.words, word), append(t.logProbs, logProb), append(t.parents, parent)
}

// remember stores the alignments of this step.
func (t *Translator) remember(time int) {
	if t.alpha == nil {
		return
	}
	for row := range t.words {
		copy(t.alpha[t.place(time, row)*t.capacity.SourceLength:], t.stepper.Weights(row))
	}
}

// place returns where the history has a row of that time.
func (t *Translator) place(time, row int) int {
	return time*t.capacity.Sentences*t.decoding.Beam + row
}

// extend continues all hypotheses by a word.
func (t *Translator) extend(time int, scores kernels.Matrix) {
	t.logProbs, t.before = t.before, t.logProbs
	t.clear()
	row := 0
	for i := range t.searches {
		s := &t.searches[i]
		end := row + s.live
		if row < end {
			t.expand(scores, row, end, t.decoding.Beam-s.finished)
			t.advance(s, time)
		}
		row = end
	}
}

// expand ranks the continuations of the hypotheses of a sentence, which are rows from to
// to-1; of equals the one of the earlier hypothesis and the lower word is the better.
func (t *Translator) expand(scores kernels.Matrix, from, to, width int) {
	t.ranking.reset(width)
	for row := from; row < to; row++ {
		words := scores.Row(row)
		base := t.before[row] - float64(t.kernels.LogSumExp(words))
		t.ranking.add(t.kernels, row, base, words)
	}
}

// advance sets the finished continuations aside and makes the others the hypotheses of the
// next step, unless the search is over.
func (t *Translator) advance(s *search, time int) {
	first, last := len(t.words), time+1 == s.length
	for _, c := range t.ranking.best {
		step := step{c.word, c.parent}
		if c.word == text.EOS {
			s.finished++
			if !s.result.found || c.score > s.result.score {
				s.result = ending{step, time, c.score, true}
			}
			continue
		}
		t.history[t.place(time, len(t.words))] = step
		t.push(c.word, c.score, c.parent)
	}
	s.live = len(t.words) - first
	if last && !s.result.found {
		s.result = ending{t.history[t.place(time, first)], time, t.logProbs[first], true}
	}
	if last || s.live > 0 && s.result.found && s.result.score >= t.logProbs[first] {
		t.words, t.logProbs, t.parents = t.words[:first], t.logProbs[:first], t.parents[:first]
		s.live = 0
	}
}

// trace follows the best hypothesis of sentence i back to its first word.
func (t *Translator) trace(i int) Translation {
	end, source := t.searches[i].result, len(t.sources[i])
	n, most := end.time+1, t.capacity.TargetLength
	r := Translation{Words: t.output[i*most:][:n:n], LogProb: end.score}
	if t.alpha != nil {
		r.Alignment = kernels.View(t.aligned[i*most*t.capacity.SourceLength:], n, source)
	}
	s := end.step
	for time := n - 1; ; time-- {
		r.Words[time] = s.word
		if r.Alignment.Rows > 0 {
			copy(r.Alignment.Row(time), t.alpha[t.place(time, s.parent)*t.capacity.SourceLength:])
		}
		if time == 0 {
			return r
		}
		s = t.history[t.place(time-1, s.parent)]
	}
}
