package score

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestTokenize13a(t *testing.T) {
	for _, test := range []struct{ line, want string }{
		{"", ""},
		{" \t ", ""},
		{"I'm a student.", "I'm a student ."}, // from flexeval's test of sacreBLEU's tokenizer
		{"Hello, world!", "Hello , world !"},
		{"l'été (1er)", "l'été ( 1er )"},
		{"3.14 and 1,000,000", "3.14 and 1,000,000"},
		{"in 2014.", "in 2014 ."},
		{".5 and ,5", ". 5 and , 5"},
		{"5. 5, 5", "5 . 5 , 5"},
		{"wait...", "wait . . ."},
		{"1..2", "1 . . 2"},
		{"a..5", "a . .5"},
		{"a...5", "a . . . 5"},
		{"well-known", "well-known"},
		{"10-fold 5--6 -7", "10 - fold 5 - -6 -7"},
		{"a/b@c_d", "a / b @ c _ d"},
		{"«été»,l", "«été» , l"},
		{"&quot;R&amp;D&quot; &lt;b&gt; &apos;", `" R & D " < b > & apos ;`},
		{"&amp;lt; &amp;amp;", "< & amp ;"},
		{"a<skipped>b", "ab"},
		{"multi-\nline text\nend-\n", "multiline text end-"},
		{"a\u00a0b\u2009c\u3000d\u2028e\u0085f\x1cg\x1fh", "a b c d e f g h"},
		{"a\u200bb", "a\u200bb"},
		{"\xff.\xfe", "\xff . \xfe"},
	} {
		if got := strings.Join(Tokenize13a(test.line), " "); got != test.want {
			t.Errorf("%q: got %q, want %q", test.line, got, test.want)
		}
	}
}

// mteval holds the substitutions of mteval-v13a.pl for Western languages in order.
var mteval = []struct {
	pattern     *regexp.Regexp
	replacement string
}{
	{regexp.MustCompile("[ -&(-+/:-@[-`{-~]"), " $0 "},
	{regexp.MustCompile(`([^0-9])([.,])`), "$1 $2 "},
	{regexp.MustCompile(`([.,])([^0-9])`), " $1 $2"},
	{regexp.MustCompile(`([0-9])(-)`), "$1 $2 "},
}

// FuzzTokenize13a compares with the regular expressions of mteval-v13a.pl.
func FuzzTokenize13a(f *testing.F) {
	for _, line := range []string{"a.,5.,.5..-6--7 3.14,", "&amp;quot;<skipped>-\n", "été.\xff,\u00a0\x1d", "5.-,.-5-.5", "..,,..1,,..2"} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		spaced := " " + unescape(strings.TrimRightFunc(line, isSpace)) + " "
		for _, m := range mteval {
			spaced = m.pattern.ReplaceAllString(spaced, m.replacement)
		}
		if got, want := Tokenize13a(line), strings.FieldsFunc(spaced, isSpace); !slices.Equal(got, want) {
			t.Errorf("%q: got %q, want %q", line, got, want)
		}
	})
}
