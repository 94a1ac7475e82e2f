// Package score judges translations: [BLEUStatistics] and [ChrFStatistics] sum the counts of BLEU and chrF2 over a corpus,
// [Confidence] and [Compare] say how reliable the scores are.
//
// Counts are summed before precisions are computed, so that a score does not depend on the order of
// the sentences and differs from the mean of their scores. Scores have the same bits on every machine.
package score

import (
	"fmt"
	"math"
	"strings"
	"unicode"

	"github.com/softsearch-go/softsearch/model/internal/portable"
)

// maxOrder is the length of the longest n-grams.
const maxOrder = 4

// BLEUStatistics holds the counts from which BLEU-4 of a corpus is computed (Papineni, Roukos, Ward
// and Zhu, 2002): case-sensitive, n-grams of 1 to 4 tokens. [BLEUStatistics.BLEU] scores tokens as given,
// without smoothing, like the Moses script multi-bleu.perl. [BLEUStatistics.Smoothed] scores the tokens of
// [Tokenize13a] like sacreBLEU (Post, 2018) with its default settings. The zero value is an empty corpus. Concurrent reads are safe; a write excludes all other uses.
type BLEUStatistics struct {
	matches    [maxOrder]int // hypothesis n-grams also found in a reference
	total      [maxOrder]int // hypothesis n-grams
	hypothesis int           // tokens
	reference  int           // tokens
}

// Add adds a sentence and its references. An n-gram matches at most as often as it occurs in
// any single reference. The reference length is the length of the reference closest in length to
// the hypothesis, the shorter one in a tie. Sentences may be empty. Add keeps none of them.
func (s *BLEUStatistics) Add(hypothesis []string, references ...[]string) {
	s.hypothesis += len(hypothesis)
	s.reference += closestLength(len(hypothesis), references)
	for n := 1; n <= maxOrder; n++ {
		s.matches[n-1] += countMatches(hypothesis, references, n)
		s.total[n-1] += max(0, len(hypothesis)-n+1)
	}
}

// Merge adds the counts of other, which may be a sentence or a corpus. It panics if other is nil.
func (s *BLEUStatistics) Merge(other *BLEUStatistics) {
	if other == nil {
		panic("score: Merge: nil statistics")
	}
	for n := range maxOrder {
		s.matches[n] += other.matches[n]
		s.total[n] += other.total[n]
	}
	s.hypothesis += other.hypothesis
	s.reference += other.reference
}

// BLEU returns, in percent from 0 to 100,
//
//	100 · BP · (p₁ p₂ p₃ p₄)^¼
//
// where pₙ is the fraction of hypothesis n-grams that match. The brevity penalty BP is
// exp(1 - r/h) if the h hypothesis tokens are fewer than the r reference tokens, and 1
// otherwise. BLEU is 0 if any pₙ is 0 and for an empty corpus.
func (s *BLEUStatistics) BLEU() float64 {
	return 100 * (s.brevityPenalty() * geometricMean(s.precisions()))
}

// Smoothed is [BLEUStatistics.BLEU] with smoothing: the k-th precision that is 0, counted from
// the unigrams up, is computed from 1/2ᵏ matches instead of none. This is the smoothing of
// NIST's mteval-v13a.pl, method 3 of Chen and Cherry (2014). Smoothed is 0 if no token
// matches or no hypothesis has four tokens.
func (s *BLEUStatistics) Smoothed() float64 {
	return s.brevityPenalty() * geometricMean(s.smoothedPercentages())
}

// String returns the line that multi-bleu.perl prints: BLEU, the four precisions, the brevity
// penalty, the length ratio, and the lengths in tokens.
func (s *BLEUStatistics) String() string {
	if s.reference == 0 {
		return "BLEU = 0, 0/0/0/0 (BP=0, ratio=0, hyp_len=0, ref_len=0)"
	}
	p := s.precisions()
	return fmt.Sprintf("BLEU = %.2f, %.1f/%.1f/%.1f/%.1f (BP=%.3f, ratio=%.3f, hyp_len=%d, ref_len=%d)",
		s.BLEU(), 100*p[0], 100*p[1], 100*p[2], 100*p[3], s.brevityPenalty(), s.lengthRatio(), s.hypothesis, s.reference)
}

// SacreBLEU returns the line that sacreBLEU prints, with two decimals and without its version:
// a signature with the number of references per sentence, then [BLEUStatistics.Smoothed] and its
// parts. The tokens must come from [Tokenize13a].
func (s *BLEUStatistics) SacreBLEU(references int) string {
	p := s.smoothedPercentages()
	return fmt.Sprintf("BLEU|nrefs:%d|case:mixed|eff:no|tok:13a|smooth:exp = %.2f %.1f/%.1f/%.1f/%.1f (BP = %.3f ratio = %.3f hyp_len = %d ref_len = %d)",
		references, s.Smoothed(), p[0], p[1], p[2], p[3], s.brevityPenalty(), s.lengthRatio(), s.hypothesis, s.reference)
}

// precisions returns the fraction of n-grams that match, 0 where there are none.
func (s *BLEUStatistics) precisions() (p [maxOrder]float64) {
	for n, total := range s.total {
		if total > 0 {
			p[n] = float64(s.matches[n]) / float64(total)
		}
	}
	return p
}

// smoothedPercentages returns the precisions of Smoothed in percent.
func (s *BLEUStatistics) smoothedPercentages() (p [maxOrder]float64) {
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

func geometricMean(p [maxOrder]float64) float64 {
	product := 1.0
	for _, v := range p {
		product *= v
	}
	return math.Sqrt(math.Sqrt(product))
}

// brevityPenalty returns 0 if the hypotheses are empty and the references are not.
func (s *BLEUStatistics) brevityPenalty() float64 {
	if s.hypothesis >= s.reference {
		return 1
	}
	return portable.Exp(1 - float64(s.reference)/float64(s.hypothesis))
}

// lengthRatio returns the hypothesis length divided by the reference length, 0 without
// reference tokens.
func (s *BLEUStatistics) lengthRatio() float64 {
	if s.reference == 0 {
		return 0
	}
	return float64(s.hypothesis) / float64(s.reference)
}

// closestLength returns the reference length closest to length, the shorter one in a tie, and
// 0 without references.
func closestLength(length int, references [][]string) int {
	best := 0
	for i, r := range references {
		n := len(r)
		difference, smallest := distance(n, length), distance(best, length)
		if i == 0 || difference < smallest || difference == smallest && n < best {
			best = n
		}
	}
	return best
}

func distance(a, b int) int { return max(a-b, b-a) }

// An ngram holds up to four tokens, padded with empty strings. Only n-grams of the same order
// are compared.
type ngram [maxOrder]string

func ngramOf(tokens []string) (g ngram) {
	copy(g[:], tokens)
	return g
}

// countMatches returns the clipped number of hypothesis n-grams found in the references.
func countMatches(hypothesis []string, references [][]string, n int) int {
	remaining := maxCounts(references, n)
	count := 0
	for i := 0; i+n <= len(hypothesis); i++ {
		g := ngramOf(hypothesis[i : i+n])
		if remaining[g] > 0 {
			remaining[g]--
			count++
		}
	}
	return count
}

// maxCounts returns the maximum count of each n-gram in any one of the sentences.
func maxCounts(sentences [][]string, n int) map[ngram]int {
	if len(sentences) == 1 {
		return countNgrams(sentences[0], n)
	}
	counts := make(map[ngram]int)
	for _, sentence := range sentences {
		for g, count := range countNgrams(sentence, n) {
			counts[g] = max(counts[g], count)
		}
	}
	return counts
}

func countNgrams(sentence []string, n int) map[ngram]int {
	counts := make(map[ngram]int, len(sentence))
	for i := 0; i+n <= len(sentence); i++ {
		counts[ngramOf(sentence[i:i+n])]++
	}
	return counts
}

// Tokenize13a tokenizes a line of plain text like NIST's mteval-v13a.pl and sacreBLEU.
// White space separates tokens, and each of the following is a token by itself:
//
//   - an ASCII punctuation mark or symbol other than ' , - and the full stop,
//   - a comma or full stop that is not between digits,
//   - a hyphen after a digit.
//
// In a run of commas and full stops, only every other one looks at the character before it:
// ..5 is . and .5. The entities &quot; &amp; &lt; &gt; are decoded and <skipped> is removed.
// A line feed becomes a space; after a hyphen, both are removed and the word continues. Bytes
// outside UTF-8 count as letters.
func Tokenize13a(line string) []string {
	line = unescape(strings.TrimRightFunc(line, isSpace))
	var spaced strings.Builder
	spaced.Grow(len(line) + len(line)/4)
	before, split := byte(' '), false
	for i := range len(line) {
		c, after := line[i], byte(' ')
		if i+1 < len(line) {
			after = line[i+1]
		}
		split = (c == '.' || c == ',') && !split && !isDigit(before)
		if split || isToken(before, c, after) {
			spaced.Write([]byte{' ', c, ' '})
		} else {
			spaced.WriteByte(c)
		}
		before = c
	}
	return strings.FieldsFunc(spaced.String(), isSpace)
}

// isToken reports whether c is a token by itself between the bytes before and after.
func isToken(before, c, after byte) bool {
	switch {
	case c == '.' || c == ',':
		return !isDigit(after)
	case c == '-':
		return isDigit(before)
	}
	return c != '\'' && (c >= '!' && c <= '/' || c >= ':' && c <= '@' || c >= '[' && c <= '`' || c >= '{' && c <= '~')
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// unescape decodes the entities one after the other, so &amp;lt; becomes <.
func unescape(line string) string {
	line = strings.ReplaceAll(line, "<skipped>", "")
	line = strings.ReplaceAll(line, "-\n", "")
	line = strings.ReplaceAll(line, "\n", " ")
	line = strings.ReplaceAll(line, "&quot;", `"`)
	line = strings.ReplaceAll(line, "&amp;", "&")
	line = strings.ReplaceAll(line, "&lt;", "<")
	return strings.ReplaceAll(line, "&gt;", ">")
}

// isSpace reports whether Python considers r white space. Unlike Go, it includes the separators
// U+001C to U+001F.
func isSpace(r rune) bool { return unicode.IsSpace(r) || 0x1c <= r && r <= 0x1f }
