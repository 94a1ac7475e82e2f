package model

import (
	"cmp"
	"slices"

	"github.com/softsearch-go/softsearch/rnn"
)

// An arrangement is a batch of sentences ordered from the longest to the shortest, and the
// rows of their words.
type arrangement struct {
	layout rnn.Layout
	order  []int // order[i] is the sentence at place i of the layout
	length []int // length[sentence]
	sorted []int // lengths in the order of the layout
}

// newArrangement returns room for that many sentences of up to length words.
func newArrangement(sentences, length int) arrangement {
	return arrangement{rnn.NewLayout(length), make([]int, sentences), make([]int, sentences), make([]int, sentences)}
}

// arrange orders n sentences by their lengths, equals as they were.
func (a *arrangement) arrange(n int, length func(sentence int) int) {
	a.order, a.length, a.sorted = a.order[:n], a.length[:n], a.sorted[:n]
	for i := range n {
		a.order[i], a.length[i] = i, length(i)
	}
	slices.SortStableFunc(a.order, func(s, t int) int { return cmp.Compare(a.length[t], a.length[s]) })
	for i, sentence := range a.order {
		a.sorted[i] = a.length[sentence]
	}
	a.layout.Set(a.sorted)
}
