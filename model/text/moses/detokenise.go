package moses

import (
	"strings"
	"unicode"
)

// Detokenize joins words to a line of text as Moses does. It undoes what [Tokenizer.Tokenize]
// does with Escape and SplitHyphens, and leaves a space between words except
//
//   - after opening brackets, currency signs, ¿ and ¡, and before closing brackets and
//     , . ? ! : ; % \ (a French ? ! : ; % or \ alone keeps its space);
//   - before an apostrophe that begins a word and follows one, in English (don 't is don't),
//     and after one that ends a word and precedes one, in French (l' homme is l'homme);
//   - inside quotation marks, of which each kind opens and closes in turn. An English ' after
//     a word in s belongs to that word if no ' is open;
//   - between words that are Chinese, Japanese or Korean.
//
// The line neither begins nor ends with a space and has no two in succession. A word with
// a space in it counts as several.
func Detokenize(language string, words []string) string {
	line := valid(" " + strings.Join(words, " ") + " ")
	line = unescapes.Replace(strings.ReplaceAll(line, " @-@ ", "-"))
	j := joiner{
		language: language,
		words:    strings.Split(strings.Trim(line, " "), " "),
		space:    true,
		open:     make(map[string]bool),
	}
	j.line.Grow(len(line))
	for i := range j.words {
		j.join(i)
	}
	return oneSpace(strings.Trim(j.line.String(), " "))
}

// A joiner makes a line of words.
type joiner struct {
	language string
	words    []string
	line     strings.Builder
	space    bool            // one goes before the next word
	open     map[string]bool // the quotation marks of which one more must follow
}

// join writes the word i.
func (j *joiner) join(i int) {
	word, before, after := j.words[i], "", ""
	if i > 0 {
		before = j.words[i-1]
	}
	if i+1 < len(j.words) {
		after = j.words[i+1]
	}
	switch {
	case isCJK(firstRune(word)):
		j.write(word, !isCJK(lastRune(before)), true)
	case consists(word, isOpening):
		j.write(word, true, false)
	case consists(word, isClosing):
		j.closing(word)
	case j.contraction(word) && isAlnum(lastRune(before)):
		j.write(word, false, true)
	case j.elision(word) && isAlpha(firstRune(after)):
		j.write(word, true, false)
	case consists(word, isQuote):
		j.quote(word, before)
	default:
		j.write(word, true, true)
	}
}

// write writes a word. A space stands between two words that both allow it there: before and
// after say whether this one does.
func (j *joiner) write(word string, before, after bool) {
	if before && j.space {
		j.line.WriteByte(' ')
	}
	j.line.WriteString(word)
	j.space = after
}

// contraction reports whether an apostrophe and a letter begin an English word.
func (j *joiner) contraction(word string) bool {
	rest, found := strings.CutPrefix(word, "'")
	return found && j.language == "en" && isAlpha(firstRune(rest))
}

// elision reports whether a letter and an apostrophe end a French word.
func (j *joiner) elision(word string) bool {
	rest, found := strings.CutSuffix(word, "'")
	return found && j.language == "fr" && isAlpha(lastRune(rest))
}

// closing writes closing brackets and punctuation.
func (j *joiner) closing(word string) {
	if j.language == "fr" && len(word) == 1 && strings.Contains(`?!:;%\`, word) {
		j.line.WriteByte(' ')
	}
	j.write(word, false, true)
}

// quote writes a quotation mark. The German and English ones that look like two commas or
// apostrophes count as one kind, the straight one.
func (j *joiner) quote(word, before string) {
	kind := word
	if consists(word, func(r rune) bool { return r == '„' || r == '“' }) {
		kind = `"`
	}
	switch {
	case j.open[kind]:
		j.open[kind] = false
		j.write(word, false, true)
	case j.language == "en" && word == "'" && strings.HasSuffix(before, "s"):
		j.write(word, false, true)
	default:
		j.open[kind] = true
		j.write(word, true, false)
	}
}

// consists reports whether a word has characters of one class only.
func consists(word string, class func(rune) bool) bool {
	return word != "" && !strings.ContainsFunc(word, func(r rune) bool { return !class(r) })
}

func isOpening(r rune) bool { return unicode.Is(unicode.Sc, r) || strings.ContainsRune("([{¿¡", r) }

func isClosing(r rune) bool { return strings.ContainsRune(`,.?!:;\%}])`, r) }

func isQuote(r rune) bool { return strings.ContainsRune("'\"„“`", r) }
