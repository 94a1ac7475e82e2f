package text

import (
	"cmp"
	"fmt"
	"io"
	"os"
)

// ReadParallel reads two files in which each line of one translates the same line of the other. Its
// errors are those of [ReadSentences] and, if the numbers of lines differ, one that wraps
// [ErrLineCount]. It reads each file once, both at the same time.
func ReadParallel(sourcePath, targetPath string) ([]Pair, error) {
	return ReadParallelFunc(sourcePath, targetPath, Tokens, Tokens)
}

// ReadParallelFunc is [ReadParallel] with a function for each language that splits a line into
// words, as in [ReadSentencesFunc].
func ReadParallelFunc(sourcePath, targetPath string, splitSource, splitTarget func(line string) []string) ([]Pair, error) {
	source, err := os.Open(sourcePath)
	if err != nil {
		return nil, fmt.Errorf("text: %w", err)
	}
	defer source.Close()
	target, err := os.Open(targetPath)
	if err != nil {
		return nil, fmt.Errorf("text: %w", err)
	}
	defer target.Close()
	return ParallelReader{
		Source: source, SourceName: sourcePath, SplitSource: splitSource,
		Target: target, TargetName: targetPath, SplitTarget: splitTarget,
		Strict: true,
	}.Read()
}

// A ParallelReader reads two texts in which each line of one translates the same line of the other.
type ParallelReader struct {
	Source, Target           io.Reader
	SourceName, TargetName   string                     // in errors, "source" and "target" if empty
	SplitSource, SplitTarget func(line string) []string // a line, without its end, into words; nil for [Tokens]
	Strict                   bool                       // whether a bad pair is an error
	OnDrop                   func(err error)            // called for each dropped pair, in order; may be nil
}

// Read returns the pairs of lines, in their order. It reads both texts line by line, as a
// [LineReader] does, and returns an error if their numbers of lines differ. Equal words share
// memory.
//
// A pair is bad if either line has no words, is not UTF-8 or is longer than [MaxLine]. Read drops
// bad pairs and calls OnDrop for each, unless Strict makes the first of them an error. A text
// without any other pair is an error, too.
//
// Errors, including those that OnDrop gets, name the text and the line. They wrap [ErrEmptyFile],
// [ErrEmptyLine], [ErrUTF8], [ErrLongLine], [ErrLineCount] or the error of a reader.
func (r ParallelReader) Read() (pairs []Pair, err error) {
	in := parallelLines{
		newSentenceReader(cmp.Or(r.SourceName, "source"), r.Source, r.SplitSource),
		newSentenceReader(cmp.Or(r.TargetName, "target"), r.Target, r.SplitTarget),
	}
	var memory store
	var firstDrop error
	for {
		pair, bad, err := in.next()
		switch {
		case bad != nil && r.Strict:
			return nil, fmt.Errorf("text: %w", bad)
		case err == io.EOF && pairs == nil:
			return nil, fmt.Errorf("text: %s, %s: no usable pair: %w", in.source.name, in.target.name, firstDrop)
		case err == io.EOF:
			return pairs, nil
		case err != nil:
			return nil, fmt.Errorf("text: %w", err)
		case bad == nil:
			pairs = append(pairs, Pair{memory.keep(pair.Source), memory.keep(pair.Target)})
			continue
		}
		firstDrop = cmp.Or(firstDrop, bad)
		if r.OnDrop != nil {
			r.OnDrop(fmt.Errorf("text: %w", bad))
		}
	}
}

// parallelLines are two texts that are read together.
type parallelLines struct{ source, target *sentenceReader }

// next returns the next line of each text, or in bad the reason why one of them is no sentence.
// After the last pair the error is io.EOF, unless the texts cannot be parallel. The errors are
// located.
func (p parallelLines) next() (pair Pair, bad, err error) {
	var sourceErr, targetErr error
	pair.Source, sourceErr = p.source.next()
	pair.Target, targetErr = p.target.next()
	switch {
	case rejects(sourceErr):
		bad = p.source.locate(sourceErr)
	case rejects(targetErr):
		bad = p.target.locate(targetErr)
	}
	switch {
	case fails(sourceErr):
		err = p.source.locate(sourceErr)
	case fails(targetErr):
		err = p.target.locate(targetErr)
	case sourceErr == io.EOF || targetErr == io.EOF:
		err = p.end()
	}
	return pair, bad, err
}

// fails reports whether an error ended the reading before the end of the text.
func fails(err error) bool { return err != nil && err != io.EOF && !rejects(err) }

// end returns io.EOF if both texts have the same number of lines, and not none.
func (p parallelLines) end() error {
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
