package kernels

import (
	"math"

	"github.com/softsearch-go/softsearch/asm"
)

// Adadelta holds the settings of the update rule of Zeiler (2012).
type Adadelta struct {
	Rho     float32 // decay rate of both running averages
	Epsilon float32 // added to both before the square roots
	Scale   float32 // factor on the gradient: gradient clipping
}

// UpdateAdadelta takes one step of Adadelta: with s = Scale·g[i],
//
//	g2[i] = Rho·g2[i] + (1-Rho)·s²
//	d     = √((dx2[i]+Epsilon) / (g2[i]+Epsilon)) · s
//	x[i]  = x[i] - d
//	dx2[i] = Rho·dx2[i] + (1-Rho)·d²
//
// where averages below 2⁻¹⁰⁰ become 0. It panics if the lengths differ.
func (k Impl) UpdateAdadelta(a Adadelta, x, g, g2, dx2 []float32) {
	if len(g) != len(x) || len(g2) != len(x) || len(dx2) != len(x) {
		panic("kernels: UpdateAdadelta: lengths differ")
	}
	k.update(updateTask{rule: adadeltaRule, adadelta: a, x: x, g: g, m: g2, v: dx2}, CostFunction)
}

// Decay does to running averages what that many steps of Adadelta with gradient 0 do, so that a
// caller can skip the steps of parameters without gradients and catch up later:
//
//	for range steps { x[i] = rho·x[i] }
//
// where each product is rounded, and becomes 0 below 2⁻¹⁰⁰. It takes no steps that change nothing. It
// panics if steps < 0.
func (k Impl) Decay(x []float32, rho float32, steps int) {
	if steps < 0 {
		panic("kernels: Decay: steps < 0")
	}
	for i := 0; i < len(x); i += block {
		k.decayBlock(x[i:min(i+block, len(x))], rho, steps)
	}
}

// decaySteps is the maximum number of steps in one call of assembly.
const decaySteps = 64

// decayBlock stops once no step changes an average, such as 0.
func (k Impl) decayBlock(x []float32, rho float32, steps int) {
	for ; steps > decaySteps; steps -= decaySteps {
		k.decay(x, rho, decaySteps)
		if decayed(x, rho) {
			return
		}
	}
	if steps > 0 {
		k.decay(x, rho, steps)
	}
}

func decayed(x []float32, rho float32) bool {
	for _, v := range x {
		if v == v && atLeastFloor(rho*v) != v {
			return false
		}
	}
	return true
}

// Adam holds the settings of one step of the update rule of Kingma and Ba (2015). In step t, counted
// from 1, of a training with step size α, decays β₁ and β₂, and ε,
//
//	Rate    = α·√(1-β₂ᵗ) / (1-β₁ᵗ)
//	Epsilon = ε·√(1-β₂ᵗ)
//
// make UpdateAdam take the step α·m̂/(√v̂+ε) of their algorithm 1 (section 2, last paragraph).
type Adam struct {
	Beta1, Beta2 float32 // decay rates of the running averages of the gradient and its square
	Epsilon      float32 // added to the square root, corrected for bias
	Rate         float32 // the step size, corrected for bias
	Scale        float32 // factor on the gradient: gradient clipping
}

// UpdateAdam takes one step of Adam: with s = Scale·g[i],
//
//	m[i] = Beta1·m[i] + (1-Beta1)·s
//	v[i] = Beta2·v[i] + (1-Beta2)·s²
//	x[i] = x[i] - Rate·m[i] / (√v[i]+Epsilon)
//
// where averages of magnitudes below 2⁻¹⁰⁰ become 0. Epsilon must be above 0, or elements without
// gradients become NaN. It panics if the lengths differ.
func (k Impl) UpdateAdam(a Adam, x, g, m, v []float32) {
	if len(g) != len(x) || len(m) != len(x) || len(v) != len(x) {
		panic("kernels: UpdateAdam: lengths differ")
	}
	k.update(updateTask{rule: adamRule, adam: a, x: x, g: g, m: m, v: v}, CostFunction)
}

// MovingAverage takes one step of an exponential moving average toward x:
//
//	average[i] = fma(rate, x[i]-average[i], average[i])
//
// where the difference is rounded. It panics if the lengths differ.
func (k Impl) MovingAverage(average, x []float32, rate float32) {
	if len(average) != len(x) {
		panic("kernels: MovingAverage: len(average) != len(x)")
	}
	k.update(updateTask{rule: averageRule, rate: rate, x: average, g: x}, CostMove)
}

type updateRule int

const (
	adadeltaRule updateRule = iota
	adamRule
	averageRule
)

// An updateTask divides the blocks of an update, of whose operands and settings each rule uses some.
type updateTask struct {
	rule       updateRule
	adadelta   Adadelta
	adam       Adam
	rate       float32
	x, g, m, v []float32
}

// update runs u at this cost per element.
func (k Impl) update(u updateTask, cost int) {
	if n := blocks(len(u.x)); !divided(k, u, int64(cost)*int64(len(u.x)), n) {
		u.Run(k, 0, n)
	}
}

func (u *updateTask) Run(k Impl, from, to int) {
	for b := from; b < to; b++ {
		i, end := b*block, min((b+1)*block, len(u.x))
		switch x, g := u.x[i:end], u.g[i:end]; u.rule {
		case adadeltaRule:
			k.adadelta(u.adadelta, x, g, u.m[i:end], u.v[i:end])
		case adamRule:
			k.adam(u.adam, x, g, u.m[i:end], u.v[i:end])
		case averageRule:
			k.movingAverage(x, g, u.rate)
		}
	}
}

func adadeltaGo(a Adadelta, x, g, g2, dx2 []float32) {
	keep := 1 - a.Rho
	for i := range x {
		s := float32(a.Scale * g[i])
		e := meanSquare(a.Rho, keep, g2[i], s)
		ratio := float32(dx2[i]+a.Epsilon) / float32(e+a.Epsilon)
		d := float32(float32(math.Sqrt(float64(ratio))) * s)
		x[i] -= d
		g2[i] = e
		dx2[i] = meanSquare(a.Rho, keep, dx2[i], d)
	}
}

// meanSquare returns the running average of squares after one more value, decay·mean + keep·x².
func meanSquare(decay, keep, mean, x float32) float32 {
	return atLeastFloor(fma(decay, mean, float32(keep*float32(x*x))))
}

func atLeastFloor(x float32) float32 {
	if x < asm.AverageFloor {
		return 0
	}
	return x
}

func decayGo(x []float32, rho float32, steps int) {
	for i, v := range x {
		for range steps {
			v = atLeastFloor(rho * v)
		}
		x[i] = v
	}
}

func adamGo(a Adam, x, g, m, v []float32) {
	keep1, keep2 := 1-a.Beta1, 1-a.Beta2
	for i := range x {
		s := float32(a.Scale * g[i])
		mean := fma(a.Beta1, m[i], float32(keep1*s))
		if math.Abs(float64(mean)) < float64(asm.AverageFloor) {
			mean = 0
		}
		square := meanSquare(a.Beta2, keep2, v[i], s)
		root := float32(math.Sqrt(float64(square)))
		x[i] -= float32(a.Rate*mean) / float32(root+a.Epsilon)
		m[i], v[i] = mean, square
	}
}

func movingAverageGo(average, x []float32, rate float32) {
	for i, v := range x {
		mean := average[i]
		average[i] = fma(rate, v-mean, mean)
	}
}
