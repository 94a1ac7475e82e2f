package bpe

import (
	"fmt"
	"math"
)

// A learner has the words as the symbols that the merges have left of them.
type learner struct {
	symbols symbols
	words   []word
	pairs   statistics
}

type word struct {
	symbols   []int32
	frequency int64
}

// newLearner returns the learner before the first merge.
func newLearner(f Frequencies) (*learner, error) {
	words, err := f.words()
	if err != nil {
		return nil, err
	}
	l := &learner{words: make([]word, len(words))}
	l.pairs.candidates = make(map[pair]*candidate)
	room := int64(math.MaxInt64) // no pair is as frequent as all bytes together
	for i, w := range words {
		n := int64(f[w])
		if n > room/int64(len(w)) {
			return nil, fmt.Errorf("bpe: word %q: frequency %d: expected a text of less than 2⁶³ bytes", w, n)
		}
		room -= n * int64(len(w))
		l.words[i] = word{l.split(w), n}
		l.count(int32(i))
	}
	l.pairs.settle()
	return l, nil
}

// split returns the characters of a word as symbols.
func (l *learner) split(word string) []int32 {
	var list []int32
	for n := character(word); n < len(word); n = character(word) {
		list = append(list, l.symbols.id(word[:n]))
		word = word[n:]
	}
	return append(list, l.symbols.id(word+mark))
}

// count adds the pairs of a word.
func (l *learner) count(number int32) {
	symbols := l.words[number].symbols
	for i := range len(symbols) - 1 {
		l.add(pair{symbols[i], symbols[i+1]}, number)
	}
}

// add counts an occurrence of a pair in a word.
func (l *learner) add(p pair, number int32) {
	c := l.pairs.of(p, l.symbols.names)
	c.frequency += l.words[number].frequency
	if n := len(c.words); n == 0 || c.words[n-1] != number {
		c.words = append(c.words, number)
	}
}

// remove takes back an occurrence of a pair in a word.
func (l *learner) remove(p pair, number int32) {
	l.pairs.of(p, l.symbols.names).frequency -= l.words[number].frequency
}

// merge puts a pair together in all words.
func (l *learner) merge(c *candidate) {
	merged := l.symbols.id(c.Left + c.Right)
	for _, number := range c.words {
		l.mergeIn(number, c.pair, merged)
	}
	c.frequency = 0
	l.pairs.touch(c)
	l.pairs.settle()
}

// mergeIn puts the occurrences of a pair in a word together, from left to right, and counts
// what becomes of the pairs beside them.
func (l *learner) mergeIn(number int32, p pair, merged int32) {
	old := l.words[number].symbols
	list := old[:0] // is behind what is still to be read
	joinedBefore := false
	for i := 0; i < len(old); {
		symbol, width := old[i], 1
		joined := i+1 < len(old) && p == pair{symbol, old[i+1]}
		if joined {
			symbol, width = merged, 2
		}
		if i > 0 && (joined || joinedBefore) {
			l.remove(pair{old[i-1], old[i]}, number)
			l.add(pair{list[len(list)-1], symbol}, number)
		}
		list = append(list, symbol)
		i += width
		joinedBefore = joined
	}
	l.words[number].symbols = list
}
