// Package bitext prepares parallel text of any size for training: it keeps the text as numbers of
// tokens, from which the caller counts and chooses words, and then as examples in a file, from which
// a training reads one at a time.
package bitext

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/softsearch-go/softsearch/model/cmd/files"
	"github.com/softsearch-go/softsearch/model/text"
	"github.com/softsearch-go/softsearch/model/text/bpe"
	"github.com/softsearch-go/softsearch/model/text/pipeline"
)

// A Text holds pairs of sentences as numbers of tokens. The memory it takes grows with the number of
// different tokens; the pairs are in a temporary file if they are many.
type Text struct {
	Source, Target Side
	Duplicates     int // pairs that Read has dropped

	pairs  int
	blocks spool
}

// NewText returns an empty text. It calls temporary if it needs a file. It must be closed.
func NewText(temporary func() (*files.Temporary, error)) *Text {
	return &Text{Source: newSide(), Target: newSide(), blocks: spool{temporary: temporary}}
}

// Read adds the pairs of r, which it converts on that many goroutines, see [text.ReadBlocks]. Unless
// earlier is nil, it drops each pair whose tokens are those of one that Read has added to earlier.
func (t *Text) Read(r text.ParallelReader, threads int, earlier *PairSet) error {
	return text.ReadBlocks(r, threads, t.encode, func(pairs [][]byte) error {
		kept := pairs[:0]
		for _, p := range pairs {
			if earlier == nil || earlier.add(p) {
				kept = append(kept, p)
			}
		}
		t.Duplicates += len(pairs) - len(kept)
		t.pairs += len(kept)
		return t.blocks.write(kept)
	})
}

// encode returns the numbers of the tokens of each pair, after their numbers on each side, as varints.
func (t *Text) encode(pairs []text.Pair) [][]byte {
	source, target := t.Source.cache(), t.Target.cache()
	defer t.Source.caches.Put(source)
	defer t.Target.caches.Put(target)
	var all []byte
	encoded := make([][]byte, len(pairs))
	for i, p := range pairs {
		start := len(all)
		all = binary.AppendUvarint(binary.AppendUvarint(all, uint64(len(p.Source))), uint64(len(p.Target)))
		all = t.Source.append(all, p.Source, source)
		all = t.Target.append(all, p.Target, target)
		encoded[i] = all[start:] // also if all moves on in other memory
	}
	return encoded
}

// Len returns the number of pairs.
func (t *Text) Len() int { return t.pairs }

// IsLarge reports whether the pairs are in a temporary file.
func (t *Text) IsLarge() bool { return t.blocks.file != nil }

// Each calls f for each pair in the order of the text, with its index and the numbers of its tokens,
// which are valid until f returns. It ends with the first error of f.
func (t *Text) Each(f func(i int, source, target []uint32) error) error {
	var numbers []uint32
	i := 0
	return t.blocks.each(func(block []byte) error {
		for r := (records{block}); len(r.left) > 0; i++ {
			n, m := r.number(), r.number()
			numbers = numbers[:0]
			for range n + m {
				numbers = append(numbers, uint32(r.number()))
			}
			if err := f(i, numbers[:n], numbers[n:]); err != nil {
				return err
			}
		}
		return nil
	})
}

// Close removes the temporary file.
func (t *Text) Close() error {
	if t.blocks.file == nil {
		return nil
	}
	return t.blocks.file.Close()
}

// A Side has the different tokens of one language, by number from 0, and their words. Numbers are in
// no particular order.
type Side struct {
	mu      sync.RWMutex
	numbers map[string]uint32
	tokens  []string
	caches  sync.Pool // of type map[string]uint32

	segmented bool     // otherwise tokens are words
	starts    []uint32 // of the words of each token in words, and the end
	words     []uint32 // numbers of words
	names     []string // of words
}

func newSide() Side { return Side{numbers: make(map[string]uint32)} }

// cache returns numbers of tokens for one goroutine.
func (s *Side) cache() map[string]uint32 {
	if cache, ok := s.caches.Get().(map[string]uint32); ok {
		return cache
	}
	return make(map[string]uint32)
}

// append appends the numbers of tokens as varints. It finds most of them in the cache.
func (s *Side) append(dst []byte, tokens []string, cache map[string]uint32) []byte {
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
func (s *Side) number(token string) (string, uint32) {
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

func (s *Side) token(number uint32) string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.tokens[number]
}

// Size returns the number of different tokens.
func (s *Side) Size() int { return len(s.tokens) }

// Tokens returns the tokens with these numbers.
func (s *Side) Tokens(numbers []uint32) []string {
	tokens := make([]string, len(numbers))
	for i, n := range numbers {
		tokens[i] = s.tokens[n]
	}
	return tokens
}

// Frequencies returns the tokens that occur, given how often each one does.
func (s *Side) Frequencies(counts []int) bpe.Frequencies {
	f := make(bpe.Frequencies)
	for number, n := range counts {
		if n > 0 {
			f[s.tokens[number]] = n
		}
	}
	return f
}

// Segment makes the segments of p the words of the tokens. It works on that many goroutines and calls
// progress with the number of tokens done since the last call.
func (s *Side) Segment(p pipeline.Pipeline, threads int, progress func(tokens int)) {
	const block = 1 << 12 // tokens of a goroutine
	s.segmented, s.starts, s.words, s.names = true, make([]uint32, 1, len(s.tokens)+1), nil, nil
	numbers := make(map[string]uint32)
	for tokens := range slices.Chunk(s.tokens, threads*block) {
		segments := make([][]string, len(tokens))
		var running sync.WaitGroup
		for first := 0; first < len(tokens); first += block {
			running.Go(func() {
				for i := first; i < min(first+block, len(tokens)); i++ {
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
		progress(len(tokens))
	}
}

// Words returns the number of words of a sentence, given the numbers of its tokens.
func (s *Side) Words(tokens []uint32) int {
	if !s.segmented {
		return len(tokens)
	}
	n := 0
	for _, token := range tokens {
		n += int(s.starts[token+1] - s.starts[token])
	}
	return n
}

// Counts returns how often each word occurs, given how often each token does.
func (s *Side) Counts(tokens []int) map[string]int {
	if !s.segmented {
		return s.Frequencies(tokens)
	}
	counts := make(map[string]int)
	sums := make([]int, len(s.names))
	for token, n := range tokens {
		for _, word := range s.words[s.starts[token]:s.starts[token+1]] {
			sums[word] += n
		}
	}
	for word, n := range sums {
		if n > 0 {
			counts[s.names[word]] = n
		}
	}
	return counts
}

// An Encoder turns the tokens of a side into ids.
type Encoder struct {
	side *Side
	ids  []int32 // of words
}

// Encoder returns an Encoder for a vocabulary.
func (s *Side) Encoder(v *text.Vocabulary) Encoder {
	names := s.names
	if !s.segmented {
		names = s.tokens
	}
	e := Encoder{s, make([]int32, len(names))}
	for i, name := range names {
		e.ids[i] = v.ID(name)
	}
	return e
}

// Append appends the ids of a sentence and EOS to dst, given the numbers of its tokens.
func (e Encoder) Append(dst []int32, tokens []uint32) []int32 {
	for _, token := range tokens {
		if !e.side.segmented {
			dst = append(dst, e.ids[token])
			continue
		}
		for _, word := range e.side.words[e.side.starts[token]:e.side.starts[token+1]] {
			dst = append(dst, e.ids[word])
		}
	}
	return append(dst, text.EOS)
}

// A spool holds blocks of bytes: in memory, or in a temporary file if they are many.
type spool struct {
	memory    []byte
	file      *files.Temporary
	temporary func() (*files.Temporary, error)
}

// maxMemory is the number of bytes above which a spool uses a file. Tests change it.
var maxMemory = 64 << 20

// write adds a block of several parts.
func (s *spool) write(parts [][]byte) error {
	n := 0
	for _, p := range parts {
		n += len(p)
	}
	s.memory = binary.LittleEndian.AppendUint64(s.memory, uint64(n))
	for _, p := range parts {
		s.memory = append(s.memory, p...)
	}
	if s.file == nil {
		if len(s.memory) <= maxMemory {
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
