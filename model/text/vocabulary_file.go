package text

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// WriteTo writes the words, one a line in the order of their ids, starting with "</s>" and "<unk>".
// If a word is longer than [MaxLine], WriteTo returns an error and writes nothing.
func (v *Vocabulary) WriteTo(w io.Writer) (int64, error) {
	var file bytes.Buffer
	for id, word := range v.words {
		if len(word) > MaxLine {
			return 0, fmt.Errorf("text: vocabulary word %d: %.80q: %w", id, word, ErrLongLine)
		}
		file.WriteString(word)
		file.WriteByte('\n')
	}
	return file.WriteTo(w)
}

// ReadVocabulary reads a vocabulary of one word a line, as a [LineReader] does: a file of
// [Vocabulary.WriteTo], of subword-nmt's get-vocab, in which a space and a count follow each word,
// or of SentencePiece, in which a tab and a score do. Such numbers are ignored.
//
// The ids are those of the lines, with one exception: "</s>" and "<unk>" come first wherever they
// stand, and even if they are missing. The other symbols of other programs, such as "<s>" and
// "<pad>", are words.
//
// Errors name the first line that is empty, has white space other than one space or tab before a
// number, repeats a word, is not UTF-8 (they wrap [ErrUTF8]) or is longer than MaxLine
// ([ErrLongLine]). A file without words is an error, too, and so is a vocabulary of Marian in YAML.
func ReadVocabulary(r io.Reader) (*Vocabulary, error) {
	words := []string{eosWord, unkWord}
	seen := make(map[string]int) // lines of the words
	for lines := NewLineReader(r); ; {
		line, err := lines.Next()
		if err == io.EOF {
			return VocabularyOf(words)
		}
		if err != nil {
			return nil, fmt.Errorf("text: %w", err)
		}
		word, err := vocabularyWord(line)
		if err != nil {
			return nil, fmt.Errorf("text: line %d: %w", lines.Line(), err)
		}
		if first, ok := seen[word]; ok {
			return nil, fmt.Errorf("text: line %d: %.80q is on line %d already", lines.Line(), word, first)
		}
		seen[word] = lines.Line()
		if word != eosWord && word != unkWord {
			words = append(words, word)
		}
	}
}

// vocabularyWord returns the word of a line.
func vocabularyWord(line string) (string, error) {
	if line == "" {
		return "", fmt.Errorf("%w, expected a word", ErrEmptyLine)
	}
	word, number := line, "0"
	if i := strings.IndexAny(line, " \t"); i >= 0 {
		word, number = strings.Clone(line[:i]), line[i+1:]
	}
	switch {
	case word == "" || strings.ContainsFunc(word, isASCIISpace) || !isNumber(number):
		return "", fmt.Errorf("%.80q: expected a word, or a word and a number", line)
	case word == eosWord+":" || word == `"`+eosWord+`":`: // every word would end with a colon
		return "", fmt.Errorf("%.80q: expected a word, or a word and a number, not YAML", line)
	}
	return word, nil
}

// isNumber reports whether s is a number in decimal digits.
func isNumber(s string) bool {
	if strings.Trim(s, "+-.0123456789eE") != "" {
		return false // such as inf
	}
	_, err := strconv.ParseFloat(s, 64)
	return err == nil || errors.Is(err, strconv.ErrRange)
}
