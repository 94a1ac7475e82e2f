package bench

import "github.com/softsearch-go/softsearch/model/text"

// A Trainer updates the weights of an RNNsearch with Adadelta (ρ 0.95, ε 1e-6) by the gradient
// of the loss summed over the words of a batch, clipped to a norm of 1. It computes one sentence
// at a time.
type Trainer struct {
	m, gradients *RNNsearch
	g2, dx2      []float32 // running averages
}

// NewTrainer returns a trainer of m.
func NewTrainer(m *RNNsearch) *Trainer {
	return &Trainer{m, NewRNNsearch(m.Config), make([]float32, len(m.Values)), make([]float32, len(m.Values))}
}

// Update takes one step on a batch and returns the loss before it.
func (t *Trainer) Update(batch []text.Example) float64 {
	clear(t.gradients.Values)
	loss := 0.0
	for _, p := range batch {
		e := encode(t.m, p.Source)
		d := predict(t.m, e, p.Target)
		loss += d.loss()
		d.differentiate(t.gradients)
		e.differentiate(t.gradients)
	}
	clip(t.gradients.Values, 1)
	adadelta(t.m.Values, t.gradients.Values, t.g2, t.dx2)
	return loss
}
