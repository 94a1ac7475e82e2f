package moses

import (
	"strings"
	"unicode"
)

// A Detokenizer joins words into lines. The zero value has the rules for unknown languages.
type Detokenizer struct {
	Language string // "en", "fr" or "de"
}

// Detokenize joins words into a line of text like Moses. It reverses the escapes of the
// scripts and @-@ for a hyphen, and puts a space between words, except
//
//   - after opening brackets, currency signs, ¿ and ¡, and before closing brackets and
//     , . ? ! : ; % \ (a French ? ! : ; % or \ alone keeps its space);
//   - in English, before a word that begins with an apostrophe and follows another word
//     (don 't becomes don't);
//   - in French, after a word that ends with an apostrophe and precedes another word (l' homme
//     becomes l'homme);
//   - inside quotation marks. Marks of each kind open and close alternately. If no ' is open, an
//     English ' after a word in s belongs to that word;
//   - between Chinese, Japanese or Korean words.
//
// The line has no space at its ends and no two spaces in a row. A word that contains a space
// counts as several.
func (d Detokenizer) Detokenize(words []string) string {
	line := toValidUTF8(strings.Join(words, " "))
	line = unescapes.Replace(strings.ReplaceAll(" "+line+" ", " @-@ ", "-"))
	j := joiner{
		Detokenizer: d,
		words:       strings.Split(strings.Trim(line, " "), " "),
		space:       true,
		open:        make(map[string]bool),
	}
	j.line.Grow(len(line))
	for i := range j.words {
		j.join(i)
	}
	return oneSpace(strings.Trim(j.line.String(), " "))
}

// A joiner joins words into a line.
type joiner struct {
	Detokenizer
	words []string
	line  strings.Builder
	space bool            // whether a space may precede the next word
	open  map[string]bool // quotation marks that are open
}

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
	case consistsOf(word, isOpening):
		j.write(word, true, false)
	case consistsOf(word, isClosing):
		j.closing(word)
	case j.contraction(word) && isAlnum(lastRune(before)):
		j.write(word, false, true)
	case j.elision(word) && isAlpha(firstRune(after)):
		j.write(word, true, false)
	case consistsOf(word, isQuote):
		j.quote(word, before)
	default:
		j.write(word, true, true)
	}
}

// write writes a word. Two words are separated by a space if both allow it: before and after say
// whether this word allows one on either side.
func (j *joiner) write(word string, before, after bool) {
	if before && j.space {
		j.line.WriteByte(' ')
	}
	j.line.WriteString(word)
	j.space = after
}

// contraction reports whether word is English and begins with an apostrophe and a letter.
func (j *joiner) contraction(word string) bool {
	rest, found := strings.CutPrefix(word, "'")
	return found && j.Language == "en" && isAlpha(firstRune(rest))
}

// elision reports whether word is French and ends with a letter and an apostrophe.
func (j *joiner) elision(word string) bool {
	rest, found := strings.CutSuffix(word, "'")
	return found && j.Language == "fr" && isAlpha(lastRune(rest))
}

func (j *joiner) closing(word string) {
	if j.Language == "fr" && len(word) == 1 && strings.Contains(`?!:;%\`, word) {
		j.line.WriteByte(' ')
	}
	j.write(word, false, true)
}

// quote writes a quotation mark. „ and “ count as straight double quotation marks.
func (j *joiner) quote(word, before string) {
	kind := word
	if consistsOf(word, func(r rune) bool { return r == '„' || r == '“' }) {
		kind = `"`
	}
	switch {
	case j.open[kind]:
		j.open[kind] = false
		j.write(word, false, true)
	case j.Language == "en" && word == "'" && strings.HasSuffix(before, "s"):
		j.write(word, false, true)
	default:
		j.open[kind] = true
		j.write(word, true, false)
	}
}

// consistsOf reports whether word is a run of characters of one class.
func consistsOf(word string, class func(rune) bool) bool {
	return word != "" && !strings.ContainsFunc(word, func(r rune) bool { return !class(r) })
}

func isOpening(r rune) bool { return unicode.Is(unicode.Sc, r) || strings.ContainsRune("([{¿¡", r) }

func isClosing(r rune) bool { return strings.ContainsRune(`,.?!:;\%}])`, r) }

func isQuote(r rune) bool { return strings.ContainsRune("'\"„“`", r) }

func isCJK(r rune) bool { return unicode.Is(cjk, r) }

// cjk holds the blocks of Chinese, Japanese and Korean characters that detokenizer.perl lists.
var cjk = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: 0x1100, Hi: 0x11ff, Stride: 1}, // Hangul Jamo
		{Lo: 0x2e80, Hi: 0xa4cf, Stride: 1}, // CJK Radicals Supplement to Yi Radicals
		{Lo: 0xa840, Hi: 0xa87f, Stride: 1}, // Phags-pa
		{Lo: 0xac00, Hi: 0xd7af, Stride: 1}, // Hangul Syllables
		{Lo: 0xf900, Hi: 0xfaff, Stride: 1}, // CJK Compatibility Ideographs
		{Lo: 0xfe30, Hi: 0xfe4f, Stride: 1}, // CJK Compatibility Forms
		{Lo: 0xff65, Hi: 0xffdc, Stride: 1}, // half-width kana and Hangul
	},
	R32: []unicode.Range32{
		{Lo: 0x20000, Hi: 0x2ffff, Stride: 1}, // Supplementary Ideographic Plane
	},
}
