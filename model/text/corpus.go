package text

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"strings"
	"unicode/utf8"
)

// What can be wrong with a corpus.
var (
	ErrLineCount = errors.New("unequal numbers of lines")
	ErrUTF8      = errors.New("invalid UTF-8")
	ErrEmptyFile = errors.New("empty file")
	ErrEmptyLine = errors.New("empty line")
)

// A Pair is a sentence and its translation, in words.
type Pair struct{ Source, Target []string }

// Tokens returns the words of a line: what is between the ASCII white space, which is the
// space, the tab, and the characters that end a line or a page. Other spaces, such as
// U+00A0, are part of the words. The words share the memory of line.
func Tokens(line string) []string {
	return strings.FieldsFunc(line, separates)
}

// separates reports whether r is ASCII white space.
func separates(r rune) bool {
	return r == ' ' || '\t' <= r && r <= '\r'
}

// ReadSentences reads a file of one sentence a line. Lines end with LF or CRLF, the last
// one also with the file, and may have any length. Errors name the file and the line, and
// wrap [ErrEmptyFile], [ErrEmptyLine] (a line of white space only) or [ErrUTF8].
func ReadSentences(path string) ([][]string, error) { return ReadSentencesFunc(path, Tokens) }

// ReadSentencesFunc is [ReadSentences] of text whose words a function finds in a line, which
// it gets without the end. A line without words is an empty line.
func ReadSentencesFunc(path string, words func(line string) []string) ([][]string, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("text: %w", err)
	}
	defer f.Close()
	var sentences [][]string
	r := bufio.NewReaderSize(f, 1<<16)
	for {
		line, err := r.ReadString('\n')
		if err != nil && err != io.EOF {
			return nil, fmt.Errorf("text: %w", err)
		}
		if line == "" {
			break
		}
		found, err := sentence(strings.TrimRight(line, "\r\n"), words)
		if err != nil {
			return nil, fmt.Errorf("text: %s:%d: %w", path, len(sentences)+1, err)
		}
		sentences = append(sentences, found)
	}
	if len(sentences) == 0 {
		return nil, fmt.Errorf("text: %s: %w, expected one sentence a line", path, ErrEmptyFile)
	}
	return sentences, nil
}

// sentence checks a line and returns its words.
func sentence(line string, words func(line string) []string) ([]string, error) {
	if !utf8.ValidString(line) {
		return nil, ErrUTF8
	}
	found := words(line)
	if len(found) == 0 {
		return nil, fmt.Errorf("%w, expected a sentence", ErrEmptyLine)
	}
	return found, nil
}

// ReadParallel reads two files of which each line of one translates that line of the other.
// Beyond the errors of [ReadSentences], it returns one that wraps [ErrLineCount] if one
// file has more lines.
func ReadParallel(sourcePath, targetPath string) ([]Pair, error) {
	return ReadParallelFunc(sourcePath, targetPath, Tokens, Tokens)
}

// ReadParallelFunc is [ReadParallel] of text whose words a function for each language finds, as
// in [ReadSentencesFunc].
func ReadParallelFunc(sourcePath, targetPath string, sourceWords, targetWords func(line string) []string) ([]Pair, error) {
	source, err := ReadSentencesFunc(sourcePath, sourceWords)
	if err != nil {
		return nil, err
	}
	target, err := ReadSentencesFunc(targetPath, targetWords)
	if err != nil {
		return nil, err
	}
	if len(source) != len(target) {
		return nil, lineCount(sourcePath, targetPath, len(source), len(target))
	}
	pairs := make([]Pair, len(source))
	for i := range pairs {
		pairs[i] = Pair{source[i], target[i]}
	}
	return pairs, nil
}

// lineCount names the first line without a translation.
func lineCount(sourcePath, targetPath string, source, target int) error {
	longer := sourcePath
	if target > source {
		longer = targetPath
	}
	return fmt.Errorf("text: %s:%d: %w: %s has %d, %s has %d, expected the same",
		longer, min(source, target)+1, ErrLineCount, sourcePath, source, targetPath, target)
}

// LimitLength returns the pairs of which neither side has more than limit words, in their
// order, and the number of the others. The end of the sentence is not counted as a word.
// It leaves pairs as it is.
func LimitLength(pairs []Pair, limit int) (kept []Pair, dropped int) {
	for _, p := range pairs {
		if max(len(p.Source), len(p.Target)) <= limit {
			kept = append(kept, p)
		}
	}
	return kept, len(pairs) - len(kept)
}

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
