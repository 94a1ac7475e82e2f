package model

import "github.com/softsearch-go/softsearch/kernels"

// An adadelta is the optimizer of Zeiler (2012), with the settings of the paper's appendix B.2.
type adadelta struct {
	rule                        kernels.Adadelta
	weights, gradients, g2, dx2 *Parameters
	source, target              *lazyAdadelta
}

func newAdadelta(c Config, weights, gradients *Parameters, source, target *embedding) *adadelta {
	a := &adadelta{
		rule:    kernels.Adadelta{Rho: 0.95, Epsilon: 1e-6},
		weights: weights, gradients: gradients, g2: newParameters(c), dx2: newParameters(c),
	}
	a.source = newLazyAdadelta(source, weights.Source, a.g2.Source, a.dx2.Source)
	a.target = newLazyAdadelta(target, weights.Target, a.g2.Target, a.dx2.Target)
	return a
}

func (a *adadelta) step(k kernels.Impl, scale float32) {
	a.rule.Scale = scale
	k.UpdateAdadelta(a.rule, a.weights.dense(), a.gradients.dense(), a.g2.dense(), a.dx2.dense())
	a.source.update(k, a.rule)
	a.target.update(k, a.rule)
}

func (a *adadelta) averages(k kernels.Impl) [2]average {
	a.source.settle(k)
	a.target.settle(k)
	return [2]average{{"adadelta.g2", a.g2.Values}, {"adadelta.dx2", a.dx2.Values}}
}

func (a *adadelta) resume(int) {
	a.source.forget()
	a.target.forget()
}

// A lazyAdadelta updates the rows of an embedding that a batch has. Where the gradient is 0, a
// step of Adadelta leaves the weight as it is and makes both running averages decay; a row makes
// up for that when a batch has it again. The bits are those of steps of all rows.
type lazyAdadelta struct {
	*embedding
	weights, g2, dx2 kernels.Matrix // the averages of a row are those as of update current[row]
	current          []int
	updates          int              // so far
	rule             kernels.Adadelta // of the last update
}

func newLazyAdadelta(e *embedding, weights, g2, dx2 kernels.Matrix) *lazyAdadelta {
	return &lazyAdadelta{embedding: e, weights: weights, g2: g2, dx2: dx2, current: make([]int, weights.Rows)}
}

// update takes a step on the rows of the batch. Rho is the same in all steps.
func (l *lazyAdadelta) update(k kernels.Impl, rule kernels.Adadelta) {
	l.rule = rule
	l.updates++
	l.divide(k, (*updateTask)(l), kernels.CostFunction)
}

// settle brings the averages of all rows up to date.
func (l *lazyAdadelta) settle(k kernels.Impl) {
	for row := range l.current {
		l.catchUp(k, row, l.updates)
	}
}

// catchUp takes the averages of a row through the updates before that one which it missed.
func (l *lazyAdadelta) catchUp(k kernels.Impl, row, update int) {
	missed := update - l.current[row]
	k.Decay(l.g2.Row(row), l.rule.Rho, missed)
	k.Decay(l.dx2.Row(row), l.rule.Rho, missed)
	l.current[row] = update
}

// forget takes all averages for those as of the last update.
func (l *lazyAdadelta) forget() {
	l.updates = 0
	clear(l.current)
}

type updateTask lazyAdadelta

func (t *updateTask) Run(k kernels.Impl, from, to int) {
	l := (*lazyAdadelta)(t)
	for _, row := range l.rows[from:to] {
		l.catchUp(k, row, l.updates-1)
		k.UpdateAdadelta(l.rule, l.weights.Row(row), l.gradient.Row(row), l.g2.Row(row), l.dx2.Row(row))
		l.current[row] = l.updates
	}
}
