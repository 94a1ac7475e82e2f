package moses

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Sentences divides a line of text into sentences by the rules of split-sentences.perl of Moses (in
// scripts/ems/support). A sentence may end between two words if the second one, after opening
// quotation marks and brackets, begins with a capital letter, and the first one ends with
//
//   - ? or ! or several full stops;
//   - ? ! or . and closing quotation marks or brackets, which may be a word of their own;
//   - a full stop, and the second word may then begin with a digit, too. It ends no sentence after
//     a nonbreaking prefix of the language, which are those of [Tokenizer] for "en", "fr", "de"
//     and English ones for other languages, nor after a capital letter or a hyphen, unless
//     quotation marks or brackets precede the capital letter.
//
// Unlike there, „ and ‚ are opening marks, and “ and ‘ are closing ones in German.
//
// No sentence is empty. Joined with spaces they are the words of the line, joined with spaces: white
// space of any kind separates words, and bytes that are not UTF-8 stay.
func Sentences(language, line string) []string {
	words := strings.Fields(line)
	if len(words) == 0 {
		return nil
	}
	s := sentences{words: words, prefixes: rulesOf(language, false).prefixes, german: language == "de"}
	var list []string
	first := 0
	for i := range words[1:] {
		if s.endsAfter(i) {
			list = append(list, strings.Join(words[first:i+1], " "))
			first = i + 1
		}
	}
	return append(list, strings.Join(words[first:], " "))
}

// sentences divides words into sentences.
type sentences struct {
	words    []string
	prefixes prefixes
	german   bool
}

// endsAfter reports whether a sentence ends after word i, which is not the last one.
func (s *sentences) endsAfter(i int) bool {
	word, next := s.words[i], s.words[i+1]
	rest := strings.TrimLeftFunc(next, isOpener)
	marked, capital := len(rest) < len(next), isUpper(firstRune(rest))
	// An opening mark may be a word of its own.
	apart := rest == "" && i+2 < len(s.words) && isUpper(firstRune(s.words[i+2]))
	switch {
	case (capital || apart) && s.closed(i):
		return true
	case !endsSentence(word):
		return false
	case capital && (marked || !strings.HasSuffix(word, ".") || strings.HasSuffix(word, "..")):
		return true
	case apart && !s.consistsOfClosers(next):
		return true
	}
	return strings.HasSuffix(word, ".") && (capital || isASCIIDigitRune(firstRune(rest))) && s.fullStop(word, next)
}

// endsSentence reports whether word ends with a mark that ends sentences.
func endsSentence(word string) bool {
	return word != "" && strings.IndexByte("?!.", word[len(word)-1]) >= 0
}

// closed reports whether closing marks at the end of word i, or word i if it consists of them,
// follow a mark that ends sentences.
func (s *sentences) closed(i int) bool {
	word := s.words[i]
	before := strings.TrimRightFunc(word, s.isCloser)
	switch {
	case before == word:
		return false
	case before == "":
		return i > 0 && endsSentence(s.words[i-1])
	}
	return endsSentence(before)
}

// fullStop reports whether the full stop at the end of word ends a sentence before next.
func (s *sentences) fullStop(word, next string) bool {
	before := strings.TrimRight(word, ".")
	if last := lastRune(before); isUpper(last) || last == '-' {
		return false
	}
	stem := strings.TrimRightFunc(before, func(r rune) bool { return r == '%' || s.isCloser(r) })
	if stem != before {
		return true
	}
	stem = word[:len(word)-1]
	numeric, listed := s.prefixes[stem[len(trimName(stem)):]]
	return !listed || numeric && !isASCIIDigitRune(firstRune(next))
}

// trimName returns word without the letters, digits, full stops and hyphens at its end.
func trimName(word string) string {
	return strings.TrimRightFunc(word, func(r rune) bool { return r == '.' || r == '-' || isAlnum(r) })
}

func (s *sentences) consistsOfClosers(word string) bool { return consistsOf(word, s.isCloser) }

// isOpener reports whether r may precede the first letter of a sentence.
func isOpener(r rune) bool {
	return strings.ContainsRune(`'"([¿¡„‚`, r) || r >= utf8.RuneSelf && unicode.Is(unicode.Pi, r)
}

// isCloser reports whether r may follow the mark that ends a sentence.
func (s *sentences) isCloser(r rune) bool {
	return strings.ContainsRune(`'")]`, r) || r >= utf8.RuneSelf && unicode.Is(unicode.Pf, r) ||
		s.german && (r == '“' || r == '‘')
}

// isUpper is Perl's \p{IsUpper}, the Unicode property Uppercase.
func isUpper(r rune) bool { return unicode.IsUpper(r) || unicode.Is(unicode.Other_Uppercase, r) }

func isASCIIDigitRune(r rune) bool { return '0' <= r && r <= '9' }
