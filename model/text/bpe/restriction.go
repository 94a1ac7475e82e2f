package bpe

import "strings"

// A restriction says which segments are too rare and what they become.
type restriction struct {
	vocabulary Frequencies // nil if no segment is too rare
	threshold  int
	merges     map[string]Merge // by the symbol that they make; of several the first
}

func newRestriction(codes Codes, vocabulary Frequencies, threshold int) *restriction {
	r := &restriction{vocabulary, threshold, make(map[string]Merge, len(codes))}
	for _, m := range codes {
		symbol := m.Left + m.Right
		if _, ok := r.merges[symbol]; !ok && m.Left != "" && m.Right != "" {
			r.merges[symbol] = m
		}
	}
	return r
}

// segments appends to dst the segments that a symbol becomes inside a word, or at its end,
// and returns the result.
func (r *restriction) segments(dst []string, symbol string, end bool) []string {
	text, segment := symbol, symbol+joint
	if end {
		text, _ = unmarked(symbol)
		segment = text
	}
	if character(text) == len(text) || r.allows(segment) {
		return append(dst, segment)
	}
	m, ok := r.merges[symbol]
	if _, marked := unmarked(m.Right); !ok || end && !marked {
		return spell(dst, text, end)
	}
	return r.segments(r.segments(dst, m.Left, false), m.Right, end)
}

// allows reports whether a segment is frequent enough.
func (r *restriction) allows(segment string) bool {
	if r.vocabulary == nil {
		return true
	}
	n, ok := r.vocabulary[segment]
	return ok && n >= r.threshold
}

// spell appends the characters of text, inside a word or at its end, as segments to dst and
// returns the result.
func spell(dst []string, text string, end bool) []string {
	for text != "" {
		n := character(text)
		segment := text[:n]
		if text = text[n:]; text != "" || !end {
			segment += joint
		}
		dst = append(dst, segment)
	}
	return dst
}

// unmarked returns what a symbol at the end of a word has before the mark. It reports
// whether symbol is one.
func unmarked(symbol string) (string, bool) {
	text, ok := strings.CutSuffix(symbol, mark)
	return text, ok && text != ""
}
