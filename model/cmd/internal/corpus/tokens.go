package corpus

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/maphash"
	"io"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/softsearch-go/softsearch/model/cmd/internal/links"
	"github.com/softsearch-go/softsearch/model/internal/atomic"
	"github.com/softsearch-go/softsearch/model/text"
	"github.com/softsearch-go/softsearch/model/text/pipeline"
)

// A tokenText holds pairs of sentences as numbers of tokens. The memory it takes grows with the number of
// different tokens; the pairs are in a temporary file if they are many.
type tokenText struct {
	source, target lexicon
	duplicates     int // pairs that read has dropped
	pairs          int
	linked         bool // pairs have links
	blocks         spool
}

// newTokenText returns an empty text. It calls temporary, unless that is nil, if it needs a file. It must be
// closed.
func newTokenText(temporary func() (*atomic.File, error)) *tokenText {
	return &tokenText{source: newLexicon(), target: newLexicon(), blocks: spool{temporary: temporary}}
}

// read adds the pairs of r, which it converts on that many goroutines, see [text.ReadBlocks]. It drops
// pairs whose tokens are in earlier, unless that is nil, and adds the others to it. The line of guide that has the
// number of a pair is its alignment, unless guide is nil; it has as many lines as the text.
func (t *tokenText) read(r text.ParallelReader, threads int, earlier *pairSet, guide *links.Reader) error {
	t.linked = guide != nil
	lines, onDrop := 0, r.OnDrop
	r.OnDrop = func(err error) {
		lines++
		if onDrop != nil {
			onDrop(err)
		}
	}
	err := text.ReadBlocks(r, threads, t.encode, func(pairs []encodedPair) error {
		lines += len(pairs)
		kept := make([][]byte, 0, len(pairs))
		for _, p := range pairs {
			if earlier != nil && !earlier.add(p.record) {
				continue
			}
			if guide != nil {
				var err error
				if p.record, err = p.link(guide); err != nil {
					return err
				}
			}
			kept = append(kept, p.record)
		}
		t.duplicates += len(pairs) - len(kept)
		t.pairs += len(kept)
		return t.blocks.write(kept)
	})
	if err == nil && guide != nil {
		err = guide.End(lines)
	}
	return err
}

// An encodedPair has the numbers of the tokens of a pair, after their numbers on each side, as varints.
type encodedPair struct {
	record         []byte
	line           int // number
	source, target int // tokens
}

// link returns the record with the links of the pair: their number, and the tokens of the target and the source
// of each.
func (p encodedPair) link(guide *links.Reader) ([]byte, error) {
	a, err := guide.At(p.line, p.source, p.target)
	record := binary.AppendUvarint(slices.Clip(p.record), uint64(len(a.Sure)))
	for _, l := range a.Sure {
		record = binary.AppendUvarint(binary.AppendUvarint(record, uint64(l.Target)), uint64(l.Source))
	}
	return record, err
}

func (t *tokenText) encode(pairs []text.Pair, lines []int) []encodedPair {
	source, target := t.source.caches.Get().(map[string]uint32), t.target.caches.Get().(map[string]uint32)
	defer t.source.caches.Put(source)
	defer t.target.caches.Put(target)
	var all []byte
	encoded := make([]encodedPair, len(pairs))
	for i, p := range pairs {
		start := len(all)
		all = binary.AppendUvarint(binary.AppendUvarint(all, uint64(len(p.Source))), uint64(len(p.Target)))
		all = t.source.append(all, p.Source, source)
		all = t.target.append(all, p.Target, target)
		encoded[i] = encodedPair{all[start:], lines[i], len(p.Source), len(p.Target)} // also if all moves on in other memory
	}
	return encoded
}

func (t *tokenText) isLarge() bool { return t.blocks.file != nil }

// each calls f for each pair in the order of the text, with its index, the numbers of its tokens, and its links as
// tokens of the target and the source in turn, which are valid until f returns. It ends with the first error of f.
func (t *tokenText) each(f func(i int, source, target, links []uint32) error) error {
	var numbers []uint32
	i := 0
	return t.blocks.each(func(block []byte) error {
		for r := (records{block}); len(r.left) > 0; i++ {
			n, m := r.number(), r.number()
			numbers = r.append(numbers[:0], n+m)
			if t.linked {
				numbers = r.append(numbers, 2*r.number())
			}
			if err := f(i, numbers[:n], numbers[n:n+m], numbers[n+m:]); err != nil {
				return err
			}
		}
		return nil
	})
}

func (t *tokenText) close() error {
	if t.blocks.file == nil {
		return nil
	}
	return t.blocks.file.Close()
}

// A lexicon has the different tokens of one language, by number from 0, and their words. Numbers are in
// no particular order.
type lexicon struct {
	mu      sync.RWMutex
	numbers map[string]uint32
	tokens  []string
	caches  sync.Pool // of type map[string]uint32

	starts []uint32 // of the words of each token in words, and the end
	words  []uint32 // numbers of words
	names  []string // of words
}

func newLexicon() lexicon {
	return lexicon{numbers: make(map[string]uint32), caches: sync.Pool{New: func() any { return make(map[string]uint32) }}}
}

// append appends the numbers of tokens as varints. It finds most of them in the cache.
func (s *lexicon) append(dst []byte, tokens []string, cache map[string]uint32) []byte {
	const maxCached = 1 << 15
	for _, token := range tokens {
		number, ok := cache[token]
		if !ok {
			token, number = s.number(token)
			if len(cache) < maxCached {
				cache[token] = number
			}
		}
		dst = binary.AppendUvarint(dst, uint64(number))
	}
	return dst
}

// number returns the number of a token, and the token in memory of its own.
func (s *lexicon) number(token string) (string, uint32) {
	s.mu.RLock()
	number, ok := s.numbers[token]
	s.mu.RUnlock()
	if ok {
		return s.token(number), number
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if number, ok = s.numbers[token]; !ok {
		number = uint32(len(s.tokens))
		token = strings.Clone(token)
		s.tokens = append(s.tokens, token)
		s.numbers[token] = number
	}
	return s.tokens[number], number
}

func (s *lexicon) token(number uint32) string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.tokens[number]
}

func (s *lexicon) size() int { return len(s.tokens) }

func (s *lexicon) tokensOf(numbers []uint32) []string {
	tokens := make([]string, len(numbers))
	for i, n := range numbers {
		tokens[i] = s.tokens[n]
	}
	return tokens
}

// frequencies returns the texts that occur, given how often each one does.
func frequencies(texts []string, counts []int) map[string]int {
	f := make(map[string]int)
	for i, n := range counts {
		if n > 0 {
			f[texts[i]] = n
		}
	}
	return f
}

// segment makes the segments of p the words of the tokens. It works on that many goroutines and calls
// progress with the number of tokens done since the last call. It ends with the first error of progress.
func (s *lexicon) segment(p pipeline.Pipeline, threads int, progress func(tokens int) error) error {
	const chunk = 1 << 12 // tokens of a goroutine
	s.starts, s.words, s.names = make([]uint32, 1, len(s.tokens)+1), nil, nil
	numbers := make(map[string]uint32)
	for tokens := range slices.Chunk(s.tokens, threads*chunk) {
		segments := make([][]string, len(tokens))
		var running sync.WaitGroup
		for first := 0; first < len(tokens); first += chunk {
			running.Go(func() {
				for i := first; i < min(first+chunk, len(tokens)); i++ {
					segments[i] = p.Segment(tokens[i : i+1])
				}
			})
		}
		running.Wait()
		for _, words := range segments {
			for _, word := range words {
				n, ok := numbers[word]
				if !ok {
					n = uint32(len(s.names))
					s.names = append(s.names, word)
					numbers[word] = n
				}
				s.words = append(s.words, n)
			}
			s.starts = append(s.starts, uint32(len(s.words)))
		}
		if err := progress(len(tokens)); err != nil {
			return err
		}
	}
	return nil
}

func (s *lexicon) wordsOf(token uint32) []uint32 { return s.words[s.starts[token]:s.starts[token+1]] }

// wordCount returns the number of words of a sentence, given the numbers of its tokens.
func (s *lexicon) wordCount(tokens []uint32) (n int) {
	for _, token := range tokens {
		n += len(s.wordsOf(token))
	}
	return n
}

// counts returns how often each word occurs, given how often each token does.
func (s *lexicon) counts(tokens []int) map[string]int {
	sums := make([]int, len(s.names))
	for token, n := range tokens {
		for _, word := range s.wordsOf(uint32(token)) {
			sums[word] += n
		}
	}
	return frequencies(s.names, sums)
}

// ids returns the ids of all words.
func (s *lexicon) ids(v *text.Vocabulary) []int32 {
	ids := make([]int32, len(s.names))
	for i, name := range s.names {
		ids[i] = v.ID(name)
	}
	return ids
}

// appendStarts appends the first word of each token of a sentence, and their end.
func (s *lexicon) appendStarts(dst []int32, tokens []uint32) []int32 {
	at := int32(0)
	for i := range tokens {
		dst = append(dst, at)
		at += int32(s.wordCount(tokens[i : i+1]))
	}
	return append(dst, at)
}

// appendIDs appends the ids of a sentence and EOS, given the ids of all words and the numbers of its tokens.
func (s *lexicon) appendIDs(dst, ids []int32, tokens []uint32) []int32 {
	for _, token := range tokens {
		for _, word := range s.wordsOf(token) {
			dst = append(dst, ids[word])
		}
	}
	return append(dst, text.EOS)
}

// A spool holds blocks of bytes: in memory, or in a temporary file if they are many.
type spool struct {
	memory    []byte
	file      *atomic.File
	temporary func() (*atomic.File, error)
}

// maxMemory is the number of bytes above which a spool uses a file. Tests change it.
var maxMemory = 64 << 20

func (s *spool) write(pairs [][]byte) error {
	n := 0
	for _, p := range pairs {
		n += len(p)
	}
	s.memory = binary.LittleEndian.AppendUint64(s.memory, uint64(n))
	for _, p := range pairs {
		s.memory = append(s.memory, p...)
	}
	if s.file == nil {
		if len(s.memory) <= maxMemory || s.temporary == nil {
			return nil
		}
		var err error
		if s.file, err = s.temporary(); err != nil {
			return err
		}
		defer func() { s.memory = nil }()
	}
	_, err := s.file.Write(s.memory)
	s.memory = s.memory[:0]
	if err != nil {
		return fmt.Errorf("temporary file of the text: %w", err)
	}
	return nil
}

// each calls f for each block, which is valid until f returns. It ends with the first error of f.
func (s *spool) each(f func(block []byte) error) error {
	var in io.Reader = bytes.NewReader(s.memory)
	if s.file != nil {
		in = bufio.NewReaderSize(io.NewSectionReader(s.file, 0, math.MaxInt64), 1<<18)
	}
	var block []byte
	for {
		var size [8]byte
		if _, err := io.ReadFull(in, size[:]); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		n := int(binary.LittleEndian.Uint64(size[:]))
		block = slices.Grow(block[:0], n)[:n]
		if _, err := io.ReadFull(in, block); err != nil {
			return err
		}
		if err := f(block); err != nil {
			return err
		}
	}
}

// A pairSet is the set of the pairs of one tokenText. It keeps 80 bits of the hashes of each. The probability that
// it takes any two of n different pairs for one is about n²/2⁸¹, 6e-11 for 12 million.
type pairSet struct {
	seeds [2]maphash.Seed
	pairs map[[10]byte]struct{}
}

func newPairSet() *pairSet {
	return &pairSet{[2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}, map[[10]byte]struct{}{}}
}

// add adds an encoded pair and reports whether it is new.
func (s *pairSet) add(pair []byte) bool {
	var key [10]byte
	binary.LittleEndian.PutUint64(key[:], maphash.Bytes(s.seeds[0], pair))
	binary.LittleEndian.PutUint16(key[8:], uint16(maphash.Bytes(s.seeds[1], pair)))
	n := len(s.pairs)
	s.pairs[key] = struct{}{}
	return len(s.pairs) > n
}

// names are the tokens that become placeholders where both sides of a pair have them: names, which are known once tokens
// are counted, and placeholders of initials, which get other numbers then.
type names struct {
	keys         [2][]int    // of the tokens of each side: above 0 for a name, equal on both sides
	placeholders [2][]uint32 // tokens
	done         []bool      // tokens of the target
}

func newNames(source, target pipeline.Pipeline, t *tokenText) *names {
	if len(source.NamePlaceholders()) == 0 || len(target.NamePlaceholders()) == 0 {
		return nil
	}
	n := &names{}
	keys := map[string]int{}
	for side, s := range []*lexicon{&t.source, &t.target} {
		for _, word := range source.NamePlaceholders() {
			_, token := s.number(word)
			n.placeholders[side] = append(n.placeholders[side], token)
			keys[word] = len(n.placeholders[side])
		}
		n.keys[side] = make([]int, s.size())
		for i, token := range s.tokens {
			key := pipeline.CapitalKey(token)
			if keys[token] > 0 {
				key = token
			} else if key != "" && side == 0 && source.IsName(token) && keys[key] == 0 {
				keys[key] = len(keys) + 1
			}
			n.keys[side][i] = keys[key]
		}
	}
	return n
}

// take replaces the names that both sides of a pair have.
func (n *names) take(source, target []uint32) {
	if n == nil {
		return
	}
	n.done = append(n.done[:0], make([]bool, len(target))...)
	number := 0
	for i, token := range source {
		key := n.keys[0][token]
		for j, other := range target {
			if key > 0 && !n.done[j] && n.keys[1][other] == key {
				of := number % len(n.placeholders[0])
				source[i], target[j], n.done[j] = n.placeholders[0][of], n.placeholders[1][of], true
				number++
				break
			}
		}
	}
}
