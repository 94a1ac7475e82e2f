package bpe

import "math"

// A node is a symbol of the word in work.
type node struct {
	start  int // its first byte in the word
	symbol int32
	rank   int32 // of the pair it makes with the next node
}

const (
	unknown = -1            // the symbol of a character that is in no merge
	never   = math.MaxInt32 // the rank of a pair that is not merged
)

// Segment appends the segments of a word to dst and returns the result. Each but the last
// has "@@" at its end. An empty word has none. Segments may share the memory of word.
//
// Of all neighbouring symbols, the pair that comes first in the codes is merged wherever it
// occurs, from left to right, until no pair is in the codes. The time is in proportion to
// the characters of the word times the different pairs that are merged in it.
func (s *Segmenter) Segment(dst []string, word string) []string {
	var buffer [32]node
	nodes := s.merge(s.characters(buffer[:0], word))
	for i, n := range nodes {
		end := i == len(nodes)-1
		switch {
		case n.symbol == unknown && end:
			dst = append(dst, word[n.start:])
		case n.symbol == unknown:
			dst = append(dst, word[n.start:nodes[i+1].start]+joint)
		case end:
			dst = append(dst, s.forms[n.symbol].last...)
		default:
			dst = append(dst, s.forms[n.symbol].inner...)
		}
	}
	return dst
}

// characters appends the characters of a word to nodes.
func (s *Segmenter) characters(nodes []node, word string) []node {
	for start := 0; start < len(word); {
		end := start + character(word[start:])
		table := s.inner
		if end == len(word) {
			table = s.last
		}
		symbol, ok := table[word[start:end]]
		if !ok {
			symbol = unknown
		}
		nodes = append(nodes, node{start: start, symbol: symbol})
		start = end
	}
	for i := range nodes {
		nodes[i].rank = s.rank(nodes, i)
	}
	return nodes
}

// rank returns the rank of the pair that begins with node i.
func (s *Segmenter) rank(nodes []node, i int) int32 {
	if i+1 < len(nodes) {
		if rank, ok := s.ranks[pair{nodes[i].symbol, nodes[i+1].symbol}]; ok {
			return rank
		}
	}
	return never
}

// merge applies all merges to a word. The result is a part of nodes.
func (s *Segmenter) merge(nodes []node) []node {
	for {
		first := int32(never)
		for _, n := range nodes {
			first = min(first, n.rank)
		}
		if first == never {
			return nodes
		}
		nodes = s.apply(nodes, first)
	}
}

// apply merges the pair of a rank wherever it occurs in the word.
func (s *Segmenter) apply(nodes []node, rank int32) []node {
	result := s.results[rank]
	list := nodes[:0]
	for i := 0; i < len(nodes); i++ {
		n := nodes[i]
		if n.rank == rank {
			n.symbol = result
			i++
		}
		list = append(list, n)
	}
	for i := range list {
		if list[i].symbol == result || i+1 < len(list) && list[i+1].symbol == result {
			list[i].rank = s.rank(list, i)
		}
	}
	return list
}
