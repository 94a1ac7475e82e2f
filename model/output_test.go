package model

import (
	"math"
	"testing"

	"github.com/softsearch-go/softsearch/kernels"
)

// TestLabelSmoothing compares with p - q in float64, for vocabularies below, at and above the number
// of scores smoothed at a time. The bound allows about ten roundings of each term, most of them in
// p.
func TestLabelSmoothing(t *testing.T) {
	const rows, epsilon = 3, 0.1
	for _, vocabulary := range []int{1, 7, smoothingPart, 2*smoothingPart + 37} {
		scores := normal(newRand(50), rows*vocabulary, 2)
		words := []int32{0, int32(vocabulary) - 1, int32(vocabulary) / 2}
		eachImpl(t, func(t *testing.T, k kernels.Impl) {
			plain, smooth := append([]float32(nil), scores...), append([]float32(nil), scores...)
			losses, want := make([]float32, rows), make([]float32, rows)
			k.CrossEntropyRows(want, kernels.View(plain, rows, vocabulary), words)
			s := newLabelSmoothing(epsilon, vocabulary)
			s.crossEntropyRows(k, losses, kernels.View(smooth, rows, vocabulary), words)
			sameBits(t, "loss", losses, want)
			for i, word := range words {
				checkSmoothed(t, smooth[i*vocabulary:][:vocabulary], scores[i*vocabulary:][:vocabulary], int(word), epsilon)
			}
		})
	}
}

func checkSmoothed(t *testing.T, got, scores []float32, word int, epsilon float64) {
	t.Helper()
	sum := 0.0
	for _, v := range scores {
		sum += math.Exp(float64(v))
	}
	for i, v := range scores {
		p, q := math.Exp(float64(v))/sum, epsilon/float64(len(scores))
		if i == word {
			q += 1 - epsilon
		}
		if bound := 10 * 0x1p-24 * (p + q); !(math.Abs(float64(got[i])-(p-q)) <= bound) {
			t.Fatalf("gradient %d of %d: got %v, want %v within %v", i, len(scores), got[i], p-q, bound)
		}
	}
}
