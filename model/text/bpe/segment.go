package bpe

import (
	"math"
	"strings"
	"unicode/utf8"
)

const (
	endOfWord = "</w>" // suffix of the last symbol of a word
	separator = "@@"   // suffix of every segment of a word but the last
)

// A pair is two adjacent symbols.
type pair struct{ left, right int32 }

// A Segmenter splits words by the merges of Codes. It is immutable and safe for concurrent use.
type Segmenter struct {
	inner, last map[string]int32 // symbol of a character inside a word and at its end
	ranks       map[pair]int32   // position of a merge; lower ranks are merged first
	results     []int32          // symbol that a merge produces, by rank
	symbols     []symbol
}

// NewSegmenter returns the Segmenter of codes. Of equal merges, the first counts.
//
// The vocabulary has the frequencies of segments, spelled as by [Segmenter.Segment]. A segment
// that is not in the vocabulary, or is less frequent than threshold, is split into the two
// segments that were merged, and these in turn if they are too rare, down to characters, which
// always stay. If vocabulary is nil, all segments stay.
//
// Time and memory are proportional to the length of the codes.
func NewSegmenter(codes Codes, vocabulary Frequencies, threshold int) *Segmenter {
	s := &Segmenter{
		inner:   make(map[string]int32),
		last:    make(map[string]int32),
		ranks:   make(map[pair]int32, len(codes)),
		results: make([]int32, 0, len(codes)),
		symbols: make([]symbol, 0, len(codes)),
	}
	ids := make(map[string]int32, len(codes))
	id := func(name string) int32 {
		id, ok := ids[name]
		if !ok {
			id = int32(len(s.symbols))
			s.symbols = append(s.symbols, newSymbol(name))
			ids[s.symbols[id].name()] = id
		}
		return id
	}
	for _, m := range codes {
		p := pair{id(m.Left), id(m.Right)}
		if _, ok := s.ranks[p]; ok {
			continue
		}
		result := id(m.Left + m.Right)
		s.ranks[p] = int32(len(s.results))
		s.results = append(s.results, result)
		if s.symbols[result].parts == none && m.Left != "" && m.Right != "" {
			s.symbols[result].parts = p
		}
	}
	for i := range s.symbols {
		s.symbols[i].restrict(vocabulary, threshold)
		s.addCharacter(int32(i))
	}
	return s
}

// addCharacter adds a symbol to inner and last if it is a character.
func (s *Segmenter) addCharacter(id int32) {
	c := &s.symbols[id]
	if name := c.name(); isCharacter(name) {
		s.inner[name] = id
	}
	if c.last != "" && isCharacter(c.last) {
		s.last[c.last] = id
	}
}

// none is the pair of a symbol that no merge produces.
var none = pair{-1, -1}

// A symbol is a symbol of the codes with the segments that it becomes, unless these are too rare.
type symbol struct {
	inner      string // its name followed by "@@": its segment inside a word
	last       string // its segment at the end of a word; empty if it cannot be there
	innerStays bool   // whether inner is not too rare
	lastStays  bool   // whether last is not too rare
	parts      pair   // the symbols that the first merge with this result merges
}

// newSymbol returns a symbol. Its segments share memory.
func newSymbol(name string) symbol {
	c := symbol{inner: name + separator, parts: none}
	if text, ok := strings.CutSuffix(name, endOfWord); ok {
		c.last = text
	}
	return c
}

func (c *symbol) name() string { return c.inner[:len(c.inner)-len(separator)] }

// restrict decides which segments stay: characters, and those with a frequency of at least
// threshold, or all if vocabulary is nil.
func (c *symbol) restrict(vocabulary Frequencies, threshold int) {
	allows := func(segment string) bool {
		n, ok := vocabulary[segment]
		return vocabulary == nil || ok && n >= threshold
	}
	c.innerStays = isCharacter(c.name()) || allows(c.inner)
	c.lastStays = isCharacter(c.last) || allows(c.last)
}

// appendCharacters appends the characters of the symbol inside a word, or at its end, to dst as
// segments and returns the result.
func (c *symbol) appendCharacters(dst []string, end bool) []string {
	text := c.name()
	if end {
		text = c.last
	}
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

// Segment appends the segments of a word to dst and returns the result. All but the last end
// with "@@". An empty word has no segments. Segments may share the memory of word.
//
// The adjacent pair that comes first in the codes is merged wherever it occurs, from left to
// right, until no pair of the word is in the codes. No pair extends over the parts of 256
// characters into which a longer word is divided, so the time is proportional to the length.
func (s *Segmenter) Segment(dst []string, word string) []string {
	var buffer [32]node
	nodes := s.characters(buffer[:0], word)
	merged := nodes[:0] // in place: writes never overtake reads
	for from := 0; from < len(nodes); from += partLen {
		merged = append(merged, s.merge(nodes[from:min(from+partLen, len(nodes))])...)
	}
	return s.appendSegments(dst, word, merged)
}

// partLen is the number of characters of a word that are merged together.
const partLen = 256

// appendSegments appends the segments of the nodes of a word to dst and returns the result.
func (s *Segmenter) appendSegments(dst []string, word string, nodes []node) []string {
	for i, n := range nodes {
		end := i == len(nodes)-1
		switch {
		case n.symbol != unknown:
			dst = s.output(dst, n.symbol, end)
		case end:
			dst = append(dst, word[n.start:])
		default:
			dst = append(dst, word[n.start:nodes[i+1].start]+separator)
		}
	}
	return dst
}

// output appends the segments of a symbol inside a word, or at its end, to dst and returns the
// result.
func (s *Segmenter) output(dst []string, id int32, end bool) []string {
	c := &s.symbols[id]
	switch {
	case end && c.lastStays:
		return append(dst, c.last)
	case !end && c.innerStays:
		return append(dst, c.inner)
	case c.parts == none || end && s.symbols[c.parts.right].last == "":
		return c.appendCharacters(dst, end)
	}
	return s.output(s.output(dst, c.parts.left, false), c.parts.right, end)
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
	return nodes
}

// characterLen returns the length in bytes of the first character of s: a code point in UTF-8,
// or a byte outside any code point.
func characterLen(s string) int {
	_, n := utf8.DecodeRuneInString(s)
	return n
}

// isCharacter reports whether s has not more than one character.
func isCharacter(s string) bool { return characterLen(s) == len(s) }

// rankAt returns the rank of the pair that starts at node i.
func (s *Segmenter) rankAt(nodes []node, i int) int32 {
	if i+1 < len(nodes) {
		if rank, ok := s.ranks[pair{nodes[i].symbol, nodes[i+1].symbol}]; ok {
			return rank
		}
	}
	return noMerge
}

// merge applies all merges to a part of a word in place and returns the remaining nodes. The time is
// proportional to the number of nodes times the number of different pairs merged.
func (s *Segmenter) merge(nodes []node) []node {
	for i := range nodes {
		nodes[i].rank = s.rankAt(nodes, i)
	}
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
			list[i].rank = s.rankAt(list, i)
		}
	}
	return list
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
