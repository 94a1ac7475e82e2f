package text

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"strings"
	"sync"
)

// Errors that functions reading a corpus wrap.
var (
	ErrLineCount = errors.New("unequal numbers of lines") // in parallel files
	ErrUTF8      = errors.New("invalid UTF-8")
	ErrEmptyFile = errors.New("empty file")
	ErrEmptyLine = errors.New("empty line") // no words in a line
)

// A Pair is a sentence and its translation, as words.
type Pair struct{ Source, Target []string }

// Tokens splits a line at ASCII white space: space, tab, and the characters that end a line or a
// page. Other spaces, such as U+00A0, are part of words. The words share the memory of line.
func Tokens(line string) []string { return strings.FieldsFunc(line, isASCIISpace) }

func isASCIISpace(r rune) bool { return r == ' ' || '\t' <= r && r <= '\r' }

// Sources yields the source sentences of the pairs in order.
func Sources(pairs []Pair) iter.Seq[[]string] {
	return func(yield func([]string) bool) {
		for _, p := range pairs {
			if !yield(p.Source) {
				return
			}
		}
	}
}

// Targets yields the target sentences of the pairs in order.
func Targets(pairs []Pair) iter.Seq[[]string] {
	return func(yield func([]string) bool) {
		for _, p := range pairs {
			if !yield(p.Target) {
				return
			}
		}
	}
}

// A ParallelReader reads two texts in which each line of one translates the same line of the other.
type ParallelReader struct {
	Source, Target         io.Reader
	SourceName, TargetName string                                    // in errors, "source" and "target" if empty
	Split                  func(source, target string) (Pair, error) // two lines, without their ends, into words; nil for [Tokens]
	Strict                 bool                                      // whether a bad pair is an error
	OnDrop                 func(err error)                           // called for each dropped pair, in order; may be nil
}

// Read returns the pairs of lines, in their order. It reads both texts line by line, as a
// [LineReader] does, and returns an error if their numbers of lines differ. Equal words share
// memory.
//
// A pair is bad if either line has no words, is not UTF-8 or is longer than [MaxLine]. Read drops
// bad pairs and calls OnDrop for each, unless Strict makes the first of them an error. It drops those
// for which Split has an error, too, also with Strict. A text without any other pair is an error.
//
// Errors, including those that OnDrop gets, name the text and the line. They wrap [ErrEmptyFile],
// [ErrEmptyLine], [ErrUTF8], [ErrLongLine], [ErrLineCount] or the error of a reader or of Split.
func (r ParallelReader) Read() (pairs []Pair, err error) {
	var memory store
	err = ReadBlocks(r, 1, func(block []Pair, _ []int) []Pair { return block }, func(block []Pair) error {
		for _, p := range block {
			pairs = append(pairs, Pair{memory.keep(p.Source), memory.keep(p.Target)})
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return pairs, nil
}

// A store holds sentences in little memory: equal words share theirs, no slice has spare capacity,
// and the lines that the words come from can be freed.
type store struct {
	words map[string]string
	free  []string // memory for sentences
}

// keep returns a copy of the words.
func (s *store) keep(words []string) []string {
	const block = 1 << 12
	if s.words == nil {
		s.words = make(map[string]string)
	}
	n := len(words)
	if n > len(s.free) {
		s.free = make([]string, max(n, block))
	}
	kept := s.free[:n:n]
	s.free = s.free[n:]
	for i, word := range words {
		shared, ok := s.words[word]
		if !ok {
			shared = strings.Clone(word)
			s.words[shared] = shared
		}
		kept[i] = shared
	}
	return kept
}

// ReadBlocks reads the pairs of r as [ParallelReader.Read] does, without keeping them: it divides
// them into blocks of up to 1,024 pairs, converts each block, given also the numbers of the lines of
// its pairs from 1, and calls use for the results in the order of the text. It ends with the first error
// of the text or of use, after the results before it.
//
// Above 1, threads is the number of goroutines that split lines and convert blocks while another one
// reads; then Split and convert must be safe for concurrent use. All goroutines end
// before ReadBlocks returns. OnDrop and use are called by the caller's goroutine. ReadBlocks panics if a
// reader, convert or use is nil, or threads is above 65,536.
func ReadBlocks[T any](r ParallelReader, threads int, convert func(pairs []Pair, lines []int) T, use func(T) error) error {
	type converted struct {
		result T
		pairs  int
		drops  []drop
	}
	if convert == nil || use == nil || threads > 1<<16 {
		panic("text: ReadBlocks: nil function, or more than 65536 threads")
	}
	in := parallelLines{
		source: &sentenceReader{cmp.Or(r.SourceName, "source"), NewLineReader(r.Source)},
		target: &sentenceReader{cmp.Or(r.TargetName, "target"), NewLineReader(r.Target)},
		words:  r.Split,
	}
	if in.words == nil {
		in.words = func(source, target string) (Pair, error) { return Pair{Tokens(source), Tokens(target)}, nil }
	}
	var firstDrop error
	pairs := 0
	for block := range ordered(in.blocks(), threads, func(lines []linePair) converted {
		pairs, numbers, drops := in.split(lines)
		return converted{convert(pairs, numbers), len(pairs), drops}
	}) {
		for _, drop := range block.drops {
			if r.Strict && drop.bad {
				return drop.err
			}
			if firstDrop == nil {
				firstDrop = drop.err
			}
			if r.OnDrop != nil {
				r.OnDrop(drop.err)
			}
		}
		pairs += block.pairs
		if err := use(block.result); err != nil {
			return err
		}
	}
	if in.err != io.EOF {
		return in.err
	}
	if pairs == 0 {
		return fmt.Errorf("%s, %s: no usable pair: %w", in.source.name, in.target.name, firstDrop)
	}
	return nil
}

// parallelLines are two texts that are read together.
type parallelLines struct {
	source, target *sentenceReader
	words          func(source, target string) (Pair, error)
	err            error // that ended the blocks: io.EOF unless the texts cannot be parallel
}

// A drop is why a pair is left out: a bad line, or an error of Split.
type drop struct {
	err error
	bad bool
}

// A linePair is a line of each text, and the errors of reading them.
type linePair struct {
	number               int
	source, target       string
	sourceErr, targetErr error
}

// Limits of a block.
const (
	blockPairs = 1 << 10
	blockBytes = 1 << 20 // and one more pair
)

// blocks yields the lines of both texts up to the first error that ends one of them.
func (p *parallelLines) blocks() iter.Seq[[]linePair] {
	return func(yield func([]linePair) bool) {
		for p.err == nil {
			block := make([]linePair, 0, blockPairs)
			for bytes := 0; len(block) < blockPairs && bytes < blockBytes; {
				l := p.read()
				if p.err = p.end(l); p.err != nil {
					break
				}
				block = append(block, l)
				bytes += len(l.source) + len(l.target)
			}
			if len(block) > 0 && !yield(block) {
				return
			}
		}
	}
}

func (p *parallelLines) read() (l linePair) {
	l.source, l.sourceErr = p.source.lines.Next()
	l.target, l.targetErr = p.target.lines.Next()
	l.number = max(p.source.lines.Line(), p.target.lines.Line())
	return l
}

// split returns the pairs of lines, their numbers, and the errors of the bad ones.
func (p *parallelLines) split(lines []linePair) (pairs []Pair, numbers []int, drops []drop) {
	pairs, numbers = make([]Pair, 0, len(lines)), make([]int, 0, len(lines))
	for _, l := range lines {
		pair, drop := p.pair(l)
		if drop.err != nil {
			drops = append(drops, drop)
		} else {
			pairs, numbers = append(pairs, pair), append(numbers, l.number)
		}
	}
	return pairs, numbers, drops
}

// pair returns the words of both lines, or why the pair is left out.
func (p *parallelLines) pair(l linePair) (pair Pair, d drop) {
	switch {
	case rejects(l.sourceErr):
		return pair, drop{p.source.locate(l.sourceErr), true}
	case rejects(l.targetErr):
		return pair, drop{p.target.locate(l.targetErr), true}
	}
	pair, err := p.words(l.source, l.target)
	empty := &LineError{l.number, fmt.Errorf("%w, expected a sentence", ErrEmptyLine)}
	switch {
	case len(pair.Source) == 0:
		return pair, drop{p.source.locate(empty), true}
	case len(pair.Target) == 0:
		return pair, drop{p.target.locate(empty), true}
	case err != nil:
		return pair, drop{p.source.locate(&LineError{l.number, err}), false}
	}
	return pair, drop{}
}

// end returns the error that ends the reading at lines l, or nil. It is io.EOF if both texts have the
// same number of lines, and not none. The errors are located.
func (p *parallelLines) end(l linePair) error {
	switch {
	case fails(l.sourceErr):
		return p.source.locate(l.sourceErr)
	case fails(l.targetErr):
		return p.target.locate(l.targetErr)
	case l.sourceErr == io.EOF || l.targetErr == io.EOF:
		return p.compare()
	}
	return nil
}

// fails reports whether an error ended the reading before the end of the text.
func fails(err error) bool { return err != nil && err != io.EOF && !rejects(err) }

// compare reads both texts to their ends and compares their numbers of lines.
func (p *parallelLines) compare() error {
	sourceLines, err := p.source.rest()
	if err != nil {
		return p.source.locate(err)
	}
	targetLines, err := p.target.rest()
	switch {
	case err != nil:
		return p.target.locate(err)
	case sourceLines == 0:
		return p.source.empty()
	case targetLines == 0:
		return p.target.empty()
	case sourceLines == targetLines:
		return io.EOF
	}
	longer := p.source.name
	if targetLines > sourceLines {
		longer = p.target.name
	}
	return fmt.Errorf("%s:%d: %w: %s has %d, %s has %d, expected the same", longer, min(sourceLines, targetLines)+1,
		ErrLineCount, p.source.name, sourceLines, p.target.name, targetLines)
}

// A sentenceReader reads a file of one sentence per line.
type sentenceReader struct {
	name  string
	lines *LineReader
}

// rest reads to the end of the file and returns its number of lines.
func (r *sentenceReader) rest() (lines int, err error) {
	for {
		if _, err := r.lines.Next(); err == io.EOF {
			return r.lines.Line(), nil
		} else if err != nil && !rejects(err) {
			return 0, err
		}
	}
}

// rejects reports whether an error is about one line and the reading can continue.
func rejects(err error) bool {
	_, ok := errors.AsType[*LineError](err)
	return ok
}

// locate adds the file and the line to an error of words.
func (r *sentenceReader) locate(err error) error {
	if rejected, ok := errors.AsType[*LineError](err); ok {
		return fmt.Errorf("%s:%d: %w", r.name, rejected.Line, rejected.Err)
	}
	if _, ok := errors.AsType[*fs.PathError](err); ok {
		return err // it names the file
	}
	return fmt.Errorf("%s: %w", r.name, err)
}

// empty returns the error for a file without lines.
func (r *sentenceReader) empty() error {
	return fmt.Errorf("%s: %w, expected one sentence a line", r.name, ErrEmptyFile)
}

// ordered yields f of each element of in, in their order. Above 1, threads is the number of goroutines
// that call f, while another one runs in; they end before the loop does.
func ordered[A, B any](in iter.Seq[A], threads int, f func(A) B) iter.Seq[B] {
	if threads <= 1 {
		return func(yield func(B) bool) {
			for a := range in {
				if !yield(f(a)) {
					return
				}
			}
		}
	}
	type job struct {
		argument A
		result   chan B
	}
	return func(yield func(B) bool) {
		jobs, results, stop := make(chan job), make(chan chan B, 2*threads), make(chan struct{})
		var running sync.WaitGroup
		defer running.Wait()
		defer close(stop)
		running.Go(func() {
			defer close(jobs)
			defer close(results)
			for a := range in {
				j := job{a, make(chan B, 1)}
				select {
				case results <- j.result:
				case <-stop:
					return
				}
				jobs <- j
			}
		})
		for range threads {
			running.Go(func() {
				for j := range jobs {
					j.result <- f(j.argument)
				}
			})
		}
		for result := range results {
			if !yield(<-result) {
				return
			}
		}
	}
}
