package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/cmd/files"
	"github.com/softsearch-go/softsearch/model/text"
)

// standardInput is the name of standard input in messages.
const standardInput = files.StandardInput

// An inputLine is a line of an input.
type inputLine struct {
	text   string
	number int   // from 1
	bad    error // why the line cannot be used; nil for a usable one
}

// A lineReader reads an input line by line. Its errors name the input.
type lineReader struct {
	*text.LineReader
	input *files.Input
}

func newLineReader(in *files.Input) *lineReader {
	if in.Size() > 0 {
		return &lineReader{text.NewLineReader(shortReader{in}), in}
	}
	return &lineReader{text.NewLineReader(in), in}
}

// A shortReader reads little at a time, so that the offset of its input is about that of the last
// line.
type shortReader struct{ r io.Reader }

func (s shortReader) Read(p []byte) (int, error) {
	const longest = 16 << 10
	return s.r.Read(p[:min(len(p), longest)])
}

// available blocks until there is a line. It returns that line and those after it that can be
// read without blocking, up to limit lines or about 8 MiB. After the last line the error is io.EOF.
// Lines before an error are returned with it.
func (l *lineReader) available(limit int) (lines []inputLine, err error) {
	const maxSize = 8 << 20
	for size := 0; ; {
		line, err := l.next()
		if err != nil {
			return lines, err
		}
		lines = append(lines, line)
		size += len(line.text)
		if len(lines) == limit || size >= maxSize || !l.ready() {
			return lines, nil
		}
	}
}

// ready reports whether next returns without blocking. A file does not block.
func (l *lineReader) ready() bool { return l.input.Size() > 0 || l.Buffered() }

// next blocks until there is a line, which may be a bad one. After the last line it returns io.EOF.
func (l *lineReader) next() (inputLine, error) {
	content, err := l.Next()
	line := inputLine{text: content, number: l.Line()}
	var rejected *text.LineError
	switch {
	case err == nil || err == io.EOF:
	case errors.As(err, &rejected):
		line.bad, err = rejected.Err, nil
	case errors.Is(err, text.ErrLongLine) || errors.Is(err, text.ErrUTF8):
		err = fmt.Errorf("%s: %w", l.input.Name(), err)
	}
	return line, err
}

// An inputPair is a line of each of two parallel inputs.
type inputPair struct {
	text.Pair
	bad error // why the pair cannot be used, with the input and the line; nil for a usable one
}

// readPairs reads a file of source sentences and one of target sentences in the text of m, which
// must have equally many lines, unless ctx ends before.
func readPairs(ctx context.Context, m *model.Model, source, target string) ([]inputPair, error) {
	sourceInput, err := files.Open(source)
	if err != nil {
		return nil, err
	}
	defer sourceInput.Close()
	targetInput, err := files.Open(target)
	if err != nil {
		return nil, err
	}
	defer targetInput.Close()
	s, t := newLineReader(sourceInput), newLineReader(targetInput)
	var pairs []inputPair
	for ctx.Err() == nil {
		sourceWords, sourceBad, sourceErr := s.sentence(m.SourceText.Words)
		targetWords, targetBad, targetErr := t.sentence(m.TargetText.Words)
		if sourceErr != nil || targetErr != nil {
			return pairs, endOfPairs(s, t, sourceErr, targetErr)
		}
		bad := sourceBad
		if bad == nil {
			bad = targetBad
		}
		pairs = append(pairs, inputPair{text.Pair{Source: sourceWords, Target: targetWords}, bad})
	}
	return nil, ctx.Err()
}

// sentence returns the words of the next line, or in bad the reason why it has none, with the name
// of the input and the number of the line.
func (l *lineReader) sentence(split func(line string) []string) (words []string, bad, err error) {
	line, err := l.next()
	if err != nil {
		return nil, nil, err
	}
	if bad = line.bad; bad == nil {
		words = split(line.text)
		bad = checkWords(words)
	}
	if bad != nil {
		bad = lineError(l.input.Name(), line.number, bad)
	}
	return words, bad, nil
}

// maxSentence is the largest --max-length of train: no model learns from more words.
const maxSentence = 10_000

// checkWords returns an error if the words are not a sentence.
func checkWords(words []string) error {
	if len(words) == 0 {
		return fmt.Errorf("%w, expected a sentence", text.ErrEmptyLine)
	}
	return checkMaxWords(words, maxSentence)
}

// checkMaxWords returns an error for more words than the limit.
func checkMaxWords(words []string, limit int) error {
	if len(words) > limit {
		return fmt.Errorf("%w: %d words, expected at most %d", errTooLong, len(words), limit)
	}
	return nil
}

// endOfPairs returns the error of two inputs that were read together until one of them had an error,
// such as io.EOF: nil if they have equally many lines, and not none.
func endOfPairs(source, target *lineReader, sourceErr, targetErr error) error {
	for sourceErr == nil {
		_, sourceErr = source.next()
	}
	for targetErr == nil {
		_, targetErr = target.next()
	}
	sourceLines, targetLines := source.Line(), target.Line()
	switch {
	case sourceErr != io.EOF:
		return sourceErr
	case targetErr != io.EOF:
		return targetErr
	case sourceLines == 0:
		return source.empty()
	case targetLines == 0:
		return target.empty()
	case sourceLines == targetLines:
		return nil
	}
	longer := source.input.Name()
	if targetLines > sourceLines {
		longer = target.input.Name()
	}
	return fmt.Errorf("%s:%d: %w: %s has %d, %s has %d, expected the same", longer, min(sourceLines, targetLines)+1,
		text.ErrLineCount, source.input.Name(), sourceLines, target.input.Name(), targetLines)
}

// empty returns the error for an input without lines.
func (l *lineReader) empty() error {
	return fmt.Errorf("%s: %w, expected one sentence a line", l.input.Name(), text.ErrEmptyFile)
}

// lineError adds the name of an input and the number of a line to err.
func lineError(name string, number int, err error) error {
	return fmt.Errorf("%s:%d: %w", name, number, err)
}
