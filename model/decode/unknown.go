package decode

import "github.com/softsearch-go/softsearch/model/text"

// ReplaceUNK returns the words of t up to EOS, with the word of the source that has the largest
// α in the place of each UNK: what Luong et al. and Jean et al. (2015) do with words that their
// dictionaries lack. The words of source are those of the sentence, without its end, which
// replaces none. Where t has no alignment or source no word, UNK stays.
func (t Translation) ReplaceUNK(target *text.Vocabulary, source []string) []string {
	words := target.Decode(t.IDs)
	if t.Alignment.Rows == 0 || len(source) == 0 {
		return words
	}
	for i := range words {
		if t.IDs[i] == text.UNK {
			words[i] = source[largest(t.Alignment.Row(i)[:min(len(source), t.Alignment.Cols)])]
		}
	}
	return words
}

// largest returns the place of the largest value, of equals the first.
func largest(x []float32) int {
	place := 0
	for i, v := range x {
		if v > x[place] {
			place = i
		}
	}
	return place
}
