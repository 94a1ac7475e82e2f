package model

import (
	"cmp"
	"slices"

	"github.com/softsearch-go/softsearch/rnn"
)

// An arrangement is a batch of sentences ordered from the longest to the shortest, and the
// rows of their words in two orders: time-major, as the GRUs step, and sentence by sentence.
type arrangement struct {
	layout rnn.Layout
	order  []int   // order[i] is the sentence at place i of the layout
	length []int   // length[sentence]
	sorted []int   // lengths in the order of the layout
	start  []int   // start[sentence] is its first row sentence by sentence
	place  []int32 // place[row] is where a time-major row lies sentence by sentence
	timed  []int32 // the inverse of place
}

// newArrangement returns room for that many sentences of up to length words.
func newArrangement(sentences, length int) arrangement {
	rows := sentences * length
	return arrangement{
		layout: rnn.NewLayout(length),
		order:  make([]int, sentences), length: make([]int, sentences), sorted: make([]int, sentences),
		start: make([]int, sentences), place: make([]int32, rows), timed: make([]int32, rows),
	}
}

// arrange orders n sentences by their lengths, equals as they were.
func (a *arrangement) arrange(n int, length func(sentence int) int) {
	a.order, a.length, a.sorted, a.start = a.order[:n], a.length[:n], a.sorted[:n], a.start[:n]
	rows := 0
	for i := range n {
		a.order[i], a.length[i], a.start[i] = i, length(i), rows
		rows += a.length[i]
	}
	slices.SortStableFunc(a.order, func(s, t int) int { return cmp.Compare(a.length[t], a.length[s]) })
	for i, sentence := range a.order {
		a.sorted[i] = a.length[sentence]
	}
	a.layout.Set(a.sorted)
	a.place, a.timed = a.place[:rows], a.timed[:rows]
	for t := range a.layout.Steps() {
		for i, sentence := range a.order[:a.layout.Active(t)] {
			row, place := a.layout.Row(t)+i, a.start[sentence]+t
			a.place[row], a.timed[place] = int32(place), int32(row)
		}
	}
}
