package model

import (
	"fmt"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model/text"
)

// A Stepper is the decoder of several hypotheses, a word at a time, for searches over the
// translations of one source sentence or of many at once. Begin starts with one hypothesis
// without words for each sentence; Step extends every hypothesis by a word and predicts the
// next; Keep chooses among them.
type Stepper struct {
	kernels    kernels.Impl
	model      *Model
	config     Config
	hypotheses int // most of them, of all sentences together
	most       int // columns of alpha: the longest source
	encoder    *encoder
	batch      []text.Example // room for the sentences of Begin
	sentence   []int          // of each hypothesis that has a state; none before Begin
	kept       []int          // room for the next sentence

	states, next     []float32 // hypotheses×H
	contexts, parent []float32 // hypotheses×C
	embedding        []float32 // hypotheses×E
	gates, rh        []float32 // hypotheses×3H, hypotheses×H
	queries          []float32 // hypotheses×A
	alpha            []float32 // hypotheses×most
	readout, maxout  []float32 // hypotheses×2L, hypotheses×L
	scores           []float32 // hypotheses×V
	zero             []float32 // H
}

// NewStepper returns a decoder of up to that many sentences at once, of up to source words
// with EOS each, and of up to that many hypotheses of all of them together. The error wraps
// ErrConfig.
func NewStepper(k kernels.Impl, m *Model, sentences, hypotheses, source int) (*Stepper, error) {
	if sentences < 1 || hypotheses < sentences || source < 1 {
		return nil, fmt.Errorf("model: %w: %d hypotheses over %d sentences of %d words, expected at least 1 each", ErrConfig, hypotheses, sentences, source)
	}
	c := m.Config
	s := &Stepper{
		kernels: k, model: m, config: c, hypotheses: hypotheses, most: source,
		encoder:  newEncoder(c, sentences, source, false),
		batch:    make([]text.Example, 0, sentences),
		sentence: make([]int, 0, hypotheses), kept: make([]int, 0, hypotheses),
		states: kernels.Alloc(hypotheses * c.Hidden), next: kernels.Alloc(hypotheses * c.Hidden),
		contexts: kernels.Alloc(hypotheses * c.context()), parent: kernels.Alloc(hypotheses * c.context()),
		embedding: kernels.Alloc(hypotheses * c.Embedding),
		gates:     kernels.Alloc(hypotheses * 3 * c.Hidden), rh: kernels.Alloc(hypotheses * c.Hidden),
		readout: kernels.Alloc(hypotheses * 2 * c.Maxout), maxout: kernels.Alloc(hypotheses * c.Maxout),
		scores: kernels.Alloc(hypotheses * c.TargetVocab),
		zero:   make([]float32, c.Hidden),
	}
	if c.Kind == Search {
		s.queries, s.alpha = kernels.Alloc(hypotheses*c.Alignment), kernels.Alloc(hypotheses*source)
	}
	return s, nil
}

// Begin encodes source sentences of ids that end with EOS and sets hypothesis i to s_0 of
// sentence i. The error wraps ErrExample or ErrCapacity.
func (s *Stepper) Begin(sources ...[]int32) error {
	if len(sources) == 0 {
		return fmt.Errorf("model: %w: no source sentence", ErrExample)
	}
	if len(sources) > cap(s.batch) {
		return fmt.Errorf("model: %d source sentences: %w of %d", len(sources), ErrCapacity, cap(s.batch))
	}
	for i, source := range sources {
		if err := checkSentence("source", i, source, s.config.SourceVocab, s.most); err != nil {
			return err
		}
	}
	s.batch, s.sentence = s.batch[:0], s.sentence[:0]
	for i, source := range sources {
		s.batch = append(s.batch, text.Example{Source: source})
		s.sentence = append(s.sentence, i)
	}
	k, p := s.kernels, s.model.Parameters
	s.encoder.forward(k, p, s.batch)
	summaries := kernels.View(s.next, len(sources), s.config.Hidden)
	for i := range sources {
		copy(summaries.Row(i), s.encoder.summary(s.encoder.annotations, i))
	}
	k.Gemm(kernels.View(s.states, len(sources), s.config.Hidden), p.Ws, summaries, p.Bs, kernels.Tanh)
	return nil
}

// Step extends the first len(words) hypotheses by their words, -1 where there is none yet,
// and returns the scores of all words for the next, hypotheses×V: the logarithms of their
// probabilities but for a constant in each row. They are valid until the next call. The error
// wraps ErrExample or ErrCapacity.
func (s *Stepper) Step(words []int32) (kernels.Matrix, error) {
	if err := s.check(words); err != nil {
		return kernels.Matrix{}, err
	}
	k, p, c := s.kernels, s.model.Parameters, s.config
	embedding := kernels.View(s.embedding, len(words), c.Embedding)
	k.GatherRows(embedding, p.Target, words)
	if c.Order == PredictFirst && words[0] >= 0 {
		s.advance(k, p, embedding)
	}
	s.attend(k, p, len(words))
	if c.Order == UpdateFirst {
		s.advance(k, p, embedding)
	}
	return s.predict(k, p, embedding), nil
}

func (s *Stepper) check(words []int32) error {
	if len(s.sentence) == 0 {
		return fmt.Errorf("model: %w: step without a source", ErrExample)
	}
	if len(words) < 1 || len(words) > len(s.sentence) {
		return fmt.Errorf("model: words for %d hypotheses: %w of 1 to %d", len(words), ErrCapacity, len(s.sentence))
	}
	for i, w := range words {
		if w < -1 || int(w) >= s.config.TargetVocab || (w < 0) != (words[0] < 0) {
			return fmt.Errorf("model: %w: word of hypothesis %d has id %d, expected 0 to %d, or -1 for all", ErrExample, i, w, s.config.TargetVocab-1)
		}
	}
	return nil
}

// attend computes contexts from states.
func (s *Stepper) attend(k kernels.Impl, p *Parameters, n int) {
	c, e := s.config, s.encoder
	contexts := kernels.View(s.contexts, n, c.context())
	if c.Kind == EncDec {
		for i := range n {
			copy(contexts.Row(i), e.summary(e.annotations, s.sentence[i]))
		}
		return
	}
	queries := kernels.View(s.queries, n, c.Alignment)
	p.Attention.Queries(k, queries, kernels.View(s.states, n, c.Hidden))
	for i, sentence := range s.sentence[:n] {
		keys, annotations := e.sentence(e.keys, c.Alignment, sentence), e.sentence(e.annotations, c.context(), sentence)
		p.Attention.Attend(k, s.Weights(i), contexts.Row(i), queries.Row(i), keys, annotations)
	}
}

// Weights returns α of hypothesis i at the last step, one for each word of its source;
// RNNencdec has none. They are valid until the next call of Step or Keep.
func (s *Stepper) Weights(i int) []float32 {
	if s.config.Kind == EncDec {
		return nil
	}
	return s.alpha[i*s.most:][:s.encoder.length[s.sentence[i]]]
}

// advance replaces states by those after the given words.
func (s *Stepper) advance(k kernels.Impl, p *Parameters, embedding kernels.Matrix) {
	c, n := s.config, embedding.Rows
	gates := kernels.View(s.gates, n, 3*c.Hidden)
	p.Decoder.Project(k, gates, embedding)
	k.GemmAdd(gates, p.C, kernels.View(s.contexts, n, c.context()), kernels.Identity)
	p.Decoder.Step(k, gates, kernels.View(s.rh, n, c.Hidden), kernels.View(s.next, n, c.Hidden), kernels.View(s.states, n, c.Hidden), s.zero)
	s.states, s.next = s.next, s.states
}

// predict computes the scores of all words.
func (s *Stepper) predict(k kernels.Impl, p *Parameters, embedding kernels.Matrix) kernels.Matrix {
	c, n := s.config, embedding.Rows
	readout, maxout := kernels.View(s.readout, n, 2*c.Maxout), kernels.View(s.maxout, n, c.Maxout)
	k.Gemm(readout, p.Uo, kernels.View(s.states, n, c.Hidden), p.Bo, kernels.Identity)
	k.GemmAdd(readout, p.Vo, embedding, kernels.Identity)
	k.GemmAdd(readout, p.Co, kernels.View(s.contexts, n, c.context()), kernels.Identity)
	for i := range n {
		k.Maxout(maxout.Row(i), readout.Row(i))
	}
	scores := kernels.View(s.scores, n, c.TargetVocab)
	k.Gemm(scores, p.Wo, maxout, p.B, kernels.Identity)
	return scores
}

// Keep makes hypothesis i what was hypothesis parents[i], of the same sentence; there are
// len(parents) from now on. The error wraps ErrCapacity.
func (s *Stepper) Keep(parents []int) error {
	if len(parents) > s.hypotheses {
		return fmt.Errorf("model: %d hypotheses: %w of %d", len(parents), ErrCapacity, s.hypotheses)
	}
	for i, from := range parents {
		if from < 0 || from >= len(s.sentence) {
			return fmt.Errorf("model: parent %d of hypothesis %d: %w of %d hypotheses", from, i, ErrCapacity, len(s.sentence))
		}
	}
	h, ctx := s.config.Hidden, s.config.context()
	s.kept = s.kept[:0]
	for i, from := range parents {
		s.kept = append(s.kept, s.sentence[from])
		copy(s.next[i*h:(i+1)*h], s.states[from*h:(from+1)*h])
		copy(s.parent[i*ctx:(i+1)*ctx], s.contexts[from*ctx:(from+1)*ctx])
	}
	s.states, s.next = s.next, s.states
	s.contexts, s.parent = s.parent, s.contexts
	s.sentence, s.kept = s.kept, s.sentence
	return nil
}
