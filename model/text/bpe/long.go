package bpe

import (
	"container/heap"
	"slices"
)

// longWord is the number of characters above which mergeLong takes less time than merge.
const longWord = 256

// mergeLong has the results of merge. The time for n nodes is proportional to n log n.
func (s *Segmenter) mergeLong(nodes []node) []node {
	w := newLinkedWord(s, slices.Clone(nodes)) // the copy lets nodes stay on the stack
	var first []int32                          // nodes of the pairs of the lowest rank, from left to right
	for len(w.queue) > 0 {
		rank := w.queue[0].rank()
		for first = first[:0]; len(w.queue) > 0 && w.queue[0].rank() == rank; {
			first = append(first, heap.Pop(&w.queue).(occurrence).node())
		}
		for _, i := range first {
			if w.nodes[i].rank == rank { // no merge changed the pair since it was queued
				w.merge(i, s.results[rank])
			}
		}
	}
	return w.appendTo(nodes[:0])
}

// A linkedWord is a word of linked nodes with a queue of its pairs.
type linkedWord struct {
	segmenter *Segmenter
	nodes     []node
	links     []link
	queue     occurrences // all pairs in the codes, and some that merges have changed
}

// A link has the indices of the nodes before and after a node, -1 at the ends.
type link struct{ before, after int32 }

func newLinkedWord(s *Segmenter, nodes []node) *linkedWord {
	w := &linkedWord{s, nodes, make([]link, len(nodes)), make(occurrences, 0, len(nodes))}
	for i, n := range nodes {
		w.links[i] = link{int32(i) - 1, int32(i) + 1}
		if n.rank != noMerge {
			w.queue = append(w.queue, newOccurrence(n.rank, int32(i)))
		}
	}
	w.links[len(nodes)-1].after = -1
	heap.Init(&w.queue)
	return w
}

// merge merges node i with the one after it.
func (w *linkedWord) merge(i, result int32) {
	merged := w.links[i].after
	after := w.links[merged].after
	w.nodes[merged].rank = noMerge // a pair that starts at it in the queue is none
	w.nodes[i].symbol = result
	w.links[i].after = after
	if after >= 0 {
		w.links[after].before = i
	}
	w.update(i)
	if before := w.links[i].before; before >= 0 {
		w.update(before)
	}
}

// update sets the rank of the pair that starts at node i and queues the pair if it is in the codes.
func (w *linkedWord) update(i int32) {
	n := &w.nodes[i]
	n.rank = noMerge
	if after := w.links[i].after; after >= 0 {
		n.rank = w.segmenter.rank(n.symbol, w.nodes[after].symbol)
	}
	if n.rank != noMerge {
		heap.Push(&w.queue, newOccurrence(n.rank, i))
	}
}

// appendTo appends the linked nodes to list and returns the result.
func (w *linkedWord) appendTo(list []node) []node {
	for i := int32(0); i >= 0; i = w.links[i].after {
		list = append(list, w.nodes[i])
	}
	return list
}

// An occurrence is the rank of a pair and, in the lower 32 bits, the node at which it starts.
type occurrence uint64

func newOccurrence(rank, node int32) occurrence { return occurrence(rank)<<32 | occurrence(node) }

func (o occurrence) rank() int32 { return int32(o >> 32) }
func (o occurrence) node() int32 { return int32(uint32(o)) }

// occurrences are a heap with the next pair to merge at the top: that of the lowest rank, and of
// several the leftmost.
type occurrences []occurrence

func (q occurrences) Len() int           { return len(q) }
func (q occurrences) Less(i, j int) bool { return q[i] < q[j] }
func (q occurrences) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q *occurrences) Push(o any)        { *q = append(*q, o.(occurrence)) }

func (q *occurrences) Pop() any {
	last := len(*q) - 1
	o := (*q)[last]
	*q = (*q)[:last]
	return o
}
