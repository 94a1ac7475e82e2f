package model

import (
	"fmt"
	"math"
	"slices"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model/internal/buffers"
	"github.com/softsearch-go/softsearch/model/text"
)

// A Stepper decodes several hypotheses one word at a time, for searches over the translations of
// one or more source sentences. Join adds sentences, each with one empty hypothesis, Step extends
// every hypothesis by a word and predicts the next one, and Keep selects hypotheses. A sentence
// leaves with its last hypothesis. No result depends on the other sentences.
type Stepper struct {
	kernels   kernels.Impl
	model     *Model
	config    Config
	capacity  StepperCapacity
	positions int // columns of alpha: the positions of the longest source
	encoder   *encoder
	batch     []text.Example // room for the sentences of Join

	// The sentences: keys and values are the memory, in spans.
	spans        *buffers.Spans
	keys, values []float32
	sentence     []int  // slot in spans of the sentence of each hypothesis
	kept         []int  // scratch of Keep
	live         []bool // scratch of Keep: the slots with hypotheses

	states, next  []float32 // hypotheses×H
	alpha, parent []float32 // hypotheses×positions
	embedding     []float32 // hypotheses×E
	sums, rh      []float32 // hypotheses×(3H+2L), hypotheses×H
	queries       []float32 // hypotheses×A
	maxout        []float32 // hypotheses×L
	scores        []float32 // hypotheses×V
}

// A StepperCapacity is the room of a [Stepper].
type StepperCapacity struct {
	Sentences  int
	Hypotheses int // of all sentences
	Words      int // of all sources, EOS included
	Joining    int // words of the sources of one call of Join, at most Words
}

func (c StepperCapacity) check() error {
	if c.Sentences < 1 || c.Hypotheses < c.Sentences || c.Joining < 1 || c.Words < c.Joining {
		return fmt.Errorf("%w: %d hypotheses over %d sentences of %d words, %d of them joining, expected 1 ≤ sentences ≤ hypotheses and 1 ≤ joining ≤ words",
			ErrConfig, c.Hypotheses, c.Sentences, c.Words, c.Joining)
	}
	return nil
}

// NewStepper returns a stepper. The error wraps ErrConfig, also where StepperBytes exceeds what this
// machine can address.
func NewStepper(k kernels.Impl, m *Model, capacity StepperCapacity) (*Stepper, error) {
	if err := m.Check(); err != nil {
		return nil, err
	}
	if err := capacity.check(); err != nil {
		return nil, err
	}
	if err := checkBytes(StepperBytes(m.Config, capacity)); err != nil {
		return nil, err
	}
	return newStepper(nil, k, m, capacity), nil
}

// StepperBytes returns the number of bytes that [NewStepper] allocates for a model of this
// configuration, before arrays are rounded up to size classes and huge pages. It returns
// math.MaxInt64 if that overflows or if NewStepper does not take the capacity.
func StepperBytes(c Config, capacity StepperCapacity) int64 {
	if c.Check() != nil || capacity.check() != nil {
		return math.MaxInt64
	}
	a := &allocator{}
	newStepper(a, kernels.Impl{}, &Model{Config: c}, capacity)
	return a.bytes
}

func newStepper(a *allocator, k kernels.Impl, m *Model, capacity StepperCapacity) *Stepper {
	c, sentences, hypotheses, units := m.Config, capacity.Sentences, capacity.Hypotheses, m.Config.Alignment
	if c.Kind == RNNencdec {
		units = 0
	}
	s := &Stepper{
		kernels: k.Using(newScratch(a, c, max(hypotheses, capacity.Joining))),
		model:   m, config: c, capacity: capacity, positions: c.positions(capacity.Joining),
		batch: allocate[text.Example](a, sentences)[:0], spans: a.spans(sentences, capacity.memory(c)),
		sentence: a.ints(hypotheses)[:0], kept: a.ints(hypotheses)[:0], live: allocate[bool](a, sentences),
		states: a.floats(hypotheses, c.Hidden), next: a.floats(hypotheses, c.Hidden),
		alpha: c.newAlpha(a, hypotheses, capacity.Joining), parent: c.newAlpha(a, hypotheses, capacity.Joining),
		embedding: a.floats(hypotheses, c.Embedding),
		sums:      a.floats(hypotheses, c.sums()), rh: a.floats(hypotheses, c.Hidden),
		queries: a.floats(hypotheses, units), maxout: a.floats(hypotheses, c.Maxout), scores: a.floats(hypotheses, c.TargetVocab),
	}
	mem := newMemory(a, c, sentences, capacity.memory(c), false)
	s.keys, s.values = mem.keys, mem.values
	s.encoder = newEncoder(a, c, sentences, capacity.Joining, capacity.Joining, mem, false)
	return s
}

// memory returns the number of positions of all sentences.
func (c StepperCapacity) memory(config Config) int {
	if config.Kind == RNNencdec {
		return c.Sentences
	}
	return c.Words
}

// Begin is Join after the hypotheses of all other sentences have been removed.
func (s *Stepper) Begin(sources ...[]int32) error {
	if err := s.checkSources(sources, 0, 0); err != nil {
		return err
	}
	s.spans.Clear()
	s.sentence = s.sentence[:0]
	s.join(sources)
	return nil
}

// Join encodes source sentences of ids that end with EOS, together, and adds a hypothesis for each,
// in the order of the sources, after the others. The hypothesis is s_0 of its sentence. The error
// wraps ErrExample or ErrCapacity, and then nothing has changed.
func (s *Stepper) Join(sources ...[]int32) error {
	if err := s.checkSources(sources, s.spans.Count(), s.spans.Used()); err != nil {
		return err
	}
	s.join(sources)
	return nil
}

// checkSources returns an error unless there is room for the sources beside that many sentences with
// that many positions.
func (s *Stepper) checkSources(sources [][]int32, sentences, used int) error {
	if len(sources) == 0 {
		return fmt.Errorf("%w: no source sentence", ErrExample)
	}
	if len(sources) > s.capacity.Sentences-sentences {
		return fmt.Errorf("%d source sentences beside %d: %w of %d", len(sources), sentences, ErrCapacity, s.capacity.Sentences)
	}
	if n := s.capacity.Hypotheses - len(s.sentence); sentences > 0 && len(sources) > n {
		return fmt.Errorf("%d hypotheses more: %w of %d", len(sources), ErrCapacity, s.capacity.Hypotheses)
	}
	words := 0
	for i, source := range sources {
		if err := s.config.checkSource(i, source, s.capacity.Joining-words); err != nil {
			return err
		}
		words += len(source)
		used += s.config.positions(len(source))
	}
	if used > s.capacity.memory(s.config) {
		return fmt.Errorf("sources of %d words in all: %w of %d", used, ErrCapacity, s.capacity.Words)
	}
	return nil
}

// join is Join for sources that there is room for.
func (s *Stepper) join(sources [][]int32) {
	c, positions := s.config, 0
	s.batch = s.batch[:0]
	for _, source := range sources {
		s.batch = append(s.batch, text.Example{Source: source})
		positions += c.positions(len(source))
	}
	start := s.spans.Reserve(positions, func(to, from, n int) {
		copy(s.values[to*c.sums():], s.values[from*c.sums():(from+n)*c.sums()])
		if c.Kind == RNNsearch {
			copy(s.keys[to*c.Alignment:], s.keys[from*c.Alignment:(from+n)*c.Alignment])
		}
	})
	mem := &s.encoder.memory
	mem.values = s.values[start*c.sums():]
	if c.Kind == RNNsearch {
		mem.keys = s.keys[start*c.Alignment:]
	}
	s.encoder.forward(s.kernels, s.model.Parameters, masks{}, s.batch)
	copy(s.states[len(s.sentence)*c.Hidden:], mem.states(mem.initial).Data)
	for _, source := range sources {
		s.sentence = append(s.sentence, s.spans.Add(c.positions(len(source))))
	}
	clear(s.batch)
}

// Step extends the first len(words) hypotheses by their words, -1 where there is none yet, which are
// the last ones, and returns the scores of all words for the next position, hypotheses×V: their log-probabilities
// up to a constant for each row. They are valid until the next call. The error wraps ErrExample or ErrCapacity.
func (s *Stepper) Step(words []int32) (kernels.Matrix, error) {
	if err := s.check(words); err != nil {
		return kernels.Matrix{}, err
	}
	k, p, c := s.kernels, s.model.Parameters, s.config
	embedding := kernels.View(s.embedding, len(words), c.Embedding)
	k.Embed(embedding, p.Target, words)
	sums := kernels.View(s.sums, len(words), c.sums())
	gates, readout := sums.Columns(0, 3*c.Hidden), sums.Columns(3*c.Hidden, c.sums())
	p.Decoder.Project(k, gates, embedding)
	k.Linear(readout, p.Vo, embedding, p.Bo, kernels.Identity)
	if c.Order == UpdateFirst {
		s.weigh(k, p, len(words))
		s.attend(k, sums, 0)
		s.advance(k, p, gates)
	} else {
		if begun := gates.Slice(0, begun(words)); begun.Rows > 0 {
			s.attend(k, begun, 0)
			s.advance(k, p, begun)
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
	begun := begun(words)
	for i, w := range words {
		if w < -1 || int(w) >= s.config.TargetVocab || w >= 0 && i >= begun {
			return fmt.Errorf("%w: word of hypothesis %d has id %d, expected 0 to %d, or -1 for it and all later ones", ErrExample, i, w, s.config.TargetVocab-1)
		}
	}
	return nil
}

// begun returns the number of hypotheses before the first one that has no word.
func begun(words []int32) int {
	if i := slices.Index(words, -1); i >= 0 {
		return i
	}
	return len(words)
}

// weigh computes α of n hypotheses from their states.
func (s *Stepper) weigh(k kernels.Impl, p *Parameters, n int) {
	c := s.config
	if c.Kind == RNNencdec {
		return
	}
	queries := kernels.View(s.queries, n, c.Alignment)
	p.Attention.Queries(k, queries, kernels.View(s.states, n, c.Hidden))
	for i, sentence := range s.sentence[:n] {
		p.Attention.Weights(k, s.weights(i), queries.Row(i), s.rows(s.keys, c.Alignment, sentence))
	}
}

// attend adds Σ α·value over the positions to the sums of each hypothesis. The values start at
// column from.
func (s *Stepper) attend(k kernels.Impl, sums kernels.Matrix, from int) {
	for i := range sums.Rows {
		values := s.rows(s.values, s.config.sums(), s.sentence[i])
		k.WeightedSumAdd(sums.Row(i), s.weights(i), values.Columns(from, from+sums.Cols))
	}
}

// rows returns the rows of a sentence in keys or values, which have that many columns.
func (s *Stepper) rows(data []float32, cols, sentence int) kernels.Matrix {
	return kernels.View(data[s.spans.Start(sentence)*cols:], s.spans.Len(sentence), cols)
}

// Weights returns α of hypothesis i at the last step, one for each word of its source, or nil for
// RNNencdec. They are valid until the next call of Step or Keep. It panics if there is no hypothesis i.
func (s *Stepper) Weights(i int) []float32 {
	if i < 0 || i >= len(s.sentence) {
		panic("model: Weights: no such hypothesis")
	}
	if s.config.Kind == RNNencdec {
		return nil
	}
	return s.weights(i)
}

func (s *Stepper) weights(i int) []float32 {
	return s.alpha[i*s.positions:][:s.spans.Len(s.sentence[i])]
}

// advance replaces the states of the first hypotheses by the next ones, computed from the sums of the
// gates.
func (s *Stepper) advance(k kernels.Impl, p *Parameters, gates kernels.Matrix) {
	h, n := s.config.Hidden, gates.Rows
	p.Decoder.Step(k, gates, kernels.View(s.rh, n, h), kernels.View(s.next, n, h), kernels.View(s.states, n, h))
	copy(s.next[n*h:len(s.sentence)*h], s.states[n*h:])
	s.states, s.next = s.next, s.states
}

func (s *Stepper) predict(k kernels.Impl, p *Parameters, readout kernels.Matrix) kernels.Matrix {
	c, n := s.config, readout.Rows
	k.LinearAdd(readout, p.Uo, kernels.View(s.states, n, c.Hidden), kernels.Identity)
	maxout := kernels.View(s.maxout, n, c.Maxout)
	k.MaxoutRows(maxout, readout)
	scores := kernels.View(s.scores, n, c.TargetVocab)
	k.Linear(scores, p.Wo, maxout, p.B, kernels.Identity)
	return scores
}

// Keep replaces the hypotheses by len(parents) of them: hypothesis i becomes a copy of what was
// hypothesis parents[i], with its sentence. The error wraps ErrCapacity.
func (s *Stepper) Keep(parents []int) error {
	if len(parents) > s.capacity.Hypotheses {
		return fmt.Errorf("%d hypotheses: %w of %d", len(parents), ErrCapacity, s.capacity.Hypotheses)
	}
	for i, from := range parents {
		if from < 0 || from >= len(s.sentence) {
			return fmt.Errorf("parent %d of hypothesis %d: %w of %d hypotheses", from, i, ErrCapacity, len(s.sentence))
		}
	}
	h := s.config.Hidden
	s.kept = s.kept[:0]
	clear(s.live)
	for i, from := range parents {
		s.kept = append(s.kept, s.sentence[from])
		s.live[s.sentence[from]] = true
		copy(s.next[i*h:(i+1)*h], s.states[from*h:(from+1)*h])
		copy(s.parent[i*s.positions:(i+1)*s.positions], s.alpha[from*s.positions:(from+1)*s.positions])
	}
	s.states, s.next = s.next, s.states
	s.alpha, s.parent = s.parent, s.alpha
	s.sentence, s.kept = s.kept, s.sentence
	for _, slot := range s.kept { // the sentences before, once for each hypothesis
		if !s.live[slot] {
			s.live[slot] = true
			s.spans.Remove(slot)
		}
	}
	return nil
}
