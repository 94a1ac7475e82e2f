package pipeline

import (
	"slices"
	"strings"
	"testing"

	"github.com/softsearch-go/softsearch/model/text/bpe"
)

// TestEnds has lines of three parts: what stays before the words, these, and what stays after them.
func TestEnds(t *testing.T) {
	p := copying(t, "en")
	for _, test := range [][3]string{
		{"", "Hello.", ""},
		{"- ", "Hello.", ""},
		{"  \t* ", "Buy *all* of it", " "},
		{"• ", "Two eggs", ""},
		{"–\u00a0", "Hello.", ""},
		{"1. ", "Buy milk.", ""},
		{"12) ", "Buy 1. milk", ""},
		{"- [ ] ", "Buy milk", ""},
		{"> > ", "He said no.", ""},
		{"## ", "Title", ""},
		{"🎂 - 👍🏽 ", "Hello! 👍 Good.", " 👩‍👩‍👧 ❤️🏴\U000e0067\U000e0062\U000e007f"},
		{"1️⃣ ", "One", ""},
		{"→ ", "Go", " ⇐"},
		{"©", "2024 A", "®"},
		{"", "Thanks!", " :)"},
		{"", "Thanks", " ;-) :-D 😀 <3 =))"},
		{"", "It is 20", "°"},
		{"---", "", ""},
		{"👍 :) ... →", "", ""},
		{" ", "", ""},
		{" ?! ", "", ""},
		{"", "`f` is *.*", ""},
		{"- ", "*.*", ""},
		{"", "-5 is (1) 1.5 #1 #a *a* >1, 1234. 10 €", ""},
		{"", "(a) b :", ""},
		{"", "a) b (8)", ""},
		{"", "a:) b", ""},
		{"", "…and “then”…", ""},
		{"", "\xff a \xff", ""},
		{"😀", "\xf0\x9f a", ""},
		{"", "a " + strings.Repeat(")", 20), ""},
	} {
		line := strings.Join(test[:], "")
		kept := p.Kept(line)
		before, other := strings.TrimLeft(test[0], " \t"), "Other."
		if test[1] == "" {
			before, other = strings.TrimSpace(before), ""
		}
		if kept.Before != before || kept.After != strings.TrimRight(test[2], " ") {
			t.Errorf("%q: ends %q and %q, want %q and %q", line, kept.Before, kept.After, before, test[2])
			continue
		}
		words := p.Words(line)
		if want := p.Words(test[1]); !slices.Equal(words, want) {
			t.Errorf("%q: words %q, want %q", line, words, want)
		}
		valid := strings.ToValidUTF8(line, "\ufffd")
		if got := p.LineOf(words, kept); solid(got) != solid(valid) {
			t.Errorf("%q: words bring back %q", line, got)
		}
		if got, want := p.LineOf(p.Words(other), kept), strings.TrimSpace(test[0]+other+test[2]); got != want {
			t.Errorf("%q: another translation is %q, want %q", line, got, want)
		}
		for _, s := range p.Spans(line, words, kept) {
			if at := line[s.Bytes[0]:s.Bytes[1]]; at != s.Text && valid == line || s.Bytes[0] < len(test[0]) {
				t.Errorf("%q: %q at byte %d, where %q is", line, s.Text, s.Bytes[0], at)
			}
		}
	}
	kept := p.Kept("- One :)")
	for _, line := range []string{" - Un :) ", " Un ", "- Un", "Un :)"} {
		if got := p.WordsOf(line, kept); !slices.Equal(got, p.Words("Un")) {
			t.Errorf("translation %q: words %q", line, got)
		}
	}
	for _, language := range []string{"de", "other"} {
		if kept := copying(t, language).Kept("- 1. Mai"); kept.Before != "- " {
			t.Errorf("%s: %q before an ordinal number", language, kept.Before)
		}
	}
	for _, p := range []Pipeline{{}, newPipeline(t, Settings{Codes: bpe.Codes{}})} {
		if kept := p.Kept("- a 👍"); kept.Before != "" || kept.After != "" {
			t.Errorf("tokenized text: ends %q and %q", kept.Before, kept.After)
		}
	}
}

func solid(line string) string { return strings.Join(strings.Fields(line), "") }

// TestEndsOfSentences has lines whose ends are no sentences.
func TestEndsOfSentences(t *testing.T) {
	p := copying(t, "en")
	for line, want := range map[string][]string{
		" 1. Buy milk. Go!  😀":                        {"1. Buy milk.", "Go! 😀"},
		"-  Hello! 😀 👍 How are you? :) I ❤️ it. B. 👍": {"- Hello! 😀 👍", "How are you? :)", "I ❤️ it.", "B. 👍"},
		"👍 - A ⟦1⟧. 😀 ``b. C``":                       {"👍 - A ⟦1⟧. 😀 ``b. C``"},
		"©2024. See you!😀":                            {"©2024.", "See you!😀"},
		"  --- ! 👍 ":                                  {"--- ! 👍"},
		"  ":                                          nil,
	} {
		if got := p.Sentences(line); !slices.Equal(got, want) {
			t.Errorf("%q: sentences %q, want %q", line, got, want)
		}
	}
}
