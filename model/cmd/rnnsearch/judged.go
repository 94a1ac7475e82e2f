package main

import (
	"fmt"
	"io"
	"os"

	"github.com/softsearch-go/softsearch/model/text"
)

// A sentenceFile holds the words of each line of a file.
type sentenceFile struct {
	name      string
	sentences [][]string
}

// judged holds what bleu reads.
type judged struct {
	references []sentenceFile
	baseline   sentenceFile // without sentences if there is none
	measured   sentenceFile // the file of --by-length, without sentences if there is none
	system     sentenceFile
}

// readJudged reads the files of bleu and the translations on stdin, all of which must have the
// same number of lines.
func readJudged(o judgeOptions, stdin io.Reader) (in judged, err error) {
	for _, path := range o.references {
		reference, err := readSentences(path)
		if err != nil {
			return in, err
		}
		in.references = append(in.references, reference)
	}
	if o.baseline != "" {
		if in.baseline, err = readTranslationFile(o.baseline); err != nil {
			return in, err
		}
	}
	if o.byLength != "" {
		if in.measured, err = readSentences(o.byLength); err != nil {
			return in, err
		}
	}
	if err := sameLines(append(in.references, in.baseline, in.measured)); err != nil {
		return in, err
	}
	if in.system, err = readTranslations(standardInput, stdin); err != nil {
		return in, err
	}
	return in, sameLines([]sentenceFile{in.references[0], in.system})
}

// sameLines returns an error if a file has not as many lines as the first one. Files that have
// not been read do not count.
func sameLines(files []sentenceFile) error {
	want := files[0]
	for _, f := range files {
		if f.sentences != nil && len(f.sentences) != len(want.sentences) {
			return fmt.Errorf("%w: %s has %d, %s has %d, expected the same",
				text.ErrLineCount, f.name, len(f.sentences), want.name, len(want.sentences))
		}
	}
	return nil
}

// readSentences reads a file without empty lines.
func readSentences(path string) (sentenceFile, error) {
	sentences, err := text.ReadSentences(path)
	return sentenceFile{path, sentences}, err
}

// readTranslationFile reads a file of translations.
func readTranslationFile(path string) (sentenceFile, error) {
	f, err := os.Open(path)
	if err != nil {
		return sentenceFile{}, err
	}
	defer f.Close()
	return readTranslations(path, f)
}

// readTranslations reads translations, a line each, some of which may be empty.
func readTranslations(name string, r io.Reader) (sentenceFile, error) {
	f := sentenceFile{name: name}
	for in := newLineReader(name, r); ; {
		words, err := in.next()
		switch {
		case err == io.EOF && f.sentences == nil:
			return f, fmt.Errorf("%s: %w, expected one sentence a line", name, text.ErrEmptyFile)
		case err == io.EOF:
			return f, nil
		case err != nil:
			return f, err
		}
		f.sentences = append(f.sentences, words)
	}
}
