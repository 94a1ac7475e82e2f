package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestAlign trains two small rounds of both directions. The same command again trains nothing and prints the same.
func TestAlign(t *testing.T) {
	if testing.Short() {
		t.Skip("trains four models")
	}
	folder := writeFiles(t)
	path := func(file string) string { return filepath.Join(folder, file) }
	test, err := os.ReadFile(path("test.source"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path("gold"), []byte(strings.Repeat("0-0 1p1\n", strings.Count(string(test), "\n"))), 0o666); err != nil {
		t.Fatal(err)
	}
	args := []string{
		"align", "--train-en", path("test.source"), "--train-fr", path("test.target"), "--valid-en", path("valid.source"), "--valid-fr", path("valid.target"),
		"--gold-en", path("test.source"), "--gold-fr", path("test.target"), "--gold", path("gold"), "--settings", path("tiny.json"), "--work", path("work"),
	}
	first := mustExecute(t, args...)
	if strings.Count(first, "\n") != 4*8 || !strings.Contains(first, "round 2, omission\nalignment ") || !strings.Contains(first, "\ngrow-diag-final ") {
		t.Errorf("printed\n%s", first)
	}
	for _, name := range []string{"guide.en-fr.2", "guide.fr-en.2"} {
		guide, err := os.ReadFile(filepath.Join(folder, "work", name))
		if err != nil || strings.Count(string(guide), "\n") != strings.Count(string(test), "\n") || !strings.Contains(string(guide), "-") {
			t.Errorf("%s: %v, %d bytes", name, err, len(guide))
		}
	}
	if info, err := os.Stat(filepath.Join(folder, "work", "model.fr-en.2")); err != nil || info.Size() < 1000 {
		t.Errorf("model of round 2: %v", err)
	}
	if again := mustExecute(t, args...); again != first {
		t.Errorf("again\n%s, first\n%s", again, first)
	}
}

func TestTokens(t *testing.T) {
	for _, test := range []struct{ language, line, want string }{
		{"fr", "monsieur le president, l'amendement n'a pas ete accepte, parce qu'il etait irrecevable.",
			"monsieur le president , le amendement ne a pas ete accepte , parce que il etait irrecevable ."},
		{"fr", "aujourd'hui, le projet c-68 du ministre porte sur des (42,5) aux prud'hommes",
			"aujourd' hui , le projet c - 68 de le ministre porte sur de les ( 42,5 ) a les prud ' hommes"},
		{"en", "mr. speaker, the hon. member's question.", "mr. speaker , the hon. member 's question ."},
		{"en", "taxpayers' money and o'brien", "taxpayers ' money and o ' brien"},
	} {
		if got := tokens(test.line, test.language); got != test.want {
			t.Errorf("%q: got %q, want %q", test.line, got, test.want)
		}
	}
}
