package model

import (
	"fmt"
	"math"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model/text"
)

// A Translation is a translated sentence. Its slices are valid until the next call.
type Translation struct {
	Words     []int32        // with EOS at the end, unless the length ran out
	LogProb   float64        // log p(Words | source)
	Alignment kernels.Matrix // α, words × source positions with EOS; no rows for RNNencdec
}

// A Translator finds the most probable translation by beam search: of all continuations of
// the unfinished hypotheses it keeps the best, as many as the beam is wide less the number
// that are finished, and ends when no unfinished one is more probable than the best
// finished one. A beam of 1 is greedy search.
type Translator struct {
	kernels  kernels.Impl
	model    *Model
	beam     int
	length   int // most words of a translation
	source   int // most words of a source
	stepper  *Stepper
	words    []int32 // the last word of each hypothesis
	scores   []float64
	parents  []int
	best     []candidate
	history  []step // length×beam: the hypotheses of each time
	alpha    []float32
	finished int
	result   ending
	output   []int32
	aligned  []float32
}

// A candidate continues hypothesis parent by a word.
type candidate struct {
	score  float64
	parent int
	word   int32
}

// A step is one word of a hypothesis and the place of the hypothesis before it.
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

// NewTranslator returns a translator that keeps beam hypotheses, for sources of up to
// source words and translations of up to length words, both with EOS. The error wraps
// ErrConfig.
func NewTranslator(k kernels.Impl, m *Model, beam, source, length int) (*Translator, error) {
	if length < 1 {
		return nil, fmt.Errorf("model: %w: translations of %d words, expected at least 1", ErrConfig, length)
	}
	stepper, err := NewStepper(k, m, beam, source)
	if err != nil {
		return nil, err
	}
	return &Translator{
		kernels: k, model: m, beam: beam, length: length, source: source,
		stepper: stepper,
		words:   make([]int32, beam), scores: make([]float64, beam), parents: make([]int, beam),
		best:    make([]candidate, 0, beam),
		history: make([]step, length*beam), alpha: make([]float32, length*beam*source),
		output: make([]int32, length), aligned: make([]float32, length*source),
	}, nil
}

// Translate translates a sentence of ids that ends with EOS into at most length words.
// The error wraps ErrExample or ErrCapacity.
func (t *Translator) Translate(source []int32, length int) (Translation, error) {
	if length < 1 || length > t.length {
		return Translation{}, fmt.Errorf("model: translation of %d words: %w of 1 to %d", length, ErrCapacity, t.length)
	}
	if err := t.stepper.Begin(source); err != nil {
		return Translation{}, err
	}
	t.finished, t.result = 0, ending{}
	t.words[0], t.scores[0] = -1, 0
	live := 1
	for time := 0; live > 0; time++ {
		scores, err := t.stepper.Step(t.words[:live])
		if err != nil {
			return Translation{}, err
		}
		t.expand(scores)
		t.remember(time, live)
		if live, err = t.advance(time, time+1 == length); err != nil {
			return Translation{}, err
		}
	}
	return t.trace(len(source)), nil
}

// expand finds the best continuations of all hypotheses, best first; of equals the one of
// the earlier hypothesis and the lower word.
func (t *Translator) expand(scores kernels.Matrix) {
	t.best = t.best[:0]
	width := t.beam - t.finished
	for i := range scores.Rows {
		row := scores.Row(i)
		base := t.scores[i] - float64(t.kernels.LogSumExp(row))
		bar := math.Inf(-1)
		if len(t.best) == width {
			bar = t.best[width-1].score
		}
		for w, s := range row {
			score := base + float64(s)
			if score <= bar {
				continue
			}
			t.insert(candidate{score, i, int32(w)}, width)
			if len(t.best) == width {
				bar = t.best[width-1].score
			}
		}
	}
}

// insert puts c into its place among the best, of which it keeps width.
func (t *Translator) insert(c candidate, width int) {
	if len(t.best) < width {
		t.best = append(t.best, c)
	}
	i := len(t.best) - 1
	for ; i > 0 && t.best[i-1].score < c.score; i-- {
		t.best[i] = t.best[i-1]
	}
	t.best[i] = c
}

// remember stores the alignments of this step.
func (t *Translator) remember(time, live int) {
	for i := range live {
		copy(t.alpha[(time*t.beam+i)*t.source:], t.stepper.Weights(i))
	}
}

// advance sets the finished continuations aside and makes the others the hypotheses of the
// next step, whose number it returns.
func (t *Translator) advance(time int, last bool) (live int, err error) {

	for _, c := range t.best {
		s := step{c.word, c.parent}
		if c.word == text.EOS {
			t.finished++
			if !t.result.found || c.score > t.result.score {
				t.result = ending{s, time, c.score, true}
			}
			continue
		}
		t.history[time*t.beam+live] = s
		t.words[live], t.scores[live], t.parents[live] = c.word, c.score, c.parent
		live++
	}
	if last && !t.result.found {
		t.result = ending{t.history[time*t.beam], time, t.scores[0], true}
	}
	if last || live == 0 || t.result.found && t.result.score >= t.scores[0] {
		return 0, nil
	}
	return live, t.stepper.Keep(t.parents[:live])
}

// trace follows the best hypothesis back to its first word.
func (t *Translator) trace(source int) Translation {
	n := t.result.time + 1
	r := Translation{Words: t.output[:n], LogProb: t.result.score}
	if t.model.Config.Kind == Search {
		r.Alignment = kernels.View(t.aligned, n, source)
	}
	s := t.result.step
	for time := n - 1; ; time-- {
		r.Words[time] = s.word
		if r.Alignment.Rows > 0 {
			copy(r.Alignment.Row(time), t.alpha[(time*t.beam+s.parent)*t.source:])
		}
		if time == 0 {
			return r
		}
		s = t.history[(time-1)*t.beam+s.parent]
	}
}
