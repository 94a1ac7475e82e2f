package moses

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Sentences divides a line of text into sentences. Each is a substring of line without white space at its
// ends. Only white space lies between them, before the first and after the last.
//
// The rules are those of split-sentences.perl of Moses (in scripts/ems/support). A sentence may end between
// two words if the second one, after opening quotation marks and brackets, begins with a capital letter, and
// the first one ends with
//
//   - ? or ! or several full stops;
//   - ? ! or . and closing quotation marks or brackets, which may be a word of their own;
//   - a full stop, and the second word may then begin with a digit, too.
//
// A full stop ends no sentence after a nonbreaking prefix of the language, which are those of [Tokenizer]
// for "en", "fr", "de" and English ones for other languages. Unlike in the script,
//
//   - „ and ‚ are opening marks, and “ and ‘ are closing ones in German;
//   - quotation marks and brackets after a nonbreaking prefix do not end its sentence (Dr. “No”);
//   - initials (J., F.B.I., Ph.D.) and prefixes that may be last (Jan., etc.) end one only before a word that
//     often begins one, such as The or She, and never as its first word: “the U.S. Senate” is one sentence,
//     “He left the U.S. She stayed.” two. In other languages they end none;
//   - other words in capitals (NASA.) end one;
//   - the English 6 p.m. goes on with a day, a month or a time zone (6 p.m. Monday), unless a verb like was
//     follows that (It ended at 9 a.m. Monday was a holiday.);
//   - a few abbreviations more are nonbreaking (Fig. 3, Mt. Etna; Mme. Curie; Abb. 3).
func Sentences(language, line string) []string {
	s := sentences{
		words: strings.Fields(line), prefixes: rulesOf(language, false).prefixes, idiom: idioms[language], german: language == "de",
	}
	var list []string
	from, end := 0, 0 // bytes of the sentence
	for i, word := range s.words {
		end = len(line) - len(strings.TrimLeftFunc(line[end:], unicode.IsSpace)) + len(word)
		if i+1 == len(s.words) || s.endsAfter(i) {
			list = append(list, strings.TrimSpace(line[from:end]))
			from, s.first = end, i+1
		}
	}
	return list
}

// sentences divides words into sentences.
type sentences struct {
	words    []string
	first    int // word of the sentence
	prefixes prefixes
	idiom    idiom
	german   bool
}

// endsAfter reports whether a sentence ends after word i, which is not the last one.
func (s *sentences) endsAfter(i int) bool {
	word, next := s.words[i], s.words[i+1]
	begin := strings.TrimLeftFunc(next, isOpener)
	if begin == "" && i+2 < len(s.words) && isUpper(firstRune(s.words[i+2])) { // an opening mark is a word of its own
		begin = s.words[i+2]
	}
	capital := isUpper(firstRune(begin))
	switch {
	case capital && s.closed(i):
		return true
	case !endsSentence(word) || s.consistsOfClosers(next):
		return false
	case capital && (!strings.HasSuffix(word, ".") || strings.HasSuffix(word, "..")):
		return true
	}
	return (capital || isASCIIDigitRune(firstRune(begin))) && strings.HasSuffix(word, ".") && s.fullStop(i, begin)
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

// fullStop reports whether the full stop at the end of word i ends a sentence before begin.
func (s *sentences) fullStop(i int, begin string) bool {
	stem := strings.TrimSuffix(s.words[i], ".")
	stem = stem[len(trimName(stem)):]
	if stem == "" { // a percent sign or a closing mark
		return true
	}
	numeric, listed := s.prefixes[stem]
	if only, more := s.idiom.prefixes[stem]; more {
		numeric, listed = only, true
	}
	switch {
	case s.isTime(i, stem):
		return !s.idiom.dates[strings.TrimRight(begin, ".,;:")] || i+2 < len(s.words) && s.idiom.verbs[s.words[i+2]]
	case s.idiom.last[stem] || !listed && isInitials(stem):
		return i > s.first && s.opens(begin)
	case !listed && strings.Contains(stem, ".-"): // J.-M. Le Clézio
		return false
	}
	return !listed || numeric && !isASCIIDigitRune(firstRune(begin))
}

// isTime reports whether word i is the end of an English time such as 6 p.m. Its stem lacks the full stop.
func (s *sentences) isTime(i int, stem string) bool {
	half := strings.TrimLeft(stem, "0123456789.:")
	clock := len(half) < len(stem) || i > 0 && isASCIIDigitRune(firstRune(s.words[i-1]))
	return clock && s.idiom.dates != nil && (strings.EqualFold(half, "a.m") || strings.EqualFold(half, "p.m"))
}

// isInitials reports whether a word ends with a capital letter alone or after a full stop.
func isInitials(stem string) bool {
	last := lastRune(stem)
	head := strings.TrimSuffix(stem, string(last))
	return isUpper(last) && (head == "" || strings.HasSuffix(head, "."))
}

// opens reports whether a word, up to its apostrophe, often begins a sentence.
func (s *sentences) opens(word string) bool {
	if at := strings.IndexAny(word, "'’"); at > 0 {
		word = word[:at]
	}
	return s.idiom.openers[strings.TrimRight(word, ",")]
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
