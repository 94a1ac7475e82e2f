package decode

import (
	"math"
	"slices"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model/text"
)

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
