package text

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Ids common to all vocabularies.
const (
	EOS int32 = iota // end of a sentence
	UNK              // a word outside the vocabulary
)

// Words of EOS and UNK.
const (
	eosWord = "</s>"
	unkWord = "<unk>"
)

// A Vocabulary assigns consecutive ids to words, from 0. It is immutable and safe for concurrent
// use.
type Vocabulary struct {
	words []string
	ids   map[string]int32 // without the words of EOS and UNK
}

// NewVocabulary returns the vocabulary of EOS, UNK and the size-2 most frequent words of the
// sentences, sorted by descending frequency, then by their bytes. It has fewer entries if the
// sentences have fewer different words. The words "</s>" and "<unk>" are ignored. NewVocabulary
// returns an error if size is below 3, the sentences have no words, or [VocabularyOf] rejects one
// of the selected words. It panics if sentences is nil.
func NewVocabulary(sentences iter.Seq[[]string], size int) (*Vocabulary, error) {
	if sentences == nil {
		panic("text: NewVocabulary: nil sentences")
	}
	return VocabularyOfCounts(count(sentences), size)
}

// VocabularyOfCounts is [NewVocabulary] for sentences in which the words occur that often.
func VocabularyOfCounts(counts map[string]int, size int) (*Vocabulary, error) {
	const specials = 2 // EOS and UNK
	if size <= specials {
		return nil, fmt.Errorf("vocabulary size %d: expected at least %d, as %s and %s count",
			size, specials+1, eosWord, unkWord)
	}
	words := make([]string, 0, specials+len(counts))
	for word := range counts {
		if word != eosWord && word != unkWord {
			words = append(words, word)
		}
	}
	slices.SortFunc(words, func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), strings.Compare(a, b))
	})
	shortlist := words[:min(len(words), size-specials)]
	return VocabularyOf(slices.Insert(shortlist, 0, eosWord, unkWord))
}

// count returns the number of occurrences of each word. It copies the words, so that they do not keep
// whole lines in memory.
func count(sentences iter.Seq[[]string]) map[string]int {
	counts := make(map[string]int)
	for sentence := range sentences {
		for _, word := range sentence {
			if n, ok := counts[word]; ok {
				counts[word] = n + 1
			} else {
				counts[strings.Clone(word)] = 1
			}
		}
	}
	return counts
}

// VocabularyOf returns the vocabulary whose [Vocabulary.Words] are words. It returns an error unless
// words starts with "</s>" and "<unk>" and has at least one more word, and if a word is repeated,
// empty, not UTF-8 or contains ASCII white space.
func VocabularyOf(words []string) (*Vocabulary, error) {
	if len(words) <= int(UNK)+1 {
		return nil, fmt.Errorf("vocabulary of %d words: expected %s, %s and at least one word",
			len(words), eosWord, unkWord)
	}
	if words[EOS] != eosWord || words[UNK] != unkWord {
		return nil, fmt.Errorf("vocabulary begins with %.80q, %.80q: expected %q, %q",
			words[EOS], words[UNK], eosWord, unkWord)
	}
	v := &Vocabulary{words: slices.Clone(words), ids: make(map[string]int32, len(words))}
	for id := int(UNK) + 1; id < len(words); id++ {
		word := words[id]
		if err := checkWord(word); err != nil {
			return nil, fmt.Errorf("vocabulary word %d: %w", id, err)
		}
		if first, ok := v.ids[word]; ok {
			return nil, fmt.Errorf("vocabulary word %d: %.80q is word %d already", id, word, first)
		}
		v.ids[word] = int32(id)
	}
	return v, nil
}

// checkWord returns an error if word cannot occur in a line of text or is "</s>" or "<unk>".
func checkWord(word string) error {
	switch {
	case word == "":
		return fmt.Errorf("%q: expected a word", word)
	case !utf8.ValidString(word):
		return fmt.Errorf("%.80q: %w", word, ErrUTF8)
	case strings.ContainsFunc(word, isASCIISpace):
		return fmt.Errorf("%.80q: expected no white space", word)
	case word == eosWord || word == unkWord:
		return fmt.Errorf("%q: expected at the beginning only", word)
	}
	return nil
}

// Size returns the number of entries, including EOS and UNK.
func (v *Vocabulary) Size() int { return len(v.words) }

// ID returns the id of a word. It is UNK for a word outside the vocabulary, for "<unk>", and also
// for "</s>".
func (v *Vocabulary) ID(word string) int32 {
	if id, ok := v.ids[word]; ok {
		return id
	}
	return UNK
}

// Word returns the word of an id: "</s>" for EOS, and "<unk>" for UNK and for any id outside the
// vocabulary.
func (v *Vocabulary) Word(id int32) string {
	if id < 0 || int(id) >= len(v.words) {
		return unkWord
	}
	return v.words[id]
}

// Words returns a copy of the words in the order of their ids, starting with "</s>" and "<unk>".
func (v *Vocabulary) Words() []string { return slices.Clone(v.words) }

// Encode returns the ids of the words, followed by EOS.
func (v *Vocabulary) Encode(words []string) []int32 {
	ids := make([]int32, len(words)+1)
	for i, word := range words {
		ids[i] = v.ID(word)
	}
	ids[len(words)] = EOS
	return ids
}

// Decode returns the words of the ids up to, and without, the first EOS.
func (v *Vocabulary) Decode(ids []int32) []string {
	if end := slices.Index(ids, EOS); end >= 0 {
		ids = ids[:end]
	}
	words := make([]string, len(ids))
	for i, id := range ids {
		words[i] = v.Word(id)
	}
	return words
}

// WriteTo writes the words, one a line in the order of their ids, starting with "</s>" and "<unk>".
// If a word is longer than [MaxLine], WriteTo returns an error and writes nothing. It panics if w is nil.
func (v *Vocabulary) WriteTo(w io.Writer) (int64, error) {
	if w == nil {
		panic("text: WriteTo: nil writer")
	}
	var file bytes.Buffer
	for id, word := range v.words {
		if len(word) > MaxLine {
			return 0, fmt.Errorf("vocabulary word %d: %.80q: %w", id, word, ErrLongLine)
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
// A word has the number of its line as id, with one exception: "</s>" and "<unk>" come first wherever they
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
			return nil, err
		}
		word, err := vocabularyWord(line)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", lines.Line(), err)
		}
		if first, ok := seen[word]; ok {
			return nil, fmt.Errorf("line %d: %.80q is on line %d already", lines.Line(), word, first)
		}
		seen[word] = lines.Line()
		if word != eosWord && word != unkWord {
			words = append(words, word)
		}
	}
}

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
