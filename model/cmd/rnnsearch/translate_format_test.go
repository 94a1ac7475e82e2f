package main

import (
	"strings"
	"testing"
)

// TestTranslateFormat translates documents with the built-in model.
func TestTranslateFormat(t *testing.T) {
	const shirt = "Un homme dans une chemise rouge."
	for _, test := range []struct{ format, stdin, want string }{
		{"html", "<p>A man in a <b>red</b> shirt.</p>\n", "<p>Un homme dans une chemise <b>rouge</b>.</p>\n"},
		{"html", "A man in a red shirt.\n\nA man in a red shirt.", shirt + "\n\n" + shirt},
		{"markdown", "# A man in a *red* shirt.\n\n```\nA man.\n```\n", "# Un homme dans une chemise *rouge*.\n\n```\nA man.\n```\n"},
		{"text", "A man in a red shirt.\n", shirt + "\n"},
		{"html", "", ""},
	} {
		got, stderr, code := execute(test.stdin, "translate", "--normalize", "1", "--format", test.format)
		if got != test.want || stderr != "" || code != 0 {
			t.Errorf("%s %q: %q, want %q, exit code %d, %s", test.format, test.stdin, got, test.want, code, stderr)
		}
	}
	// A sentence that is too long stays.
	long := strings.Repeat("dog ", 9) + "<b>dog</b>"
	got, stderr, code := execute("<p>"+long+". A <i>man</i>.", "translate", "--max-source", "8", "--format", "html")
	want := "rnnsearch: warning: standard input: sentence 1: sentence too long: 11 words, expected at most 8, left untranslated\n" +
		"rnnsearch: standard input: 1 of 2 sentences cannot be used: left untranslated\n"
	if !strings.HasPrefix(got, "<p>"+long+". ") || !strings.Contains(got, "</i>") || stderr != want || code != 1 {
		t.Errorf("a long sentence: %q, exit code %d, %s", got, code, stderr)
	}
	for _, test := range []struct{ args, stdin, want string }{
		{"--format doc", "", `--format "doc": expected text, html, markdown, srt, vtt, po or xliff`},
		{"--format markdown --best 2", "", "--best: expected without --format markdown, which has one translation"},
		{"--format html", "\xff", "standard input: invalid UTF-8"},
		{"--format xliff", "<a>", "standard input: invalid document: XML syntax error on line 1: unexpected EOF"},
	} {
		got, stderr, code := execute(test.stdin, append([]string{"translate"}, strings.Fields(test.args)...)...)
		if got != "" || stderr != "rnnsearch: "+test.want+"\n" || code == 0 {
			t.Errorf("%s: %q, exit code %d, %s, want %s", test.args, got, code, stderr, test.want)
		}
	}
}
