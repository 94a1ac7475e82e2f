package model

import (
	"fmt"
	"math"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model/safetensors"
)

// An optimizer updates weights with their gradients and keeps two running averages of each.
type optimizer interface {
	// update takes a step with the gradients times scale.
	update(k kernels.Impl, scale float32)

	// state returns the running averages as of the last step.
	state(k kernels.Impl) [2]safetensors.Tensor

	// resume continues after that many steps, with averages that were copied into state.
	resume(steps int)
}

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

func (o *adadelta) update(k kernels.Impl, scale float32) {
	o.rule.Scale = scale
	k.UpdateAdadelta(o.rule, o.weights.dense(), o.gradients.dense(), o.g2.dense(), o.dx2.dense())
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

// An Adam holds the settings of the optimizer of Kingma and Ba (2015). Its decays are theirs, 0.9
// and 0.999, and ε is 1e-8. Every step changes all weights, including those without a gradient.
type Adam struct {
	Rate   float64 `json:"rate"`   // the step size α
	Warmup int     `json:"warmup"` // number of steps over which the step size rises linearly to Rate; 0: none
	Decay  int     `json:"decay"`  // step after which the step size falls as 1/√step; 0: never
}

// Check returns an error that wraps ErrConfig if a setting is out of its range.
func (a Adam) Check() error {
	if !(a.Rate > 0 && a.Rate <= 1) {
		return fmt.Errorf("%w: learning rate %v, expected above 0 and at most 1", ErrConfig, a.Rate)
	}
	if a.Warmup < 0 || a.Decay < 0 {
		return fmt.Errorf("%w: warm-up of %d steps, decay from step %d on, expected at least 0", ErrConfig, a.Warmup, a.Decay)
	}
	return nil
}

// RateAt returns the size of a step. Steps are counted from 1.
func (a Adam) RateAt(step int) float64 {
	rate := a.Rate
	if step < a.Warmup {
		rate *= float64(step) / float64(a.Warmup)
	}
	if a.Decay > 0 && step > a.Decay {
		rate *= math.Sqrt(float64(a.Decay) / float64(step))
	}
	return rate
}

// An adam is the optimizer with these settings.
type adam struct {
	settings      Adam
	rule          kernels.Adam
	weights, m, v *Parameters
	gradients     *gradients
	steps         int
	bias          adamBias // of the last step
}

func newAdam(a *allocator, settings Adam, c Config, weights *Parameters, g *gradients) *adam {
	return &adam{
		settings: settings, rule: kernels.Adam{Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8},
		weights: weights, gradients: g, m: newParameters(a, c), v: newParameters(a, c),
	}
}

func (o *adam) update(k kernels.Impl, scale float32) {
	o.steps++
	o.rule.Rate, o.rule.Scale = float32(o.settings.RateAt(o.steps)), scale
	k.UpdateAdam(o.bias.next(o.rule), o.weights.Values, o.gradients.Values, o.m.Values, o.v.Values)
}

func (o *adam) state(kernels.Impl) [2]safetensors.Tensor {
	return [2]safetensors.Tensor{stateTensor("adam.m", o.m), stateTensor("adam.v", o.v)}
}

func (o *adam) resume(steps int) {
	o.steps, o.bias = steps, adamBias{}
	for range steps {
		before := o.bias
		if o.bias.next(o.rule); o.bias == before {
			return // so close to 1 that no step changes it
		}
	}
}

// An adamBias is the factor by which Adam's running averages, which start from 0, are too small
// after t steps: 1-β₁ᵗ and 1-β₂ᵗ. The zero value is for t = 0.
type adamBias struct{ m, v float64 }

// next advances to the next step and returns r with its Rate and Epsilon corrected (see
// kernels.Adam).
func (b *adamBias) next(r kernels.Adam) kernels.Adam {
	beta1, beta2 := float64(r.Beta1), float64(r.Beta2)
	b.m = float64(beta1*b.m) + (1 - beta1)
	b.v = float64(beta2*b.v) + (1 - beta2)
	root := math.Sqrt(b.v)
	r.Epsilon = float32(float64(r.Epsilon) * root)
	r.Rate = float32(float64(r.Rate) * root / b.m)
	return r
}

// A movingAverage averages a model's weights, as Trainer.Model defines it. Nil averages nothing.
type movingAverage struct {
	decay   float64
	weights *Parameters
	model   *Model // has the average for its weights
}

// newMovingAverage returns an average that starts from the weights of m.
func newMovingAverage(a *allocator, decay float64, m *Model) *movingAverage {
	if decay == 0 {
		return nil
	}
	averaged := *m
	averaged.Parameters = newParameters(a, m.Config)
	copy(averaged.Parameters.Values, m.Parameters.Values)
	return &movingAverage{decay, m.Parameters, &averaged}
}

// update adds the weights after an update, counted from 1.
func (a *movingAverage) update(k kernels.Impl, update int) {
	if a == nil {
		return
	}
	rate := max(1-a.decay, 10/(float64(update)+9)) // 1-d_t
	k.MovingAverage(a.model.Parameters.Values, a.weights.Values, float32(rate))
}

func (a *movingAverage) state() []safetensors.Tensor {
	if a == nil {
		return nil
	}
	return []safetensors.Tensor{stateTensor("weights.average", a.model.Parameters)}
}
