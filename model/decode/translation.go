package decode

import (
	"math"
	"slices"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model/text"
	"github.com/softsearch-go/softsearch/model/text/pipeline"
)

// A Translation is one translation of a sentence.
type Translation struct {
	IDs       []int32        // EOS at the end, unless the maximum length was reached
	LogProb   float64        // log p(IDs | source); for an ensemble the mean over the models
	LogProbs  []float64      // of each id; their sum is LogProb up to rounding
	Score     float64        // LogProb / len(IDs)^Normalization
	Alignment kernels.Matrix // α, len(IDs)×len(source); no rows for RNNencdec or with NoAlignments
	Unsure    bool           // LogProb / len(IDs), before repetitions are left out, is below model.Search.Unsure: likely a bad one
	Trimmed   bool           // repetitions have been left out; LogProb and Score still count all ids
}

// Between returns the alignment between tokens of both sides, a row for each of the target: the weights of the segments
// of a source token add up, and a target token has the means over its segments. It has no rows if t has no alignment. Between
// panics if a token has words that the alignment lacks.
func (t Translation) Between(source, target []pipeline.Token) kernels.Matrix {
	if t.Alignment.Rows == 0 {
		return kernels.Matrix{}
	}
	beyond := func(n int) func(pipeline.Token) bool {
		return func(s pipeline.Token) bool { return s.Words[0] < 0 || s.Words[1] < s.Words[0] || s.Words[1] > n }
	}
	if slices.ContainsFunc(source, beyond(t.Alignment.Cols)) || slices.ContainsFunc(target, beyond(t.Alignment.Rows)) {
		panic("decode: Between: words beyond the alignment")
	}
	weights := kernels.NewMatrix(len(target), len(source))
	for i, to := range target {
		row := weights.Row(i)
		for word := to.Words[0]; word < to.Words[1]; word++ {
			for j, from := range source {
				for _, weight := range t.Alignment.Row(word)[from.Words[0]:from.Words[1]] {
					row[j] += weight / float32(to.Words[1]-to.Words[0])
				}
			}
		}
	}
	return weights
}

// ReplaceUNK returns the words of t up to EOS, with each UNK replaced by the source word that has the
// largest α, as Luong et al. and Jean et al. (2015) do for words that their dictionaries lack. source
// is the words of the sentence without EOS. Without an alignment or source words, UNK stays. ReplaceUNK
// panics if target is nil, or there is an alignment without a row for each id.
func (t Translation) ReplaceUNK(target *text.Vocabulary, source []string) []string {
	if target == nil {
		panic("decode: ReplaceUNK: nil vocabulary")
	}
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

// largest returns the index of the largest value, the first of equal ones.
func largest(x []float32) int {
	place := 0
	for i, v := range x {
		if v > x[place] {
			place = i
		}
	}
	return place
}

const (
	longestRepeated = 4 // ids that are repeated
	mostCopies      = 3 // of them, side by side, that are no repetition
)

// trimmed returns the translations of a search for s without repetitions, unless options keep them. A repetition is
// up to four ids that stand more than three times side by side, and more than twice as often as any do in the source.
// Of these copies, as many stay as the source has, one if nothing is repeated there. Unknown words are copies if they
// are aligned with one source word, and placeholders are none. The prefix stays whole, and repetitions that
// Options.MinLength needs.
// Slices that change are new.
func (t *Translator) trimmed(s Sentence, best []Translation) []Translation {
	if t.options.KeepRepetitions {
		return best
	}
	for i, r := range best {
		best[i] = t.trim(s, r)
	}
	return best
}

func (t *Translator) trim(s Sentence, r Translation) Translation {
	from := min(len(s.Prefix), len(r.IDs))
	if repetitions(r.IDs[from:]) <= mostCopies {
		return r
	}
	words, left := t.distinct(r), repetitions(s.Source)
	most := max(mostCopies, 2*left)
	stay := make([]int, len(r.IDs)) // places in r
	for i := range stay {
		stay[i] = i
	}
	for n := len(stay) + 1; len(stay) < n; {
		n = len(stay)
		for size := 1; size <= longestRepeated; size++ {
			stay = append(stay[:from], trimCopies(stay[from:], words, size, most, left)...)
		}
	}
	trimmed := Translation{IDs: pick(r.IDs, stay), LogProb: r.LogProb, LogProbs: pick(r.LogProbs, stay), Score: r.Score, Unsure: r.Unsure, Trimmed: true}
	if len(stay) == len(r.IDs) || len(stay) <= t.options.MinLength {
		return r
	}
	if r.Alignment.Rows > 0 {
		var rows []float32
		for _, i := range stay {
			rows = append(rows, r.Alignment.Row(i)...)
		}
		trimmed.Alignment = kernels.View(rows, len(stay), r.Alignment.Cols)
	}
	return trimmed
}

// distinct returns the ids of r, in which no placeholders are the same, and unknown words only if they are aligned with
// the same source word.
func (t *Translator) distinct(r Translation) []int32 {
	words := slices.Clone(r.IDs)
	for i, id := range words {
		switch {
		case id == text.UNK && r.Alignment.Rows > 0:
			words[i] = -1 - int32(largest(r.Alignment.Row(i)))
		case id == text.UNK, t.kept.is(id):
			words[i] = math.MinInt32 + int32(i)
		}
	}
	return words
}

// repetitions returns how often up to longestRepeated ids stand side by side, the most often of all.
func repetitions(ids []int32) int {
	most := 1
	for size := 1; size <= longestRepeated; size++ {
		run := 0
		for i := size; i < len(ids); i++ {
			if run++; ids[i] != ids[i-size] {
				run = 0
			}
			most = max(most, run/size+1)
		}
	}
	return most
}

// trimCopies removes the places, from those that stay, where ids of that number stand more than most times
// side by side, but for the first copies, left of them.
func trimCopies(stay []int, ids []int32, size, most, left int) []int {
	list := stay[:0]
	for i := 0; i < len(stay); {
		run := 0
		for i+size+run < len(stay) && ids[stay[i+run]] == ids[stay[i+size+run]] {
			run++
		}
		if n := run/size + 1; n > most {
			list = append(list, stay[i:i+left*size]...)
			i += n * size
		} else {
			list = append(list, stay[i:i+run+1]...) // none of these begins a longer run
			i += run + 1
		}
	}
	return list
}

func pick[T any](x []T, places []int) []T {
	list := make([]T, len(places))
	for i, place := range places {
		list[i] = x[place]
	}
	return list
}
