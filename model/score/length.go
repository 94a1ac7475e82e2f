package score

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// A Bucket is the part of a corpus whose sentences have similar lengths.
type Bucket struct {
	Min, Max  int     // range of lengths, both included; Max is math.MaxInt above the limit
	Mean      float64 // mean length of the sentences
	Sentences []int   // indices into the corpus, ascending
}

// ByLength groups the sentences of a corpus by length. lengths[i] is the length of sentence i,
// usually the number of words in its source. The buckets hold the lengths
//
//	1 to width, width+1 to 2·width, …, up to limit, and everything above limit
//
// in this order; an empty sentence counts as one of length 1. Buckets without sentences are
// left out. To score a bucket by any measure, sum the counts of its Sentences. ByLength panics
// if width < 1 or limit < 0.
//
// Figure 2 of Bahdanau et al. (2014) plots BLEU against the length of the source.
func ByLength(lengths []int, width, limit int) []Bucket {
	if width < 1 || limit < 0 {
		panic("score: ByLength: width < 1 or limit < 0")
	}
	buckets := make(map[int]*Bucket)
	for i, length := range lengths {
		start, end := rangeOf(max(1, length), width, limit)
		b := buckets[start]
		if b == nil {
			b = &Bucket{Min: start, Max: end}
			buckets[start] = b
		}
		b.Mean += float64(length)
		b.Sentences = append(b.Sentences, i)
	}
	list := make([]Bucket, 0, len(buckets))
	for _, b := range buckets {
		b.Mean /= float64(len(b.Sentences))
		list = append(list, *b)
	}
	slices.SortFunc(list, func(a, b Bucket) int { return cmp.Compare(a.Min, b.Min) })
	return list
}

// rangeOf returns the first and last length of the bucket that length belongs to.
func rangeOf(length, width, limit int) (start, end int) {
	if length > limit {
		return limit + 1, math.MaxInt
	}
	start = (length-1)/width*width + 1
	return start, min(start+width-1, limit)
}

// String returns the range of lengths, as in 11-20 or 61+.
func (b Bucket) String() string {
	if b.Max == math.MaxInt {
		return fmt.Sprintf("%d+", b.Min)
	}
	return fmt.Sprintf("%d-%d", b.Min, b.Max)
}
