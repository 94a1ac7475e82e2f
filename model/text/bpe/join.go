package bpe

import "strings"

// Join appends to dst the words that the segments are parts of, and returns the result: a
// segment that ends with "@@" goes on in the next one, as in sed 's/@@ //g'. At the very end
// "@@" stays. A word that itself ends with "@@" cannot be told from a segment, and takes the
// next word in. dst may be segments[:0].
func Join(dst, segments []string) []string {
	start := 0
	for i, s := range segments {
		if i+1 < len(segments) && strings.HasSuffix(s, joint) {
			continue
		}
		dst = append(dst, glue(segments[start:i+1]))
		start = i + 1
	}
	return dst
}

// glue returns the word of its segments, at least one.
func glue(segments []string) string {
	if len(segments) == 1 {
		return segments[0]
	}
	var word strings.Builder
	last := len(segments) - 1
	for _, s := range segments[:last] {
		word.WriteString(strings.TrimSuffix(s, joint))
	}
	word.WriteString(segments[last])
	return word.String()
}
