package bpe

import (
	"math"
	"strings"
)

// A Segmenter splits words by the merges of Codes. It is immutable and safe for concurrent use.
type Segmenter struct {
	inner, last map[string]int32 // symbol of a character inside a word and at its end
	ranks       map[pair]int32   // position of a merge; lower ranks are merged first
	results     []int32          // symbol that a merge produces, by rank
	outputs     []output         // by symbol
}

// An output is what a symbol becomes inside a word and at its end: one segment, or several if
// that segment is too rare.
type output struct{ inner, last []string }

// NewSegmenter returns the Segmenter of codes. Of equal merges, the first counts.
//
// The vocabulary has the frequencies of segments, spelled as by [Segmenter.Segment]. A segment
// that is not in the vocabulary, or is less frequent than threshold, is split into the two
// segments that were merged, and these in turn if they are too rare, down to characters, which
// always stay. If vocabulary is nil, all segments stay.
func NewSegmenter(codes Codes, vocabulary Frequencies, threshold int) *Segmenter {
	s := &Segmenter{
		inner: make(map[string]int32),
		last:  make(map[string]int32),
		ranks: make(map[pair]int32, len(codes)),
	}
	var symbols symbolTable
	for _, m := range codes {
		p := pair{symbols.id(m.Left), symbols.id(m.Right)}
		if _, ok := s.ranks[p]; !ok {
			s.ranks[p] = int32(len(s.results))
			s.results = append(s.results, symbols.id(m.Left+m.Right))
		}
	}
	f := newFilter(codes, vocabulary, threshold)
	for id, name := range symbols.names {
		s.define(int32(id), name, f)
	}
	return s
}

// define sets the output of the next symbol, and its entries in inner and last if it is a
// character.
func (s *Segmenter) define(symbol int32, name string, f *filter) {
	o := output{inner: f.segments(nil, name, false)}
	if characterLen(name) == len(name) {
		s.inner[name] = symbol
	}
	if text, ok := cutEndOfWord(name); ok {
		o.last = f.segments(nil, name, true)
		if characterLen(text) == len(text) {
			s.last[text] = symbol
		}
	}
	s.outputs = append(s.outputs, o)
}

// Segment appends the segments of a word to dst and returns the result. All but the last end
// with "@@". An empty word has no segments. Segments may share the memory of word.
//
// The adjacent pair that comes first in the codes is merged wherever it occurs, from left to
// right, until no pair of the word is in the codes. The time is proportional to the number of
// characters times the number of different pairs merged.
func (s *Segmenter) Segment(dst []string, word string) []string {
	var buffer [32]node
	nodes := s.merge(s.characters(buffer[:0], word))
	for i, n := range nodes {
		end := i == len(nodes)-1
		switch {
		case n.symbol == unknown && end:
			dst = append(dst, word[n.start:])
		case n.symbol == unknown:
			dst = append(dst, word[n.start:nodes[i+1].start]+separator)
		case end:
			dst = append(dst, s.outputs[n.symbol].last...)
		default:
			dst = append(dst, s.outputs[n.symbol].inner...)
		}
	}
	return dst
}

// A node is a symbol of the word being segmented.
type node struct {
	start  int // its first byte in the word
	symbol int32
	rank   int32 // of the pair that starts here
}

const (
	unknown = -1            // symbol of a character that no merge contains
	noMerge = math.MaxInt32 // rank of a pair that is not in the codes
)

// characters appends the characters of a word to nodes.
func (s *Segmenter) characters(nodes []node, word string) []node {
	for start := 0; start < len(word); {
		end := start + characterLen(word[start:])
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

// rank returns the rank of the pair that starts at node i.
func (s *Segmenter) rank(nodes []node, i int) int32 {
	if i+1 < len(nodes) {
		if rank, ok := s.ranks[pair{nodes[i].symbol, nodes[i+1].symbol}]; ok {
			return rank
		}
	}
	return noMerge
}

// merge applies all merges to a word in place and returns the remaining nodes.
func (s *Segmenter) merge(nodes []node) []node {
	for {
		first := int32(noMerge)
		for _, n := range nodes {
			first = min(first, n.rank)
		}
		if first == noMerge {
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

// A filter splits segments that are too rare.
type filter struct {
	vocabulary Frequencies // nil if no segment is too rare
	threshold  int
	merges     map[string]Merge // by the symbol produced; the first of several
}

func newFilter(codes Codes, vocabulary Frequencies, threshold int) *filter {
	f := &filter{vocabulary, threshold, make(map[string]Merge, len(codes))}
	for _, m := range codes {
		symbol := m.Left + m.Right
		if _, ok := f.merges[symbol]; !ok && m.Left != "" && m.Right != "" {
			f.merges[symbol] = m
		}
	}
	return f
}

// segments appends the segments of a symbol inside a word, or at its end, to dst and returns the
// result.
func (f *filter) segments(dst []string, symbol string, end bool) []string {
	text, segment := symbol, symbol+separator
	if end {
		text, _ = cutEndOfWord(symbol)
		segment = text
	}
	if characterLen(text) == len(text) || f.allows(segment) {
		return append(dst, segment)
	}
	m, ok := f.merges[symbol]
	if _, last := cutEndOfWord(m.Right); !ok || end && !last {
		return appendCharacters(dst, text, end)
	}
	return f.segments(f.segments(dst, m.Left, false), m.Right, end)
}

// allows reports whether a segment is frequent enough.
func (f *filter) allows(segment string) bool {
	if f.vocabulary == nil {
		return true
	}
	n, ok := f.vocabulary[segment]
	return ok && n >= f.threshold
}

// appendCharacters appends the characters of text, which is inside a word or at its end, to dst
// as segments and returns the result.
func appendCharacters(dst []string, text string, end bool) []string {
	for text != "" {
		n := characterLen(text)
		segment := text[:n]
		if text = text[n:]; text != "" || !end {
			segment += separator
		}
		dst = append(dst, segment)
	}
	return dst
}

// Join appends the words that the segments belong to to dst and returns the result. A segment
// that ends with "@@" is joined to the next one, like sed 's/@@ //g'; at the end of segments,
// "@@" stays. A word that itself ends with "@@" is indistinguishable from a segment and is
// joined to the next word. dst may be segments[:0].
func Join(dst, segments []string) []string {
	start := 0
	for i, s := range segments {
		if i+1 < len(segments) && strings.HasSuffix(s, separator) {
			continue
		}
		dst = append(dst, joinWord(segments[start:i+1]))
		start = i + 1
	}
	return dst
}

// joinWord returns the word of one or more segments.
func joinWord(segments []string) string {
	if len(segments) == 1 {
		return segments[0]
	}
	var word strings.Builder
	last := len(segments) - 1
	for _, s := range segments[:last] {
		word.WriteString(strings.TrimSuffix(s, separator))
	}
	word.WriteString(segments[last])
	return word.String()
}
