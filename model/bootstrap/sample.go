package bootstrap

import (
	"math/bits"
	"math/rand/v2"
)

// Samples is the number of samples.
const Samples = 1000

// A Score returns the score of a corpus that consists of the sentences with these numbers,
// counted from 0; a number may occur more than once or not at all. It must not keep the slice.
type Score func(sentences []int) float64

// stream tells the generator's numbers from those of other users of the same seed.
const stream = 2004

// scores returns the score of every sample of a corpus of n sentences. The samples depend on
// n and seed alone.
func scores(n int, seed uint64, score Score) []float64 {
	r := rand.NewPCG(seed, stream)
	sample := make([]int, n)
	results := make([]float64, Samples)
	for i := range results {
		for j := range sample {
			sample[j] = below(r, n)
		}
		results[i] = score(sample)
	}
	return results
}

// below returns a number from 0 to n-1, for n ≥ 1. The numbers are equally likely up to
// n/2⁶⁴. No release of Go promises to leave the methods of rand.Rand as they are.
func below(r *rand.PCG, n int) int {
	high, _ := bits.Mul64(r.Uint64(), uint64(n))
	return int(high)
}
