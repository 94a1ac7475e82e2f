package bpe

import (
	"cmp"
	"container/heap"
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"
	"strings"
)

// Frequencies maps words, or segments, to the number of their occurrences.
type Frequencies map[string]int

// Add adds one occurrence of each of the words. It panics if f is nil.
func (f Frequencies) Add(words []string) {
	if f == nil {
		panic("bpe: Add: nil frequencies")
	}
	for _, word := range words {
		if n, ok := f[word]; ok {
			f[word] = n + 1
		} else {
			f[strings.Clone(word)] = 1 // a copy, so that f does not keep the whole line in memory
		}
	}
}

// words returns the words sorted by their bytes. It returns an error if a word is empty,
// contains a space, CR or LF, or has a frequency below 1.
func (f Frequencies) words() ([]string, error) {
	words := slices.Sorted(maps.Keys(f))
	for _, word := range words {
		if err := checkWord(word); err != nil {
			return nil, fmt.Errorf("word %w", err)
		}
		if n := f[word]; n < 1 {
			return nil, fmt.Errorf("word %.80q: frequency %d, expected at least 1", word, n)
		}
	}
	return words, nil
}

// Merges returns an iterator over the merges of the words, in the order of [Codes]. Each merges the
// pair of adjacent symbols that is most frequent after the merges before it. Ties go to the pair
// whose left symbol, then right symbol, is greatest in byte order. The merges end when no pair
// occurs minFrequency times; subword-nmt's default is 2. No merge produces a symbol longer than
// [MaxSymbol]. An iterator is for one loop.
//
// Merges returns an error if minFrequency is below 1, a word is empty, contains a space, CR or LF,
// or has a frequency below 1, or the frequencies are so large that counts would overflow.
func Merges(f Frequencies, minFrequency int) (iter.Seq[Merge], error) {
	if minFrequency < 1 {
		return nil, fmt.Errorf("minimum frequency %d: expected at least 1", minFrequency)
	}
	l, err := newLearner(f)
	if err != nil {
		return nil, err
	}
	return func(yield func(Merge) bool) {
		for len(l.pairs.queue) > 0 {
			best := l.pairs.queue[0]
			if best.frequency < int64(minFrequency) || !yield(best.Merge) {
				return
			}
			l.merge(best)
		}
	}, nil
}

// A learner holds the words as symbols, with the merges so far applied, and the pairs in them.
type learner struct {
	symbols symbolTable
	words   []word
	pairs   pairCounts
}

type word struct {
	symbols   []int32
	frequency int64
}

func newLearner(f Frequencies) (*learner, error) {
	words, err := f.words()
	if err != nil {
		return nil, err
	}
	l := &learner{symbols: symbolTable{ids: make(map[string]int32)}, words: make([]word, len(words))}
	l.pairs.candidates = make(map[pair]*candidate)
	room := int64(math.MaxInt64) // the bytes of the text bound the frequency of any pair
	for i, w := range words {
		n := int64(f[w])
		if n > room/int64(len(w)) {
			return nil, fmt.Errorf("word %.80q: frequency %d: expected a text of less than 2⁶³ bytes", w, n)
		}
		room -= n * int64(len(w))
		l.words[i] = word{l.split(w), n}
		l.count(int32(i))
	}
	l.pairs.update()
	return l, nil
}

// split returns the characters of a word as symbols.
func (l *learner) split(word string) []int32 {
	var ids []int32
	for n := characterLen(word); n < len(word); n = characterLen(word) {
		ids = append(ids, l.symbols.id(word[:n]))
		word = word[n:]
	}
	return append(ids, l.symbols.id(word+endOfWord))
}

// A symbolTable assigns consecutive ids to symbols, from 0.
type symbolTable struct {
	names []string
	ids   map[string]int32
}

// id returns the id of a symbol and adds the symbol if it is new.
func (t *symbolTable) id(name string) int32 {
	id, ok := t.ids[name]
	if !ok {
		id = int32(len(t.names))
		t.ids[name] = id
		t.names = append(t.names, name)
	}
	return id
}

// count adds the pairs of word w.
func (l *learner) count(w int32) {
	symbols := l.words[w].symbols
	for i := range len(symbols) - 1 {
		l.add(pair{symbols[i], symbols[i+1]}, w)
	}
}

// add adds an occurrence of a pair in word w.
func (l *learner) add(p pair, w int32) {
	c := l.pairs.candidate(p, l.symbols.names)
	c.frequency += l.words[w].frequency
	if n := len(c.words); n == 0 || c.words[n-1] != w {
		c.words = append(c.words, w)
	}
}

// remove removes an occurrence of a pair in word w.
func (l *learner) remove(p pair, w int32) {
	l.pairs.candidate(p, l.symbols.names).frequency -= l.words[w].frequency
}

// merge merges a pair in all words.
func (l *learner) merge(c *candidate) {
	merged := l.symbols.id(c.Left + c.Right)
	for _, w := range c.words {
		l.mergeIn(w, c.pair, merged)
	}
	c.frequency = 0
	l.pairs.markChanged(c)
	l.pairs.update()
}

// mergeIn merges the occurrences of a pair in word w from left to right, and updates the counts
// of the pairs next to them.
func (l *learner) mergeIn(w int32, p pair, merged int32) {
	old := l.words[w].symbols
	symbols := old[:0] // in place: writes never overtake reads
	mergedBefore := false
	for i := 0; i < len(old); {
		symbol, width := old[i], 1
		found := i+1 < len(old) && p == pair{symbol, old[i+1]}
		if found {
			symbol, width = merged, 2
		}
		if i > 0 && (found || mergedBefore) {
			l.remove(pair{old[i-1], old[i]}, w)
			l.add(pair{symbols[len(symbols)-1], symbol}, w)
		}
		symbols = append(symbols, symbol)
		i += width
		mergedBefore = found
	}
	l.words[w].symbols = symbols
}

// pairCounts counts the pairs of adjacent symbols and orders them by frequency.
type pairCounts struct {
	candidates map[pair]*candidate
	queue      queue
	changed    []*candidate // since the last update
}

// candidate returns the candidate of a pair, new if necessary, and marks it as changed.
func (s *pairCounts) candidate(p pair, names []string) *candidate {
	c := s.candidates[p]
	if c == nil {
		c = &candidate{pair: p, Merge: Merge{names[p.left], names[p.right]}, index: -1}
		s.candidates[p] = c
	}
	s.markChanged(c)
	return c
}

func (s *pairCounts) markChanged(c *candidate) {
	if !c.changed {
		c.changed = true
		s.changed = append(s.changed, c)
	}
}

// update restores the order of the queue after changes and drops pairs that no longer occur. It
// moves one candidate at a time: queue.Less compares keys, and only one key may be out of order.
func (s *pairCounts) update() {
	for _, c := range s.changed {
		c.changed = false
		c.key = c.frequency
		switch queued := c.index >= 0; {
		case c.frequency > 0 && queued:
			heap.Fix(&s.queue, c.index)
		case c.frequency > 0 && c.fits():
			heap.Push(&s.queue, c)
		case c.frequency > 0: // a symbol that is too long
		default:
			delete(s.candidates, c.pair)
			if queued {
				heap.Remove(&s.queue, c.index)
			}
		}
	}
	s.changed = s.changed[:0]
}

// A candidate is a pair that may be merged.
type candidate struct {
	pair
	Merge
	frequency int64
	words     []int32 // indices of all words that contain the pair, and of some that used to
	changed   bool    // since the last update
	index     int     // in the queue, -1 outside
	key       int64   // frequency at the last update
}

// A queue is a heap of candidates with the next one to merge at the top.
type queue []*candidate

func (q queue) Len() int { return len(q) }

func (q queue) Less(i, j int) bool {
	a, b := q[i], q[j]
	return cmp.Or(cmp.Compare(a.key, b.key),
		strings.Compare(a.Left, b.Left), strings.Compare(a.Right, b.Right)) > 0
}

func (q queue) Swap(i, j int) {
	q[i], q[j] = q[j], q[i]
	q[i].index, q[j].index = i, j
}

func (q *queue) Push(c any) {
	c.(*candidate).index = len(*q)
	*q = append(*q, c.(*candidate))
}

func (q *queue) Pop() any {
	last := len(*q) - 1
	c := (*q)[last]
	(*q)[last] = nil
	*q = (*q)[:last]
	c.index = -1
	return c
}
