package bench

import "math"

// A Trainer updates the weights of an RNNsearch with Adadelta (ρ 0.95, ε 1e-6), on the
// gradient of the loss summed over the words of a batch, scaled down to a norm of 1 where it
// is larger. It takes one sentence after the other.
type Trainer struct {
	m, gradients *RNNsearch
	g2, dx2      []float32 // running averages
	encoder      *encoder
	decoder      *decoder
}

// A Pair is a source and a target sentence in ids, each with the id of its end.
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

// Update takes one step on a batch and returns its loss before the step.
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

// clip scales g down to a Euclidean norm of limit where it is larger.
func clip(g []float32, limit float64) {
	sum := 0.0
	for _, v := range g {
		sum += float64(v) * float64(v)
	}
	norm := math.Sqrt(sum)
	if norm <= limit {
		return
	}
	scale := float32(limit / norm)
	for i := range g {
		g[i] *= scale
	}
}

// adadelta takes one step of Zeiler (2012) on x for the gradient g. g2 and dx2 are the
// running averages of the squares of gradients and steps.
func adadelta(x, g, g2, dx2 []float32) {
	const rho, epsilon = 0.95, 1e-6
	g, g2, dx2 = g[:len(x)], g2[:len(x)], dx2[:len(x)]
	for i, v := range g {
		g2[i] = rho*g2[i] + (1-rho)*v*v
		step := float32(math.Sqrt(float64((dx2[i]+epsilon)/(g2[i]+epsilon)))) * v
		dx2[i] = rho*dx2[i] + (1-rho)*step*step
		x[i] -= step
	}
}
