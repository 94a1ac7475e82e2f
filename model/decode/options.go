package decode

import (
	"fmt"
	"math"

	"github.com/softsearch-go/softsearch/model"
)

// A Options says which translations a search finds. Everything but Beam may be zero: one
// translation, the one of the largest log p, as in the paper.
type Options struct {
	Beam  int // hypotheses of a sentence that are kept; 1 is greedy search
	NBest int // translations of a sentence that are returned, at most Beam; 0 is 1

	// Normalization is the power α of the score log p / wordsᵅ by which finished translations
	// are compared, 0 to 10. EOS counts as a word. The larger it is the longer they are; at 1
	// the score is the mean of log p over the words.
	Normalization float64

	MinLength int  // fewest words before EOS
	ForbidUNK bool // no translation has the word text.UNK
}

// mostNormalization bounds the exponent: powers of a length stay finite.
const mostNormalization = 10

// check returns an error that wraps ErrConfig for settings that no search can have.
func (d Options) check() error {
	switch {
	case d.Beam < 1:
		return fmt.Errorf("model: %w: beam of %d hypotheses, expected at least 1", model.ErrConfig, d.Beam)
	case d.NBest < 0 || d.NBest > d.Beam:
		return fmt.Errorf("model: %w: best %d translations, expected at most the beam of %d", model.ErrConfig, d.NBest, d.Beam)
	case !(d.Normalization >= 0 && d.Normalization <= mostNormalization):
		return fmt.Errorf("model: %w: normalization by words^%v, expected 0 to %d", model.ErrConfig, d.Normalization, mostNormalization)
	case d.MinLength < 0:
		return fmt.Errorf("model: %w: at least %d words, expected 0 or more", model.ErrConfig, d.MinLength)
	}
	return nil
}

// best returns the number of translations of a sentence.
func (d Options) best() int { return max(1, d.NBest) }

// allows reports whether a word other than EOS may come, out of a vocabulary of that size.
func (d Options) allows(vocabulary int) bool {
	others := vocabulary - 1
	if d.ForbidUNK {
		others--
	}
	return others > 0
}

// powers returns n^Normalization for n of 0 to length.
func (d Options) powers(length int) []float64 {
	list := make([]float64, length+1)
	for n := range list {
		list[n] = power(float64(n), d.Normalization)
	}
	return list
}

// power returns xᵅ for x ≥ 0 and α ≥ 0, the same bits on every machine, which math.Pow does not
// promise: products and square roots alone, which IEEE 754 rounds correctly. The fraction of α
// is Σ bₖ2⁻ᵏ with bits bₖ, and the factor for a bit the square root taken k times. The error is
// below 2⁻⁴⁵ of the result.
func power(x, alpha float64) float64 {
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
