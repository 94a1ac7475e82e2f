// Package random draws choices from a PCG generator. They follow from the seed alone, on
// every machine and with every release of Go, which the methods of math/rand/v2.Rand do not
// promise.
package random

import (
	"math/bits"
	"math/rand/v2"
)

// A Generator is a PCG generator. The zero value is one seeded with zeros.
type Generator struct{ rand.PCG }

// New returns the generator of one of the streams of a seed.
func New(seed, stream uint64) *Generator {
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
