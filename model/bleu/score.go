package bleu

import "math"

// BLEU returns, in percent from 0 to 100,
//
//	100 · BP · (p₁ p₂ p₃ p₄)^¼
//
// where pₙ is the share of the hypotheses' n-grams that match and BP = exp(1 - r/h) if the
// hypotheses' h tokens are fewer than the references' r, and 1 otherwise. It is 0 where one
// of the shares is, and for an empty corpus.
func (s *Statistics) BLEU() float64 { return 100 * (s.brevity() * root(s.shares())) }

// Smoothed is [Statistics.BLEU] in which the k-th of the shares that are 0, beginning with
// the shortest n-grams, is replaced by the share of 1/2ᵏ matches: the smoothing of NIST's
// mteval-v13a.pl, method 3 of Chen and Cherry (2014). It is 0 if not one token matches, or
// if no hypothesis has four tokens.
func (s *Statistics) Smoothed() float64 { return s.brevity() * root(s.smoothed()) }

// shares returns the share of the n-grams that match, 0 if there are none.
func (s *Statistics) shares() (p [order]float64) {
	for n, total := range s.total {
		if total > 0 {
			p[n] = float64(s.matches[n]) / float64(total)
		}
	}
	return p
}

// smoothed returns the shares of Smoothed in percent.
func (s *Statistics) smoothed() (p [order]float64) {
	if s.matches[0] == 0 {
		return p
	}
	percent := 100.0
	for n, total := range s.total {
		switch {
		case total == 0:
		case s.matches[n] == 0:
			percent /= 2
			p[n] = percent / float64(total)
		default:
			p[n] = 100 * float64(s.matches[n]) / float64(total)
		}
	}
	return p
}

// root returns the fourth root of the product.
func root(p [order]float64) float64 {
	product := 1.0
	for _, v := range p {
		product *= v
	}
	return math.Sqrt(math.Sqrt(product))
}

// brevity returns the brevity penalty; without one token in the hypotheses it is 0.
func (s *Statistics) brevity() float64 {
	if s.hypothesis >= s.reference {
		return 1
	}
	return exponential(1 - float64(s.reference)/float64(s.hypothesis))
}

// ratio returns the length of the hypotheses by that of the references, 0 if that is 0.
func (s *Statistics) ratio() float64 {
	if s.reference == 0 {
		return 0
	}
	return float64(s.hypothesis) / float64(s.reference)
}
