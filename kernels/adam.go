package kernels

import (
	"math"

	"github.com/softsearch-go/softsearch/asm"
)

const badAdam = "kernels: UpdateAdam: lengths differ"

// Adam holds the settings of one step of Kingma and Ba (2015), the corrections of bias in
// Epsilon and Rate (see [AdamBias]).
type Adam struct {
	Beta1, Beta2 float32 // decays of the running averages of the gradient and of its square
	Epsilon      float32 // added to the square root
	Rate         float32 // the step size
	Scale        float32 // factor on the gradient: the clipping
}

// An AdamBias is what Adam's running averages, which start from 0, would be if every gradient
// were 1: 1-β₁ᵗ and 1-β₂ᵗ after t steps. The zero value is that before the first step.
type AdamBias struct{ M, V float64 }

// Next goes on to the next step and returns a, whose Epsilon and Rate are ε and α, with those of
// this step:
//
//	Epsilon = ε·√(1-β₂ᵗ)
//	Rate    = α·√(1-β₂ᵗ) / (1-β₁ᵗ)
//
// so that UpdateAdam takes the step α·m̂/(√v̂+ε) of their algorithm 1 (section 2, last paragraph).
func (b *AdamBias) Next(a Adam) Adam {
	beta1, beta2 := float64(a.Beta1), float64(a.Beta2)
	b.M = float64(beta1*b.M) + (1 - beta1)
	b.V = float64(beta2*b.V) + (1 - beta2)
	root := math.Sqrt(b.V)
	a.Epsilon = float32(float64(a.Epsilon) * root)
	a.Rate = float32(float64(a.Rate) * root / b.M)
	return a
}

// UpdateAdam takes one step of Adam: with s = Scale·g[i],
//
//	m[i] = Beta1·m[i] + (1-Beta1)·s
//	v[i] = Beta2·v[i] + (1-Beta2)·s²
//	x[i] = x[i] - Rate·m[i] / (√v[i]+Epsilon)
//
// where averages of magnitudes below 2⁻¹⁰⁰ count as 0: Epsilon has to be above 0, or elements
// without gradient become NaN. It panics if the lengths differ.
func (k Impl) UpdateAdam(a Adam, x, g, m, v []float32) {
	if len(g) != len(x) || len(m) != len(x) || len(v) != len(x) {
		panic(badAdam)
	}
	t, n := k.team, blocks(len(x))
	u := adamStep{a, x, g, m, v}
	if !t.divides(CostFunction*len(x), n) {
		u.Run(k, 0, n)
		return
	}
	t.adam = u
	t.do(k, &t.adam, n)
}

// An adamStep is the operands of UpdateAdam.
type adamStep struct {
	rule       Adam
	x, g, m, v []float32
}

// Run takes the step for a range of blocks.
func (u *adamStep) Run(k Impl, from, to int) {
	for b := from; b < to; b++ {
		i, end := b*block, min((b+1)*block, len(u.x))
		k.adam(u.rule, u.x[i:end], u.g[i:end], u.m[i:end], u.v[i:end])
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
