package moses

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

var languages = []string{"en", "fr", "de", ""}

// addText adds sentences of every language and unusual lines.
func addText(f *testing.F) {
	for i, language := range languages {
		for j, line := range samples[language] {
			f.Add(line, uint8(16*j+i))
		}
	}
	for i, line := range []string{
		"", ".'", "'.'", "..'..", "a'b'c'd", "''''", "5''''6", "a,,5", ",,,", "1,2,", "a-b-c-", "@-@",
		"&amp;amp; &#124;", "x.\u0301y.", "\x00\x1f\u0085", "\xff\xc3\x28", "(( ))", `,".". "<`, "日本 a 中", "İ",
	} {
		f.Add(line, uint8(i*7))
	}
}

// FuzzTokenize: words are not empty and contain no white space, and their concatenation is the line
// without white space and control characters.
func FuzzTokenize(f *testing.F) {
	addText(f)
	f.Fuzz(func(t *testing.T, line string, options uint8) {
		tokenizer := Tokenizer{
			Language:  languages[options%4],
			Lowercase: options&4 != 0,
			Normalize: options&8 != 0,
		}
		var concatenated strings.Builder
		for _, word := range tokenizer.Tokenize(line) {
			if word == "" || !utf8.ValidString(word) || strings.ContainsFunc(word, unicode.IsSpace) {
				t.Errorf("%+v %q: word %q", tokenizer, line, word)
			}
			concatenated.WriteString(word)
		}
		if tokenizer.Lowercase || tokenizer.Normalize {
			return
		}
		if want := withoutSpace(toValidUTF8(line)); concatenated.String() != want {
			t.Errorf("%+v %q: concatenated words %q, want %q", tokenizer, line, concatenated.String(), want)
		}
	})
}

// withoutSpace returns text without white space and ASCII control characters.
func withoutSpace(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || r < ' ' {
			return -1
		}
		return r
	}, text)
}

// FuzzNormalize: no character that Normalize replaces remains.
func FuzzNormalize(f *testing.F) {
	addText(f)
	f.Fuzz(func(t *testing.T, line string, language uint8) {
		got := Normalize(languages[language%4], line)
		if !utf8.ValidString(got) || strings.ContainsAny(got, "\r`„“”–—´‘’‚…«»") || strings.Contains(got, "  ") {
			t.Errorf("%s %q: %q", languages[language%4], line, got)
		}
	})
}

// FuzzDetokenize: the line differs from the words in spaces only, and has single spaces and none at
// its ends.
func FuzzDetokenize(f *testing.F) {
	addText(f)
	f.Fuzz(func(t *testing.T, line string, language uint8) {
		got := detokenize(languages[language%4], strings.Split(line, " "))
		if !utf8.ValidString(got) || strings.Contains(got, "  ") || strings.Trim(got, " ") != got {
			t.Errorf("%s %q: %q", languages[language%4], line, got)
		}
		if strings.ContainsAny(line, "&@") {
			return
		}
		spaces := strings.NewReplacer(" ", "")
		if want := spaces.Replace(toValidUTF8(line)); spaces.Replace(got) != want {
			t.Errorf("%s %q: %q differs in more than spaces", languages[language%4], line, got)
		}
	})
}
