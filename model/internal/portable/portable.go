// Package portable draws random choices and computes functions of real numbers with the same bits on every machine and
// with every release of Go, which packages math and math/rand/v2 do not promise. Functions use only operations that
// IEEE 754 rounds correctly; choices follow from the seed alone.
package portable

import (
	"math"
	"math/bits"
	"math/rand/v2"
)

// A Generator is a PCG generator. The zero value is one seeded with zeros.
type Generator struct{ rand.PCG }

// NewGenerator returns the generator of one of the streams of a seed.
func NewGenerator(seed, stream uint64) *Generator {
	g := new(Generator)
	g.Seed(seed, stream)
	return g
}

// Below returns a number from 0 to n-1, for n ≥ 1. The numbers are equally likely up to
// n/2⁶⁴.
func (g *Generator) Below(n int) int {
	high, _ := bits.Mul64(g.Uint64(), uint64(n))
	return int(high)
}

// Chance reports true with a probability of percent/100.
func (g *Generator) Chance(percent int) bool { return g.Below(100) < percent }

// Shuffle permutes s (Fisher and Yates).
func Shuffle[T any](g *Generator, s []T) {
	for i := len(s) - 1; i > 0; i-- {
		j := g.Below(i + 1)
		s[i], s[j] = s[j], s[i]
	}
}

// Pick returns one of the elements of s, each equally likely.
func Pick[T any](g *Generator, s []T) T { return s[g.Below(len(s))] }

// Exp returns eˣ for x ≤ 0.
//
// x = n·ln 2 + r with |r| ≤ ln 2 / 2, and the Taylor series of eʳ ends after r¹⁴ (error below
// 2⁻⁵⁶).
func Exp(x float64) float64 {
	const underflow = -745.2
	if x < underflow {
		return 0
	}
	n := math.Round(x / math.Ln2)
	r := x - float64(n*math.Ln2)
	t := 1.0
	for k := 14; k > 0; k-- {
		t = 1 + float64(t*r)/float64(k)
	}
	return math.Ldexp(t, int(n))
}

// Power returns xᵅ for x ≥ 0 and α ≥ 0. The fraction of α is Σ bₖ2⁻ᵏ with bits bₖ, and bit k
// contributes the k-fold square root. The relative error is below 2⁻⁴⁵ for α ≤ 10.
func Power(x, alpha float64) float64 {
	whole, fraction := math.Modf(alpha)
	p := 1.0
	for ; whole > 0; whole-- {
		p *= x
	}
	for root := x; fraction > 0; {
		root = math.Sqrt(root)
		if fraction *= 2; fraction >= 1 {
			p *= root
			fraction--
		}
	}
	return p
}
