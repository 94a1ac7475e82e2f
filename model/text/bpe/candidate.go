package bpe

import (
	"cmp"
	"strings"
)

// A candidate is a pair of symbols that may be merged.
type candidate struct {
	pair
	Merge
	frequency int64
	words     []int32 // the numbers of all words that have it, and of some that had it
	changed   bool    // since it came to its place in the queue
	place     int     // -1 outside of the queue
	key       int64   // the frequency by which the queue is ordered
}

// A queue is a heap of candidates with the next one to merge at its top.
type queue []*candidate

func (q queue) Len() int { return len(q) }

func (q queue) Less(i, j int) bool {
	a, b := q[i], q[j]
	return cmp.Or(cmp.Compare(a.key, b.key),
		strings.Compare(a.Left, b.Left), strings.Compare(a.Right, b.Right)) > 0
}

func (q queue) Swap(i, j int) {
	q[i], q[j] = q[j], q[i]
	q[i].place, q[j].place = i, j
}

func (q *queue) Push(c any) {
	c.(*candidate).place = len(*q)
	*q = append(*q, c.(*candidate))
}

func (q *queue) Pop() any {
	last := len(*q) - 1
	c := (*q)[last]
	(*q)[last] = nil
	*q = (*q)[:last]
	c.place = -1
	return c
}
