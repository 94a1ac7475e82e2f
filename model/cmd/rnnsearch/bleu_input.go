package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/softsearch-go/softsearch/model/cmd/files"
	"github.com/softsearch-go/softsearch/model/text"
)

// bleuInput holds the files that bleu reads. All have the same number of lines.
type bleuInput struct {
	system     sentenceFile
	references []sentenceFile
	baseline   sentenceFile // empty without --baseline
	byLength   sentenceFile // empty without --by-length
}

// A sentenceFile holds the words of each line of a file.
type sentenceFile struct {
	name      string
	sentences [][]string
}

// readBLEUInput reads the files of bleu, and then the translations from stdin.
func readBLEUInput(o bleuOptions, stdin io.Reader) (in bleuInput, err error) {
	const mayBeEmpty, neverEmpty = true, false
	for _, path := range o.references {
		reference, err := openSentences(path, neverEmpty)
		if err != nil {
			return in, err
		}
		in.references = append(in.references, reference)
	}
	if o.baseline != "" {
		if in.baseline, err = openSentences(o.baseline, mayBeEmpty); err != nil {
			return in, err
		}
	}
	if o.byLength != "" {
		if in.byLength, err = openSentences(o.byLength, neverEmpty); err != nil {
			return in, err
		}
	}
	if err := checkLineCounts(append(in.references, in.baseline, in.byLength)); err != nil {
		return in, err
	}
	input := files.NewInput(files.StandardInput, stdin)
	defer input.Close()
	if in.system, err = readSentences(input, mayBeEmpty); err != nil {
		return in, err
	}
	return in, checkLineCounts([]sentenceFile{in.references[0], in.system})
}

// openSentences reads the file at path.
func openSentences(path string, mayBeEmpty bool) (sentenceFile, error) {
	in, err := files.Open(path)
	if err != nil {
		return sentenceFile{}, err
	}
	defer in.Close()
	return readSentences(in, mayBeEmpty)
}

// readSentences reads one sentence per line. An empty line is an error unless lines may be empty; no
// line is one in any case.
func readSentences(in *files.Input, mayBeEmpty bool) (sentenceFile, error) {
	f := sentenceFile{name: in.Name()}
	for lines := text.NewLineReader(in); ; {
		line, err := lines.Next()
		rejected := new(text.LineError)
		switch {
		case err == io.EOF && f.sentences == nil:
			return f, fmt.Errorf("%s: %w, expected one sentence a line", f.name, text.ErrEmptyFile)
		case err == io.EOF:
			return f, nil
		case errors.As(err, &rejected):
			return f, lineError(f.name, rejected.Line, rejected.Err)
		case errors.Is(err, text.ErrUTF8) || errors.Is(err, text.ErrLongLine):
			return f, fmt.Errorf("%s: %w", f.name, err)
		case err != nil:
			return f, err // of in, with its name
		}
		words := text.Tokens(line)
		if len(words) == 0 && !mayBeEmpty {
			return f, lineError(f.name, lines.Line(), fmt.Errorf("%w, expected a sentence", text.ErrEmptyLine))
		}
		f.sentences = append(f.sentences, words)
	}
}

// checkLineCounts returns an error for the first file that does not have as many lines as
// files[0]. It ignores empty files.
func checkLineCounts(files []sentenceFile) error {
	want := files[0]
	for _, f := range files {
		if f.sentences != nil && len(f.sentences) != len(want.sentences) {
			return fmt.Errorf("%w: %s has %d, %s has %d, expected the same",
				text.ErrLineCount, f.name, len(f.sentences), want.name, len(want.sentences))
		}
	}
	return nil
}
