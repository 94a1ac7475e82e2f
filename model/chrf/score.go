package chrf

import "fmt"

// ChrF2 returns, in percent from 0 to 100,
//
//	100 · (1 + β²)·P·R / (β²·P + R)
//
// for β = 2, where P and R are the means over n of the shares of the hypotheses' and of the
// references' n-grams that match. The mean is over those n of which both have n-grams. The
// result is 0 if nothing matches.
func (s *Statistics) ChrF2() float64 {
	const beta2 = 2 * 2
	precision, recall := s.means()
	if precision == 0 {
		return 0
	}
	return 100 * ((1 + beta2) * precision * recall / (float64(beta2*precision) + recall))
}

// means returns the mean precision and recall, 0 if there are no n-grams.
func (s *Statistics) means() (precision, recall float64) {
	lengths := 0
	for n, count := range s.matches {
		if s.hypothesis[n] > 0 && s.reference[n] > 0 {
			precision += float64(count) / float64(s.hypothesis[n])
			recall += float64(count) / float64(s.reference[n])
			lengths++
		}
	}
	if lengths == 0 {
		return 0, 0
	}
	return precision / float64(lengths), recall / float64(lengths)
}

// SacreBLEU returns the line that sacreBLEU prints, with two decimals and without its version,
// for sentences with so many references each: a signature of the settings, then
// [Statistics.ChrF2].
func (s *Statistics) SacreBLEU(references int) string {
	return fmt.Sprintf("chrF2|nrefs:%d|case:mixed|eff:yes|nc:%d|nw:0|space:no = %.2f", references, order, s.ChrF2())
}
