package model

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/softsearch-go/softsearch/kernels"
)

// TestTrainerSettings compares the weights after each of three updates with Adadelta in
// float64 on the trainer's own gradients: with the paper's settings, with others, and with a maximum
// norm that the gradient does not reach.
func TestTrainerSettings(t *testing.T) {
	eachImpl(t, func(t *testing.T, k kernels.Impl) {
		for _, s := range []struct{ rho, epsilon, clip float32 }{
			{0.95, 1e-6, 1}, {0.9, 1e-4, 1}, {0.95, 1e-6, 0.01}, {0.5, 1e-6, 1e6},
		} {
			m, batch := randomModel(t, smallConfig, 80, 0.4), randomBatch(newRand(81), smallConfig, 5, 6, 6)
			trainer, err := NewTrainer(k, m, Hyperparameters{}, capacityOf(batch))
			if err != nil {
				t.Fatal(err)
			}
			rule := &trainer.optimizer.(*adadelta).rule
			if s.rho == 0.95 && s.clip == 1 && (rule.Rho != s.rho || rule.Epsilon != s.epsilon || trainer.clip != s.clip) {
				t.Errorf("settings: got %v, %v and %v, want %v", rule.Rho, rule.Epsilon, trainer.clip, s)
			}
			rule.Rho, rule.Epsilon, trainer.clip = s.rho, s.epsilon, s.clip
			a := newExactAdadelta(float64(s.rho), float64(s.epsilon), float64(s.clip), m.Parameters.Values)
			for update := range 3 {
				before := slices.Clone(m.Parameters.Values)
				if _, err := trainer.Update(batch); err != nil {
					t.Fatal(err)
				}
				want := a.update(before, trainer.gradients.Values)
				checkWeights(t, fmt.Sprintf("%s: %+v: update %d", k, s, update), m.Parameters.Values, before, want)
			}
		}
	})
}

// checkWeights allows the rounding of the weight itself (2⁻²⁴ of it) and about ten roundings in the
// step and the averages.
func checkWeights(t *testing.T, what string, got, before []float32, want []float64) {
	t.Helper()
	for i, w := range want {
		step := math.Abs(w - float64(before[i]))
		if bound := 0x1p-23*math.Abs(w) + 5e-6*step; !(math.Abs(float64(got[i])-w) <= bound) {
			t.Fatalf("%s: weight %d: got %v, want %v within %v", what, i, got[i], w, bound)
		}
	}
}

// An exactAdadelta is the optimizer in float64.
type exactAdadelta struct {
	rho, epsilon, clip float64
	g2, dx2            []float64
}

func newExactAdadelta(rho, epsilon, clip float64, weights []float32) *exactAdadelta {
	return &exactAdadelta{rho, epsilon, clip, make([]float64, len(weights)), make([]float64, len(weights))}
}

// update returns the weights after a step.
func (a *exactAdadelta) update(weights, gradient []float32) []float64 {
	squares := 0.0
	for _, g := range gradient {
		squares += float64(g) * float64(g)
	}
	scale := min(1, a.clip/math.Sqrt(squares))
	next := make([]float64, len(weights))
	for i, w := range weights {
		g := scale * float64(gradient[i])
		a.g2[i] = a.rho*a.g2[i] + (1-a.rho)*g*g
		dx := -math.Sqrt(a.dx2[i]+a.epsilon) / math.Sqrt(a.g2[i]+a.epsilon) * g
		a.dx2[i] = a.rho*a.dx2[i] + (1-a.rho)*dx*dx
		next[i] = float64(w) + dx
	}
	return next
}

// TestTrainingLearns trains on one batch. After 200 updates its loss is less than a tenth, and
// greedy search finds the first word of each target.
func TestTrainingLearns(t *testing.T) {
	eachVariant(t, smallConfig, func(t *testing.T, c Config) {
		m, batch := randomModel(t, c, 82, 0.2), randomBatch(newRand(83), c, 2, 5, 4)
		trainer, err := NewTrainer(kernels.Best(), m, Hyperparameters{}, capacityOf(batch))
		if err != nil {
			t.Fatal(err)
		}
		first, last := 0.0, 0.0
		for update := range 200 {
			loss, err := trainer.Update(batch)
			if err != nil {
				t.Fatal(err)
			}
			if update == 0 {
				first = loss
			}
			last = loss
		}
		if !(last < first/10) {
			t.Errorf("loss after 200 updates: got %v, want less than a tenth of %v", last, first)
		}
		s := stepperOf(t, kernels.Best(), m, 1, 5)
		for i, e := range batch {
			begin(t, s, e.Source)
			scores := stepOn(t, s, -1).Row(0)
			if got := int32(slices.Index(scores, slices.Max(scores))); got != e.Target[0] {
				t.Errorf("sentence %d: got first word %d, want %d", i, got, e.Target[0])
			}
		}
	})
}
