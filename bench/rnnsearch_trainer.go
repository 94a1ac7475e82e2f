package bench

// A Trainer updates the weights of an RNNsearch with Adadelta (ρ 0.95, ε 1e-6) by the gradient
// of the loss summed over the words of a batch, clipped to a norm of 1. It computes one sentence
// at a time.
type Trainer struct {
	m, gradients *RNNsearch
	g2, dx2      []float32 // running averages
	encoder      *encoder
	decoder      *decoder
}

// A Pair holds the ids of a source and a target sentence, EOS included.
type Pair struct{ Source, Target []int32 }

// NewTrainer returns a trainer of m for sentences of up to source and target words.
func NewTrainer(m *RNNsearch, source, target int) *Trainer {
	e := newEncoder(m, source)
	return &Trainer{
		m: m, gradients: NewRNNsearch(m.Sizes),
		g2: make([]float32, len(m.Values)), dx2: make([]float32, len(m.Values)),
		encoder: e, decoder: newDecoder(m, e, source, target),
	}
}

// Update takes one step on a batch and returns the loss before it.
func (t *Trainer) Update(batch []Pair) float64 {
	clear(t.gradients.Values)
	loss := 0.0
	for _, p := range batch {
		t.encoder.encode(p.Source)
		t.decoder.predict(p.Target)
		loss += t.decoder.loss()
		t.decoder.differentiate(t.gradients)
		t.encoder.differentiate(t.gradients)
	}
	clip(t.gradients.Values, 1)
	adadelta(t.m.Values, t.gradients.Values, t.g2, t.dx2)
	return loss
}
