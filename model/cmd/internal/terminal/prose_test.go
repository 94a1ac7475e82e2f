package terminal

import (
	"bytes"
	"io"
	"os"
	"strings"
	"testing"
)

func TestWrap(t *testing.T) {
	const sentence = "rnnsearch: warning: text.en:3: invalid UTF-8, dropped\n"
	for _, test := range []struct {
		line    string
		columns int
		want    string
	}{
		{sentence, 53, sentence},
		{sentence, 52, "rnnsearch: warning: text.en:3: invalid UTF-8,\n  dropped\n"},
		{sentence, 29, "rnnsearch: warning:\n  text.en:3: invalid UTF-8,\n  dropped\n"},
		{sentence, 1, "rnnsearch:\n  warning:\n  text.en:3:\n  invalid\n  UTF-8,\n  dropped\n"},
		{"a folder/of/models/with/a/long/name b\n", 10, "a\n  folder/of/models/with/a/long/name\n  b\n"},
		{"no end of a line", 10, "no end of\n  a line"},
		{"kind       search with attention\n", 24, "kind       search with\n           attention\n"},
		{"kind       search with attention\n", 20, "kind       search\n  with attention\n"},
		{"  rnnsearch train --source text.en\n", 20, "  rnnsearch train --source text.en\n"},
		{"{\"event\": \"start\", \"update\": 0}\n", 20, "{\"event\": \"start\", \"update\": 0}\n"},
		{"\n", 20, "\n"},
		{"", 20, ""},
		{"日本語 日本語 日本語\n", 13, "日本語 日本語\n  日本語\n"},
		{"日本語 日本語 日本語\n", 12, "日本語\n  日本語\n  日本語\n"},
		{"éte\u0301 été\n", 7, "éte\u0301 été\n"},
	} {
		if got := Wrap(test.line, test.columns); got != test.want {
			t.Errorf("%q in %d columns: got %q, want %q", test.line, test.columns, got, test.want)
		}
	}
}

// TestWrapKeeps checks that wrapping changes nothing but white space, and breaks lines that it can break.
func TestWrapKeeps(t *testing.T) {
	const line = "epoch 2:  400 updates, training loss 3.2500 and validation loss 3.5000 per word, BLEU 12.35\n"
	for columns := range 100 {
		got := Wrap(line, columns)
		if strings.Join(strings.Fields(got), " ") != strings.Join(strings.Fields(line), " ") {
			t.Errorf("%d columns: got %q", columns, got)
		}
		for part := range strings.Lines(got) {
			if len(part)-1 > columns && len(strings.Fields(part)) > 1 {
				t.Errorf("%d columns: %q", columns, part)
			}
		}
	}
}

// TestProse writes lines to a terminal, and to a file, which gets them as they are.
func TestProse(t *testing.T) {
	f, err := os.Create(t.TempDir() + "/lines")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if w := Prose(f); w != f || Columns(w) != defaultColumns {
		t.Errorf("a file: got %T of %d columns", w, Columns(w))
	}
	if n, err := io.WriteString(shown{f, func() int { return 8 }}, "one two three\n\nfour \x1bive\n"); n != 25 || err != nil {
		t.Errorf("%d bytes, %v", n, err)
	}
	if got, err := os.ReadFile(f.Name()); err != nil || !bytes.Equal(got, []byte("one two\n  three\n\nfour \\x1bive\n")) {
		t.Errorf("got %q, %v", got, err)
	}
	if got := Truncate("日本語", 5) + Truncate("abc", 3); got != "日本…abc" {
		t.Errorf("got %s", got)
	}
}
