package model

import (
	"cmp"
	"slices"

	"github.com/softsearch-go/softsearch/rnn"
)

// A batchLayout numbers the words of one side of a batch as rows of matrices, in two orders.
// Time-major, as GRUs step: the first word of every sentence, longest sentence first, then the
// second word of those that have one (see rnn.Layout). Sentence-major, as attention reads: all
// words of sentence 0, then all words of sentence 1.
type batchLayout struct {
	rnn.Layout            // of the time-major rows
	order         []int   // order[i] is the i-th longest sentence
	length        []int   // length[sentence]
	sorted        []int   // lengths in that order
	start         []int   // start[sentence] is its first sentence-major row
	sentenceMajor []int32 // sentenceMajor[row] is the sentence-major row of a time-major one
	timeMajor     []int32 // the inverse
}

// newBatchLayout returns a layout with room for that many sentences of up to length words, rows in
// all.
func newBatchLayout(a *allocator, sentences, length, rows int) batchLayout {
	l := batchLayout{
		order: a.ints(sentences), length: a.ints(sentences), sorted: a.ints(sentences), start: a.ints(sentences),
		sentenceMajor: a.int32s(rows), timeMajor: a.int32s(rows),
	}
	if a == nil {
		l.Layout = rnn.NewLayout(length)
	}
	return l
}

// arrange lays out n sentences. Sentences of equal length keep their order.
func (l *batchLayout) arrange(n int, length func(sentence int) int) {
	l.order, l.length, l.sorted, l.start = l.order[:n], l.length[:n], l.sorted[:n], l.start[:n]
	rows := 0
	for i := range n {
		l.order[i], l.length[i], l.start[i] = i, length(i), rows
		rows += l.length[i]
	}
	slices.SortStableFunc(l.order, func(s, t int) int { return cmp.Compare(l.length[t], l.length[s]) })
	for i, sentence := range l.order {
		l.sorted[i] = l.length[sentence]
	}
	l.Set(l.sorted)
	l.sentenceMajor, l.timeMajor = l.sentenceMajor[:rows], l.timeMajor[:rows]
	for t := range l.Steps() {
		for i, sentence := range l.order[:l.Active(t)] {
			timeRow, sentenceRow := l.Row(t)+i, l.start[sentence]+t
			l.sentenceMajor[timeRow], l.timeMajor[sentenceRow] = int32(sentenceRow), int32(timeRow)
		}
	}
}

// row returns the time-major row of word t of a sentence.
func (l *batchLayout) row(sentence, t int) int { return int(l.timeMajor[l.start[sentence]+t]) }
