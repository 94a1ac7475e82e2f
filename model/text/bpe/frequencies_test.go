package bpe

import (
	"errors"
	"io"
	"maps"
	"strings"
	"testing"
	"testing/iotest"
)

func TestAdd(t *testing.T) {
	f := Frequencies{"a": 2}
	for _, words := range [][]string{{"a", "b", "b"}, nil, {"b", "c"}} {
		f.Add(words)
	}
	if want := (Frequencies{"a": 3, "b": 3, "c": 1}); !maps.Equal(f, want) {
		t.Errorf("got %v, want %v", f, want)
	}
}

func TestFrequenciesFile(t *testing.T) {
	f := Frequencies{"b": 2, "a": 2, "é": 2, "Z": 10, "a@@": 1, "\xff": 1}
	const want = "Z 10\na 2\nb 2\né 2\na@@ 1\n\xff 1\n"
	if got := encoded(t, f); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	for _, text := range []string{want, strings.ReplaceAll(want, "\n", "\r\n"), want + "\n\n"} {
		if got, err := ReadFrequencies(strings.NewReader(text)); err != nil || !maps.Equal(got, f) {
			t.Errorf("%q: frequencies %v, error %v, want %v", text, got, err, f)
		}
	}
	if got, err := ReadFrequencies(strings.NewReader("")); err != nil || got == nil || len(got) > 0 {
		t.Errorf("no lines: %v, error %v", got, err)
	}
}

func TestReadFrequenciesErrors(t *testing.T) {
	tests := []struct{ text, want string }{
		{"a 1\nb\n", `line 2: "b": expected a word, a space and a frequency of at least 1`},
		{"a 1\n\nb 1\n", `line 2: ""`},
		{"a 0\n", "line 1"},
		{"a -1\n", "line 1"},
		{" 1\n", "line 1"},
		{"a b 1\n", "line 1"},
		{"a 1.5\n", "line 1"},
		{"a 99999999999999999999\n", "line 1"},
		{"a 1\nb 1\na 2\n", `line 3: "a" occurs on an earlier line`},
	}
	for _, test := range tests {
		_, err := ReadFrequencies(strings.NewReader(test.text))
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%q: error %v, want one with %q", test.text, err, test.want)
		}
	}
	if _, err := ReadFrequencies(iotest.ErrReader(io.ErrClosedPipe)); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("error %v does not wrap that of the reader", err)
	}
}

func TestWriteFrequenciesErrors(t *testing.T) {
	for _, f := range []Frequencies{{"": 1}, {"a b": 1}, {"a\n": 1}, {"a": 0}} {
		var text strings.Builder
		if _, err := f.WriteTo(&text); err == nil || text.Len() > 0 {
			t.Errorf("%v: error %v, written %q", f, err, text.String())
		}
	}
}
