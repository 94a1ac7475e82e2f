package text

import (
	"math/bits"
	"math/rand/v2"
)

// random is a PCG generator. The methods that derive a choice from its 64 bits are here,
// because no release of Go promises to leave those of rand.Rand as they are.
type random struct{ rand.PCG }

// newRandom returns the generator of one of the streams of a seed.
func newRandom(seed, stream uint64) *random {
	r := new(random)
	r.Seed(seed, stream)
	return r
}

// below returns a number from 0 to n-1, for n ≥ 1. The numbers are equally likely up to
// n/2⁶⁴.
func (r *random) below(n int) int {
	high, _ := bits.Mul64(r.Uint64(), uint64(n))
	return int(high)
}

// chance is true percent times out of a hundred.
func (r *random) chance(percent int) bool { return r.below(100) < percent }

// shuffle puts s into random order.
func (r *random) shuffle(s []int) {
	for i := len(s) - 1; i > 0; i-- {
		j := r.below(i + 1)
		s[i], s[j] = s[j], s[i]
	}
}

// pick returns one of the elements of s.
func pick[T any](r *random, s []T) T { return s[r.below(len(s))] }
