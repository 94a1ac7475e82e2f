package bench

// A Stepper decodes the hypotheses of one source sentence, one at a time.
type Stepper struct {
	m               *RNNsearch
	encoder         *encoder
	gates           Gates
	y               []float32 // E
	query           []float32 // A
	alpha, context  []float32 // S, 2H
	readout, maxout []float32 // 2L, L
}

// NewStepper returns a decoder.
func NewStepper(m *RNNsearch) *Stepper {
	values := func(n int) []float32 { return make([]float32, n) }
	return &Stepper{
		m: m, gates: NewGates(1, m.Hidden),
		y: values(m.Embedding), query: values(m.Alignment), context: values(2 * m.Hidden),
		readout: values(2 * m.Maxout), maxout: values(m.Maxout),
	}
}

// Begin encodes a source sentence and sets state to s_0.
func (s *Stepper) Begin(state []float32, source []int32) {
	s.encoder = encode(s.m, source)
	s.alpha = make([]float32, len(source))
	copy(state, s.encoder.first)
}

// Step advances the state of a hypothesis by word, or -1 at the first step, and computes the
// scores of all words for the next position.
func (s *Stepper) Step(scores, state []float32, word int32) {
	m := s.m
	clear(s.y)
	if word >= 0 {
		copy(s.y, m.Target[int(word)*m.Embedding:])
	}
	m.attend(s.context, s.alpha, s.query, state, s.encoder.keys, s.encoder.annotations)
	m.Decoder.project(s.gates, s.y, 1)
	m.addContexts(s.gates, s.context, 1)
	m.Decoder.advance(state, state, s.gates, 1)
	m.read(scores, s.maxout, s.readout, state, s.y, s.context, 1)
}
