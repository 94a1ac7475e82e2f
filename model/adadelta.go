package model

import (
	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model/safetensors"
)

// An adadelta is the optimizer of Zeiler (2012), with the settings of the paper's appendix B.2.
type adadelta struct {
	rule             kernels.Adadelta
	weights, g2, dx2 *Parameters
	gradients        *gradients
	source, target   *lazyAdadelta
}

func newAdadelta(a *allocator, c Config, weights *Parameters, g *gradients) *adadelta {
	o := &adadelta{
		rule:    kernels.Adadelta{Rho: 0.95, Epsilon: 1e-6},
		weights: weights, gradients: g, g2: newParameters(a, c), dx2: newParameters(a, c),
	}
	o.source = newLazyAdadelta(a, g.source, weights.Source.Float32, o.g2.Source.Float32, o.dx2.Source.Float32)
	o.target = newLazyAdadelta(a, g.target, weights.Target.Float32, o.g2.Target.Float32, o.dx2.Target.Float32)
	return o
}

func (o *adadelta) begin(scale float32) { o.rule.Scale = scale }

func (o *adadelta) dense(k kernels.Impl, from, to int) {
	k.UpdateAdadelta(o.rule, o.weights.dense()[from:to], o.gradients.dense()[from:to], o.g2.dense()[from:to], o.dx2.dense()[from:to])
}

func (o *adadelta) embeddings(k kernels.Impl) {
	o.source.update(k, o.rule)
	o.target.update(k, o.rule)
}

func (o *adadelta) state(k kernels.Impl) [2]safetensors.Tensor {
	o.source.settle(k)
	o.target.settle(k)
	return [2]safetensors.Tensor{stateTensor("adadelta.g2", o.g2), stateTensor("adadelta.dx2", o.dx2)}
}

func (o *adadelta) resume(int) {
	o.source.forget()
	o.target.forget()
}

// A lazyAdadelta updates only those rows of an embedding that are in the batch, with the same
// bits as a step on all rows: where the gradient is 0, a step leaves the weight unchanged and
// decays both running averages, which a row catches up on when it is next in a batch.
type lazyAdadelta struct {
	*embeddingGradient
	weights, g2, dx2 kernels.Matrix   // the averages of a row are as of update current[row]
	current          []int            // for each row
	updates          int              // so far
	rule             kernels.Adadelta // of the last update
}

func newLazyAdadelta(a *allocator, e *embeddingGradient, weights, g2, dx2 kernels.Matrix) *lazyAdadelta {
	return &lazyAdadelta{embeddingGradient: e, weights: weights, g2: g2, dx2: dx2, current: a.ints(weights.Rows)}
}

// update takes a step on the rows of the batch. Rho must be the same for all steps.
func (l *lazyAdadelta) update(k kernels.Impl, rule kernels.Adadelta) {
	l.rule = rule
	l.updates++
	l.divide(k, (*lazyUpdateTask)(l), kernels.CostFunction)
}

// A lazyUpdateTask is a task on l.rows (see attentionCall for why it is a type).
type lazyUpdateTask lazyAdadelta

func (t *lazyUpdateTask) Run(k kernels.Impl, from, to int) {
	l := (*lazyAdadelta)(t)
	for _, row := range l.rows[from:to] {
		l.catchUp(k, row, l.updates-1)
		k.UpdateAdadelta(l.rule, l.weights.Row(row), l.gradient.Row(row), l.g2.Row(row), l.dx2.Row(row))
		l.current[row] = l.updates
	}
}

// catchUp decays the averages of a row for every update that it missed up to the given one.
func (l *lazyAdadelta) catchUp(k kernels.Impl, row, update int) {
	missed := update - l.current[row]
	k.Decay(l.g2.Row(row), l.rule.Rho, missed)
	k.Decay(l.dx2.Row(row), l.rule.Rho, missed)
	l.current[row] = update
}

// settle brings the averages of all rows up to date.
func (l *lazyAdadelta) settle(k kernels.Impl) {
	for row := range l.current {
		l.catchUp(k, row, l.updates)
	}
}

// forget declares all averages up to date.
func (l *lazyAdadelta) forget() {
	l.updates = 0
	clear(l.current)
}
