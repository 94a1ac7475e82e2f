package text

import (
	"errors"
	"iter"
	"strings"
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
