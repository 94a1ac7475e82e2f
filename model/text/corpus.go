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
func Tokens(line string) []string {
	return strings.FieldsFunc(line, isASCIISpace)
}

func isASCIISpace(r rune) bool { return r == ' ' || '\t' <= r && r <= '\r' }

// ReadSentences reads a file with one sentence per line. Lines end with LF or CRLF, which the last
// one may lack, and may have any length. Errors name the file and the line, and wrap
// [ErrEmptyFile], [ErrEmptyLine] (also for a line of white space) or [ErrUTF8].
func ReadSentences(path string) ([][]string, error) { return ReadSentencesFunc(path, Tokens) }

// ReadSentencesFunc is [ReadSentences] with a function that splits a line, without its end, into
// words. A line without words is an empty line.
func ReadSentencesFunc(path string, split func(line string) []string) ([][]string, error) {
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
		words, err := sentence(strings.TrimRight(line, "\r\n"), split)
		if err != nil {
			return nil, fmt.Errorf("text: %s:%d: %w", path, len(sentences)+1, err)
		}
		sentences = append(sentences, words)
	}
	if len(sentences) == 0 {
		return nil, fmt.Errorf("text: %s: %w, expected one sentence a line", path, ErrEmptyFile)
	}
	return sentences, nil
}

// sentence checks a line and returns its words.
func sentence(line string, split func(line string) []string) ([]string, error) {
	if !utf8.ValidString(line) {
		return nil, ErrUTF8
	}
	words := split(line)
	if len(words) == 0 {
		return nil, fmt.Errorf("%w, expected a sentence", ErrEmptyLine)
	}
	return words, nil
}

// ReadParallel reads two files in which each line of one translates the same line of the other. Its
// errors are those of [ReadSentences] and, if the numbers of lines differ, one that wraps
// [ErrLineCount].
func ReadParallel(sourcePath, targetPath string) ([]Pair, error) {
	return ReadParallelFunc(sourcePath, targetPath, Tokens, Tokens)
}

// ReadParallelFunc is [ReadParallel] with a function for each language that splits a line into
// words, as in [ReadSentencesFunc].
func ReadParallelFunc(sourcePath, targetPath string, splitSource, splitTarget func(line string) []string) ([]Pair, error) {
	source, err := ReadSentencesFunc(sourcePath, splitSource)
	if err != nil {
		return nil, err
	}
	target, err := ReadSentencesFunc(targetPath, splitTarget)
	if err != nil {
		return nil, err
	}
	if len(source) != len(target) {
		return nil, lineCountError(sourcePath, targetPath, len(source), len(target))
	}
	pairs := make([]Pair, len(source))
	for i := range pairs {
		pairs[i] = Pair{source[i], target[i]}
	}
	return pairs, nil
}

// lineCountError returns an error that names the first line without a translation.
func lineCountError(sourcePath, targetPath string, source, target int) error {
	longer := sourcePath
	if target > source {
		longer = targetPath
	}
	return fmt.Errorf("text: %s:%d: %w: %s has %d, %s has %d, expected the same",
		longer, min(source, target)+1, ErrLineCount, sourcePath, source, targetPath, target)
}

// LimitLength returns the pairs with at most limit words on either side, in their order, and the
// number of other pairs. The end of a sentence does not count as a word. LimitLength does not
// modify pairs.
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
