package model

import "github.com/softsearch-go/softsearch/kernels"

// A stepper is the decoder of several hypotheses over one encoded sentence, a word at a time.
type stepper struct {
	config Config
	most   int // columns of alpha

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

func newStepper(c Config, hypotheses, sourceLength int) *stepper {
	s := &stepper{
		config: c, most: sourceLength,
		states: kernels.Alloc(hypotheses * c.Hidden), next: kernels.Alloc(hypotheses * c.Hidden),
		contexts: kernels.Alloc(hypotheses * c.context()), parent: kernels.Alloc(hypotheses * c.context()),
		embedding: kernels.Alloc(hypotheses * c.Embedding),
		gates:     kernels.Alloc(hypotheses * 3 * c.Hidden), rh: kernels.Alloc(hypotheses * c.Hidden),
		readout: kernels.Alloc(hypotheses * 2 * c.Maxout), maxout: kernels.Alloc(hypotheses * c.Maxout),
		scores: kernels.Alloc(hypotheses * c.TargetVocab),
		zero:   make([]float32, c.Hidden),
	}
	if c.Kind == Search {
		s.queries, s.alpha = kernels.Alloc(hypotheses*c.Alignment), kernels.Alloc(hypotheses*sourceLength)
	}
	return s
}

// begin sets the state of hypothesis 0 to s_0 of a sentence of e.
func (s *stepper) begin(k kernels.Impl, p *Parameters, e *encoder, sentence int) {
	k.Gemv(s.states[:s.config.Hidden], p.Ws, e.summary(e.annotations, sentence), p.Bs, kernels.Tanh)
}

// step takes one step for as many hypotheses as there are words, each continuing its last
// word, -1 before the first, and returns the scores of all words, hypotheses×V.
func (s *stepper) step(k kernels.Impl, p *Parameters, e *encoder, sentence int, words []int32) kernels.Matrix {
	c, n := s.config, len(words)
	embedding := kernels.View(s.embedding, n, c.Embedding)
	embed(embedding, p.Target, words)
	if c.Order == PredictFirst && words[0] >= 0 {
		s.advance(k, p, embedding)
	}
	s.attend(k, p, e, sentence, n)
	if c.Order == UpdateFirst {
		s.advance(k, p, embedding)
	}
	return s.predict(k, p, embedding)
}

// attend computes contexts from states.
func (s *stepper) attend(k kernels.Impl, p *Parameters, e *encoder, sentence, n int) {
	c := s.config
	contexts := kernels.View(s.contexts, n, c.context())
	if c.Kind == EncDec {
		for i := range n {
			copy(contexts.Row(i), e.summary(e.annotations, sentence))
		}
		return
	}
	queries := kernels.View(s.queries, n, c.Alignment)
	p.Attention.Queries(k, queries, kernels.View(s.states, n, c.Hidden))
	keys, annotations := e.sentence(e.keys, c.Alignment, sentence), e.sentence(e.annotations, c.context(), sentence)
	for i := range n {
		p.Attention.Attend(k, s.weights(i, keys.Rows), contexts.Row(i), queries.Row(i), keys, annotations)
	}
}

// weights returns α of hypothesis i over a source sentence of that length.
func (s *stepper) weights(i, length int) []float32 { return s.alpha[i*s.most:][:length] }

// advance replaces states by those after the given words.
func (s *stepper) advance(k kernels.Impl, p *Parameters, embedding kernels.Matrix) {
	c, n := s.config, embedding.Rows
	gates := kernels.View(s.gates, n, 3*c.Hidden)
	p.Decoder.Project(k, gates, embedding)
	k.GemmAdd(gates, p.C, kernels.View(s.contexts, n, c.context()), kernels.Identity)
	p.Decoder.Step(k, gates, kernels.View(s.rh, n, c.Hidden), kernels.View(s.next, n, c.Hidden), kernels.View(s.states, n, c.Hidden), s.zero)
	s.states, s.next = s.next, s.states
}

// predict computes the scores of all words.
func (s *stepper) predict(k kernels.Impl, p *Parameters, embedding kernels.Matrix) kernels.Matrix {
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

// keep makes hypothesis i continue what was hypothesis parents[i].
func (s *stepper) keep(parents []int) {
	h, ctx := s.config.Hidden, s.config.context()
	for i, from := range parents {
		copy(s.next[i*h:(i+1)*h], s.states[from*h:(from+1)*h])
		copy(s.parent[i*ctx:(i+1)*ctx], s.contexts[from*ctx:(from+1)*ctx])
	}
	s.states, s.next = s.next, s.states
	s.contexts, s.parent = s.parent, s.contexts
}
