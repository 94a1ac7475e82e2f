package bleu

import "fmt"

// String returns the line that multi-bleu.perl prints: BLEU, the four precisions, the
// brevity penalty, the ratio of the lengths, and the lengths in tokens.
func (s *Statistics) String() string {
	if s.reference == 0 {
		return "BLEU = 0, 0/0/0/0 (BP=0, ratio=0, hyp_len=0, ref_len=0)"
	}
	p := s.shares()
	return fmt.Sprintf("BLEU = %.2f, %.1f/%.1f/%.1f/%.1f (BP=%.3f, ratio=%.3f, hyp_len=%d, ref_len=%d)",
		s.BLEU(), 100*p[0], 100*p[1], 100*p[2], 100*p[3], s.brevity(), s.ratio(), s.hypothesis, s.reference)
}

// SacreBLEU returns the line that sacreBLEU prints, with two decimals and without its version,
// for sentences with so many references each: a signature of the settings, then
// [Statistics.Smoothed] and what it is made of. The tokens must be those of [Tokenize13a].
func (s *Statistics) SacreBLEU(references int) string {
	p := s.smoothed()
	return fmt.Sprintf("BLEU|nrefs:%d|case:mixed|eff:no|tok:13a|smooth:exp = %.2f %.1f/%.1f/%.1f/%.1f (BP = %.3f ratio = %.3f hyp_len = %d ref_len = %d)",
		references, s.Smoothed(), p[0], p[1], p[2], p[3], s.brevity(), s.ratio(), s.hypothesis, s.reference)
}
