package moses

import (
	"strings"
	"unicode"
)

// A Tokenizer divides lines into words. Its options are applied in the order of the fields.
// Multi30k, for one, was prepared with all of them but SplitHyphens. The zero value has the
// rules for languages other than English, French and German.
type Tokenizer struct {
	Language     string // "en", "fr" or "de"
	Lowercase    bool   // lower-case the line, character by character
	Normalize    bool   // normalise its punctuation, see [Normalize]
	SplitHyphens bool   // make a hyphen between letters or digits the word @-@
	Escape       bool   // write & | < > ' " [ ] in words as &amp; &#124; and so on
}

// Tokenize returns the words of a line. No word is empty, and none has white space, which
// separates words whatever it is, as do line ends. ASCII control characters are dropped.
//
// Every character but letters, digits, white space and . , ' ` - is a word. So is a run of
// two full stops or more, and
//
//   - a comma, except between digits;
//   - a full stop at the end of a word, except after an abbreviation of the language, after a
//     word that has a letter and another full stop, and before a word in lower case. That
//     holds for the last word of a line, too;
//   - an apostrophe. Between letters it begins a word in English (don 't) and ends one in
//     French (l' homme). After a digit, an English apostrophe begins the word 's and stays
//     where it is before other letters. At the beginning and the end of a line, English and
//     French apostrophes stay, except after a full stop.
//
// The words share the memory of line where they are a part of it.
func (t Tokenizer) Tokenize(line string) []string { return t.AppendTokens(nil, line) }

// AppendTokens appends the words of a line to dst. See [Tokenizer.Tokenize].
func (t Tokenizer) AppendTokens(dst []string, line string) []string {
	line = valid(line)
	if t.Lowercase {
		line = strings.ToLower(line)
	}
	if t.Normalize {
		line = Normalize(t.Language, line)
	}
	first := len(dst)
	s := splitter{
		line:    strings.TrimSpace(strings.Map(dropControl, line)),
		words:   dst,
		rules:   rulesOf(t.Language),
		hyphens: t.SplitHyphens,
		prev:    none,
	}
	s.split()
	if t.Escape {
		for i := first; i < len(s.words); i++ {
			s.words[i] = escapes.Replace(s.words[i])
		}
	}
	return s.words
}

// dropControl drops the control characters of ASCII that are no white space.
func dropControl(r rune) rune {
	if r < ' ' && !unicode.IsSpace(r) {
		return -1
	}
	return r
}
