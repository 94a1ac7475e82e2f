package translation

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/cmd/files"
	"github.com/softsearch-go/softsearch/model/text"
)

// A Pair is a line of each of two parallel inputs.
type Pair struct {
	text.Pair
	Bad error // why the pair cannot be used, with the input and the line; nil for a usable one
}

// ReadPairs reads a file of source sentences and one of target sentences in the text of m, which
// must have equally many lines, unless ctx ends before.
func ReadPairs(ctx context.Context, m *model.Model, source, target string) ([]Pair, error) {
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
	s, t := files.NewLines(sourceInput), files.NewLines(targetInput)
	var pairs []Pair
	for ctx.Err() == nil {
		sourceWords, sourceBad, sourceErr := nextSentence(s, source, m.SourceText.Words)
		targetWords, targetBad, targetErr := nextSentence(t, target, m.TargetText.Words)
		if sourceErr != nil || targetErr != nil {
			return pairs, endOfPairs(s, t, source, target, sourceErr, targetErr)
		}
		pairs = append(pairs, Pair{text.Pair{Source: sourceWords, Target: targetWords}, cmp.Or(sourceBad, targetBad)})
	}
	return nil, ctx.Err()
}

// nextSentence returns the words of the next line, or in bad the reason why it has none, with the name
// of the input and the number of the line.
func nextSentence(in *files.Lines, name string, split func(line string) []string) (words []string, bad, err error) {
	line, err := in.Next()
	if err != nil {
		return nil, nil, err
	}
	if bad = line.Bad; bad == nil {
		words = split(line.Text)
		if bad = CheckLength(words, MaxSentence); len(words) == 0 {
			bad = fmt.Errorf("%w, expected a sentence", text.ErrEmptyLine)
		}
	}
	if bad != nil {
		bad = files.LineError(name, line.Number, bad)
	}
	return words, bad, nil
}

// MaxSentence is the largest --max-length of train: no model learns from more words.
const MaxSentence = 10_000

// ErrTooLong is the error for a sentence of too many words.
var ErrTooLong = errors.New("sentence too long")

// CheckLength returns an error for more words than the limit.
func CheckLength(words []string, limit int) error {
	if len(words) > limit {
		return fmt.Errorf("%w: %d words, expected at most %d", ErrTooLong, len(words), limit)
	}
	return nil
}

// endOfPairs returns the error of two inputs that were read together until one of them had an error,
// such as io.EOF: nil if they have equally many lines, and not none.
func endOfPairs(source, target *files.Lines, sourceName, targetName string, sourceErr, targetErr error) error {
	for sourceErr == nil {
		_, sourceErr = source.Next()
	}
	for targetErr == nil {
		_, targetErr = target.Next()
	}
	sourceLines, targetLines := source.Number(), target.Number()
	switch {
	case sourceErr != io.EOF:
		return sourceErr
	case targetErr != io.EOF:
		return targetErr
	case sourceLines == 0:
		return source.Empty()
	case targetLines == 0:
		return target.Empty()
	case sourceLines == targetLines:
		return nil
	}
	longer := sourceName
	if targetLines > sourceLines {
		longer = targetName
	}
	return fmt.Errorf("%s:%d: %w: %s has %d, %s has %d, expected the same", longer, min(sourceLines, targetLines)+1,
		text.ErrLineCount, sourceName, sourceLines, targetName, targetLines)
}
