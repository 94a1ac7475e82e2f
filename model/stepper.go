package model

import (
	"fmt"
	"math"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model/text"
)

// A Stepper decodes several hypotheses one word at a time, for searches over the translations of
// one or more source sentences. Begin starts one empty hypothesis for each sentence, Step extends
// every hypothesis by a word and predicts the next one, and Keep selects hypotheses.
type Stepper struct {
	kernels    kernels.Impl
	model      *Model
	config     Config
	hypotheses int // capacity, over all sentences
	source     int // capacity: words of a source
	positions  int // columns of alpha: the positions of such a source
	encoder    *encoder
	batch      []text.Example // room for the sentences of Begin
	sentence   []int          // the sentence of each hypothesis; empty before Begin
	kept       []int          // scratch of Keep

	states, next  []float32        // hypotheses×H
	alpha, parent []float32        // hypotheses×positions
	embedding     []float32        // hypotheses×E
	sums, rh      []float32        // hypotheses×(3H+2L), hypotheses×H
	queries       []float32        // hypotheses×A
	maxout        []float32        // hypotheses×L
	scores        []float32        // hypotheses×V
	scratch       *kernels.Scratch // of products
}

// NewStepper returns a stepper with room for that many sentences of up to source words each, EOS
// included, and for that many hypotheses of all of them together. The error wraps ErrConfig, also
// where StepperBytes exceeds what this machine can address.
func NewStepper(k kernels.Impl, m *Model, sentences, hypotheses, source int) (*Stepper, error) {
	if err := m.Check(); err != nil {
		return nil, err
	}
	if err := checkSteps(sentences, hypotheses, source); err != nil {
		return nil, err
	}
	c := m.Config
	if err := checkBytes(StepperBytes(c, sentences, hypotheses, source)); err != nil {
		return nil, err
	}
	s := &Stepper{
		kernels: k, model: m, config: c, hypotheses: hypotheses, source: source, positions: c.positions(source),
		batch:    make([]text.Example, 0, sentences),
		sentence: make([]int, 0, hypotheses), kept: make([]int, 0, hypotheses),
		states: kernels.Alloc(hypotheses * c.Hidden), next: kernels.Alloc(hypotheses * c.Hidden),
		alpha: c.newAlpha(nil, hypotheses, source), parent: c.newAlpha(nil, hypotheses, source),
		embedding: kernels.Alloc(hypotheses * c.Embedding),
		sums:      kernels.Alloc(hypotheses * c.sums()), rh: kernels.Alloc(hypotheses * c.Hidden),
		maxout:  kernels.Alloc(hypotheses * c.Maxout),
		scores:  kernels.Alloc(hypotheses * c.TargetVocab),
		scratch: newScratch(nil, c, max(hypotheses, sentences*source)),
	}
	s.encoder = newEncoder(nil, c, sentences, source, s.scratch, false)
	if c.Kind == RNNsearch {
		s.queries = kernels.Alloc(hypotheses * c.Alignment)
	}
	return s, nil
}

// StepperBytes returns the number of bytes that [NewStepper] allocates for a model of this
// configuration and these sizes, before arrays are rounded up to size classes and huge pages. It
// returns math.MaxInt64 if that overflows or if NewStepper does not take them.
func StepperBytes(c Config, sentences, hypotheses, source int) int64 {
	if c.Check() != nil || checkSteps(sentences, hypotheses, source) != nil {
		return math.MaxInt64
	}
	h, positions := c.Hidden, float64(c.positions(source))
	perHypothesis := 2*positions + float64(3*h+c.Embedding+c.sums()+c.Maxout+c.TargetVocab)
	perWord := c.Embedding + 2*c.context() + 5*h + 5 // of the sources: values, a GRU, five indices
	if c.Kind == RNNsearch {
		perHypothesis += float64(c.Alignment)
		perWord += c.Alignment + 5*h + 1 // keys, the GRU backward
	}
	perSentence := float64(float64(source)*float64(perWord)) + float64(positions*float64(c.sums())) + float64(6*h)
	n := float64(4 * (float64(float64(hypotheses)*perHypothesis) + float64(float64(sentences)*perSentence)))
	rows := max(float64(hypotheses), float64(float64(sentences)*float64(source)))
	n += float64(rows * float64(scratchRow(c)))
	if n >= 1<<62 {
		return math.MaxInt64
	}
	return int64(n) // float64 does not overflow; it is exact up to 2⁵³
}

// checkSteps returns an error that wraps ErrConfig unless NewStepper takes these sizes.
func checkSteps(sentences, hypotheses, source int) error {
	if sentences < 1 || hypotheses < sentences || source < 1 {
		return fmt.Errorf("%w: %d hypotheses over %d sentences of %d words, expected at least 1 each", ErrConfig, hypotheses, sentences, source)
	}
	return nil
}

// Begin encodes source sentences of ids that end with EOS and sets hypothesis i to s_0 of
// sentence i. The error wraps ErrExample or ErrCapacity.
func (s *Stepper) Begin(sources ...[]int32) error {
	if len(sources) == 0 {
		return fmt.Errorf("%w: no source sentence", ErrExample)
	}
	if len(sources) > cap(s.batch) {
		return fmt.Errorf("%d source sentences: %w of %d", len(sources), ErrCapacity, cap(s.batch))
	}
	for i, source := range sources {
		if err := s.config.CheckSource(i, source, s.source); err != nil {
			return err
		}
	}
	s.batch, s.sentence = s.batch[:0], s.sentence[:0]
	for i, source := range sources {
		s.batch = append(s.batch, text.Example{Source: source})
		s.sentence = append(s.sentence, i)
	}
	mem := s.encoder.forward(s.kernels, s.model.Parameters, masks{}, s.batch)
	copy(s.states, mem.states(mem.initial).Data)
	return nil
}

// Step extends the first len(words) hypotheses by their words, -1 where there is none yet,
// and returns the scores of all words for the next position, hypotheses×V: their log-probabilities
// up to a constant for each row. They are valid until the next call. The error wraps ErrExample or
// ErrCapacity.
func (s *Stepper) Step(words []int32) (kernels.Matrix, error) {
	if err := s.check(words); err != nil {
		return kernels.Matrix{}, err
	}
	k, p, c := s.kernels, s.model.Parameters, s.config
	embedding := kernels.View(s.embedding, len(words), c.Embedding)
	k.Lookup(embedding, p.Target, words)
	sums := kernels.View(s.sums, len(words), c.sums())
	gates, readout := sums.Columns(0, 3*c.Hidden), sums.Columns(3*c.Hidden, c.sums())
	p.Decoder.Project(k, gates, embedding, s.scratch)
	k.Linear(readout, p.Vo, embedding, p.Bo, kernels.Identity, s.scratch)
	if c.Order == UpdateFirst {
		s.weigh(k, p, len(words))
		s.attend(k, sums, 0)
		s.advance(k, p, gates)
	} else {
		if words[0] >= 0 {
			s.attend(k, gates, 0)
			s.advance(k, p, gates)
		}
		s.weigh(k, p, len(words))
		s.attend(k, readout, 3*c.Hidden)
	}
	return s.predict(k, p, readout), nil
}

func (s *Stepper) check(words []int32) error {
	if len(s.sentence) == 0 {
		return fmt.Errorf("%w: step without a source", ErrExample)
	}
	if len(words) < 1 || len(words) > len(s.sentence) {
		return fmt.Errorf("words for %d hypotheses: %w of 1 to %d", len(words), ErrCapacity, len(s.sentence))
	}
	for i, w := range words {
		if w < -1 || int(w) >= s.config.TargetVocab || (w < 0) != (words[0] < 0) {
			return fmt.Errorf("%w: word of hypothesis %d has id %d, expected 0 to %d, or -1 for all", ErrExample, i, w, s.config.TargetVocab-1)
		}
	}
	return nil
}

// weigh computes α of n hypotheses from their states.
func (s *Stepper) weigh(k kernels.Impl, p *Parameters, n int) {
	c, mem := s.config, &s.encoder.memory
	if c.Kind == RNNencdec {
		return
	}
	queries := kernels.View(s.queries, n, c.Alignment)
	p.Attention.Queries(k, queries, kernels.View(s.states, n, c.Hidden), s.scratch)
	for i, sentence := range s.sentence[:n] {
		p.Attention.Weights(k, s.weights(i), queries.Row(i), mem.sentence(mem.keys, c.Alignment, sentence))
	}
}

// attend adds Σ α·value over the positions to the sums of each hypothesis. The values start at
// column from.
func (s *Stepper) attend(k kernels.Impl, sums kernels.Matrix, from int) {
	for i := range sums.Rows {
		values := s.encoder.memory.sentence(s.encoder.memory.values, s.config.sums(), s.sentence[i])
		k.WeightedSumAdd(sums.Row(i), s.weights(i), values.Columns(from, from+sums.Cols))
	}
}

// Weights returns α of hypothesis i at the last step, one for each word of its source, or nil for
// RNNencdec. They are valid until the next call of Step or Keep.
func (s *Stepper) Weights(i int) []float32 {
	if s.config.Kind == RNNencdec {
		return nil
	}
	return s.weights(i)
}

func (s *Stepper) weights(i int) []float32 {
	return s.alpha[i*s.positions:][:s.encoder.memory.positions(s.sentence[i])]
}

// advance replaces the states by the next ones, computed from the sums of the gates.
func (s *Stepper) advance(k kernels.Impl, p *Parameters, gates kernels.Matrix) {
	h, n := s.config.Hidden, gates.Rows
	p.Decoder.Step(k, gates, kernels.View(s.rh, n, h), kernels.View(s.next, n, h), kernels.View(s.states, n, h), s.scratch)
	s.states, s.next = s.next, s.states
}

// predict computes the scores of all words.
func (s *Stepper) predict(k kernels.Impl, p *Parameters, readout kernels.Matrix) kernels.Matrix {
	c, n := s.config, readout.Rows
	k.LinearAdd(readout, p.Uo, kernels.View(s.states, n, c.Hidden), kernels.Identity, s.scratch)
	maxout := kernels.View(s.maxout, n, c.Maxout)
	k.MaxoutRows(maxout, readout)
	scores := kernels.View(s.scores, n, c.TargetVocab)
	k.Linear(scores, p.Wo, maxout, p.B, kernels.Identity, s.scratch)
	return scores
}

// Keep replaces the hypotheses by len(parents) of them: hypothesis i becomes a copy of what was
// hypothesis parents[i], with its sentence. The error wraps ErrCapacity.
func (s *Stepper) Keep(parents []int) error {
	if len(parents) > s.hypotheses {
		return fmt.Errorf("%d hypotheses: %w of %d", len(parents), ErrCapacity, s.hypotheses)
	}
	for i, from := range parents {
		if from < 0 || from >= len(s.sentence) {
			return fmt.Errorf("parent %d of hypothesis %d: %w of %d hypotheses", from, i, ErrCapacity, len(s.sentence))
		}
	}
	h := s.config.Hidden
	s.kept = s.kept[:0]
	for i, from := range parents {
		s.kept = append(s.kept, s.sentence[from])
		copy(s.next[i*h:(i+1)*h], s.states[from*h:(from+1)*h])
		copy(s.parent[i*s.positions:(i+1)*s.positions], s.alpha[from*s.positions:(from+1)*s.positions])
	}
	s.states, s.next = s.next, s.states
	s.alpha, s.parent = s.parent, s.alpha
	s.sentence, s.kept = s.kept, s.sentence
	return nil
}
