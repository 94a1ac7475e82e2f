package suite

import "github.com/softsearch-go/softsearch/model/text"

// SourceVocabulary returns the number of source words: those of the sentence of a DecoderStep,
// Vocabulary for a TrainingUpdate.
func (c Case) SourceVocabulary() int {
	if c.Op == "TrainingUpdate" {
		return c.Vocabulary
	}
	return c.Source
}

// Sentence returns the source sentence of a DecoderStep: 1, 2, … Source-1 and 0.
func (c Case) Sentence() []int32 {
	return append(counting(c.Source-1), 0)
}

// Next returns the words that the hypotheses of a DecoderStep continue with: 1, 2, … Batch.
func (c Case) Next() []int32 { return counting(c.Batch) }

func counting(n int) []int32 {
	words := make([]int32, n)
	for i := range words {
		words[i] = int32(i + 1)
	}
	return words
}

// Pairs returns the Batch pairs of a TrainingUpdate. Word j of sentence i, except the 0 at its end, is
//
//	1 + (i·Source+j)·f mod (Vocabulary-1)    f = 7919 in sources, 104729 in targets
func (c Case) Pairs() []text.Example {
	sentence := func(i, f int) []int32 {
		words := make([]int32, c.Source)
		for j := range c.Source - 1 {
			words[j] = int32(1 + (i*c.Source+j)*f%(c.Vocabulary-1))
		}
		return words
	}
	list := make([]text.Example, c.Batch)
	for i := range list {
		list[i] = text.Example{Source: sentence(i, 7919), Target: sentence(i, 104729)}
	}
	return list
}
