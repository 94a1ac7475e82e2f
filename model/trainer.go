package model

import (
	"errors"
	"fmt"
	"math"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model/text"
)

// ErrNotFinite is the error for gradients and scores with an infinity or a NaN.
var ErrNotFinite = errors.New("not finite")

// A Trainer updates the weights of a model with Adadelta, on the gradient of the loss summed
// over the words of a batch, scaled down to a norm of 1 where it is larger, with the
// settings of the paper's appendix B.2.
type Trainer struct {
	rho, epsilon   float32 // of Adadelta
	clip           float32
	workspace      *Workspace
	gradients      *Parameters
	transposed     *transposed
	g2, dx2        *Parameters // running averages of Adadelta
	source, target *embedding
	scratch        []float32
}

// NewTrainer returns a trainer of m by the recipe for batches within the capacity. From here on
// only Update may change m, and nobody else may use m during Update. An Update is divided among
// the threads of k's team, if it has one (see kernels.Impl.With), which serves nobody else
// meanwhile; who made the team closes it. The error wraps ErrConfig.
func NewTrainer(k kernels.Impl, m *Model, r Recipe, capacity Capacity) (*Trainer, error) {
	if err := r.Check(); err != nil {
		return nil, err
	}
	w, err := newWorkspace(k, m, capacity, true)
	if err != nil {
		return nil, err
	}
	c := m.Config
	t := &Trainer{
		rho: 0.95, epsilon: 1e-6, clip: 1,
		workspace: w,
		gradients: newParameters(c), transposed: newTransposed(c),
		g2: newParameters(c), dx2: newParameters(c),
		scratch: kernels.Alloc(kernels.GradScratch(max(c.Embedding, c.context(), c.Alignment, c.Maxout))),
	}
	t.source = newEmbedding(m.Parameters.Source, t.gradients.Source, t.g2.Source, t.dx2.Source)
	t.target = newEmbedding(m.Parameters.Target, t.gradients.Target, t.g2.Target, t.dx2.Target)
	t.transposed.set(k, c, m.Parameters)
	return t, nil
}

// Update takes one step on a batch and returns its loss before the step. The error wraps
// ErrExample, ErrCapacity or, where the gradient is not finite, ErrNotFinite; the weights
// are then as they were.
func (t *Trainer) Update(batch []text.Example) (loss float64, err error) {
	loss, err = t.gradient(batch)
	if err != nil {
		return 0, err
	}
	k, m := t.workspace.kernels, t.workspace.model
	norm := t.norm()
	if math.IsNaN(float64(norm)) || math.IsInf(float64(norm), 0) {
		return loss, fmt.Errorf("model: gradient of norm %v: %w", norm, ErrNotFinite)
	}
	a := kernels.Adadelta{Rho: t.rho, Epsilon: t.epsilon, Scale: 1}
	if norm > t.clip {
		a.Scale = t.clip / norm
	}
	k.Update(a, m.Parameters.dense(), t.gradients.dense(), t.g2.dense(), t.dx2.dense())
	t.source.update(k, a)
	t.target.update(k, a)
	t.transposed.set(k, m.Config, m.Parameters)
	return loss, nil
}

// norm returns the Euclidean norm of the gradient.
func (t *Trainer) norm() float32 {
	k := t.workspace.kernels
	return float32(math.Sqrt(k.SumSquares(t.gradients.dense()) + t.source.sumSquares(k) + t.target.sumSquares(k)))
}

// gradient computes the loss of a batch and the gradients of all weights.
func (t *Trainer) gradient(batch []text.Example) (float64, error) {
	w := t.workspace
	if err := w.forward(batch); err != nil {
		return 0, err
	}
	k, p, g, d := w.kernels, w.model.Parameters, t.gradients, w.decoder
	k.Clear(g.dense())
	t.source.begin(k, batch, func(e text.Example) []int32 { return e.Source })
	t.target.begin(k, batch, func(e text.Example) []int32 { return e.Target })
	rows, units := d.layout.Rows(), w.model.Config.Maxout
	maxout, dmaxout := kernels.View(d.maxout, rows, units), kernels.View(d.dmaxout, rows, units)
	loss := d.out.backward(k, p, g, t.transposed, maxout, dmaxout, d.gold[:rows], t.scratch)
	d.backward(k, p, g, t.transposed, w.encoder, t.scratch)
	w.encoder.backward(k, g, t.transposed, t.scratch)
	return loss, nil
}
