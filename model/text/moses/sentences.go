package moses

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Sentences divides a line of text into sentences. Each is a substring of line without white space at its
// ends. Only white space lies between them, before the first and after the last.
//
// The rules come from split-sentences.perl of Moses (in scripts/ems/support). A sentence may end between
// two words if the second one, after opening quotation marks and brackets, begins with a capital letter, and
// the first one ends with
//
//   - ? or ! or several full stops;
//   - ? ! or . and closing quotation marks or brackets, which may be a word of their own;
//   - a full stop, and the second word may then begin with a digit, too. It ends no sentence after a
//     nonbreaking prefix of the language (Mr., No. 5): those of [Tokenizer], and English ones for languages
//     other than "en", "fr" and "de".
//
// Unlike there, „ and ‚ are opening marks, and “ and ‘ are closing ones in German; marks after a nonbreaking
// prefix change nothing (Dr. “No”); Sentences knows a few more prefixes (Fig. 3, Mme. Curie, Abb. 3); and
//
//   - initials (J., F.B.I., Ph.D.) and prefixes that may be last (Jan., etc.) end a sentence only before a word
//     that often begins one (“The U.S. Senate left the U.S. The House stayed.”), and never as its first word;
//   - other words in capitals end one (NASA.);
//   - p.m. ends none before a day, a month or a time zone (“It ended at 6 p.m. Monday.”), unless a verb like was
//     follows that (“It ended at 6 p.m. Monday was free.”).
func Sentences(language, line string) []string {
	s := sentences{words: strings.Fields(line), prefixes: rulesOf(language).prefixes, idiom: idioms[language], german: language == "de"}
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
	case !endsSentence(word) || consistsOf(next, s.isCloser):
		return false
	case capital && (!strings.HasSuffix(word, ".") || strings.HasSuffix(word, "..")):
		return true
	}
	return (capital || isASCIIDigitRune(firstRune(begin))) && strings.HasSuffix(word, ".") && s.fullStop(i, begin)
}

// endsSentence reports whether word ends with a mark that ends sentences.
func endsSentence(word string) bool { return strings.ContainsRune("?!.", lastRune(word)) }

// closed reports whether closing marks at the end of word i, or word i if it consists of them,
// follow a mark that ends sentences.
func (s *sentences) closed(i int) bool {
	before := strings.TrimRightFunc(s.words[i], s.isCloser)
	if before == "" && i > 0 {
		return endsSentence(s.words[i-1])
	}
	return before != s.words[i] && endsSentence(before)
}

// fullStop reports whether the full stop at the end of word i ends a sentence before begin.
func (s *sentences) fullStop(i int, begin string) bool {
	stem := strings.TrimSuffix(s.words[i], ".")
	before := strings.TrimRightFunc(stem, func(r rune) bool { return r == '.' || r == '-' || isAlnum(r) })
	stem = stem[len(before):] // empty after a percent sign or a closing mark
	numeric, listed := s.prefixes[stem]
	if !listed {
		numeric, listed = s.idiom.prefixes[stem]
	}
	initials := isUpper(lastRune(stem)) && strings.HasSuffix("."+stem, "."+string(lastRune(stem)))
	switch half := strings.TrimLeft(stem, "0123456789.:"); {
	case half == "a.m" || half == "p.m":
		return !s.idiom.dates[strings.TrimRight(begin, ".,;:")] || i+2 < len(s.words) && s.idiom.verbs[s.words[i+2]]
	case s.idiom.last[stem] || !listed && initials:
		opener, _, _ := strings.Cut(strings.ReplaceAll(begin, "’", "'"), "'")
		return i > s.first && s.idiom.openers[strings.TrimRight(opener, ",")]
	case numeric:
		return !isASCIIDigitRune(firstRune(begin))
	}
	return !listed && !strings.Contains(stem, ".-") // J.-M. Le Clézio
}

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
