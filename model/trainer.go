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

// A Trainer updates the weights of a model on the gradient of the loss summed over the words of
// a batch, scaled down to a norm of 1 where it is larger (the paper's appendix B.2).
type Trainer struct {
	recipe         Recipe
	clip           float32
	workspace      *Scorer
	gradients      *Parameters
	source, target *embedding
	transposed     *transposed
	optimizer      optimizer
	updates        int // taken, which numbers the next one for the masks
	scratch        []float32
	masks          *masks
	smoothing      *smoothing
	averaging      *averaging
}

// NewTrainer returns a trainer of m by the recipe for batches within the capacity. From here on
// only Update and Load may change m, and nobody else may use m meanwhile. An Update is divided
// among the threads of k's team, if it has one (see kernels.Impl.With), which serves nobody else
// meanwhile; who made the team closes it. The error wraps ErrConfig.
func NewTrainer(k kernels.Impl, m *Model, r Recipe, capacity Capacity) (*Trainer, error) {
	if err := r.Check(); err != nil {
		return nil, err
	}
	w, err := newScorer(k, m, capacity, true)
	if err != nil {
		return nil, err
	}
	c := m.Config
	t := &Trainer{
		recipe: r, clip: 1,
		workspace: w,
		gradients: newParameters(c), transposed: newTransposed(c),
		scratch: kernels.Alloc(kernels.GradScratch(max(c.Embedding, c.context(), c.Alignment, c.Maxout))),
	}
	t.source, t.target = newEmbedding(t.gradients.Source), newEmbedding(t.gradients.Target)
	t.optimizer = r.newOptimizer(c, m.Parameters, t.gradients, t.source, t.target)
	t.masks, t.smoothing = newMasks(r), newSmoothing(r.LabelSmoothing, c.TargetVocab)
	t.averaging = newAveraging(r.Average, m)
	t.transposed.set(k, c, m.Parameters)
	return t, nil
}

// Updates returns the number of updates that the model has had, those before a Load included.
func (t *Trainer) Updates() int { return t.updates }

// Model returns the model to measure, to translate with and to save: the one that is trained or,
// where Recipe.Average is d > 0, one that shares all with it but the weights. They are a moving
// average of the trained ones, which are w_t after update t, counted from 1:
//
//	a_t = a_{t-1} + (1-d_t)·(w_t-a_{t-1})     d_t = min(d, (t-1)/(t+9))
//
// with the initial weights for a_0, of which nothing is left in a_1. It is the same model at each
// call. Every Update and Load changes it; nobody else may use it meanwhile.
func (t *Trainer) Model() *Model {
	if t.averaging != nil {
		return t.averaging.model
	}
	return t.workspace.model
}

// Update takes one step on a batch and returns its loss before the step: -log p of all target
// words, summed, with dropout and, as in Workspace.Loss, without label smoothing. The error wraps
// ErrExample, ErrCapacity or, where the gradient is not finite, ErrNotFinite; the weights and their
// average are then as they were.
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
	scale := float32(1)
	if norm > t.clip {
		scale = t.clip / norm
	}
	t.optimizer.step(k, scale)
	t.updates++
	t.averaging.step(k, t.updates)
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
	w, masks := t.workspace, t.masks.of(t.updates)
	if err := w.forward(masks, batch); err != nil {
		return 0, err
	}
	k, p, g, d := w.kernels, w.model.Parameters, t.gradients, w.decoder
	k.Clear(g.dense())
	t.source.begin(k, batch, func(e text.Example) []int32 { return e.Source })
	t.target.begin(k, batch, func(e text.Example) []int32 { return e.Target })
	rows, units := d.layout.Rows(), w.model.Config.Maxout
	maxout, dmaxout := kernels.View(d.maxout, rows, units), kernels.View(d.dmaxout, rows, units)
	loss := d.out.backward(k, p, g, t.transposed, t.smoothing, maxout, dmaxout, d.gold[:rows], t.scratch)
	d.backward(k, p, g, t.transposed, w.encoder, masks, t.scratch)
	w.encoder.backward(k, g, t.transposed, masks, t.scratch)
	return loss, nil
}
