package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestAlign trains small models of both directions, the second ones from the first. The same command again trains
// nothing and writes the same, and another text by hand is linked by the same models. It makes the table of a page.
func TestAlign(t *testing.T) {
	if testing.Short() {
		t.Skip("trains four models")
	}
	folder := writeFiles(t)
	path := func(file string) string { return filepath.Join(folder, file) }
	for _, text := range []string{"test", "valid"} {
		source, err := os.ReadFile(path(text + ".source"))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path(text+"-gold.align"), []byte(strings.Repeat("0-0 1p1\n", strings.Count(string(source), "\n"))), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	run := func(gold string) string {
		return mustExecute(t, "align", "--train-en", path("test.source"), "--train-fr", path("test.target"), "--valid-en", path("valid.source"), "--valid-fr", path("valid.target"),
			"--gold-en", path(gold+".source"), "--gold-fr", path(gold+".target"), "--gold", path(gold+"-gold.align"), "--settings", path("tiny.json"), "--first-updates", "20",
			"--work", path("work"), "--results", path("results/tiny"))
	}
	read := func(name string) string {
		content, err := os.ReadFile(filepath.Join(folder, "results", "tiny", name))
		if err != nil {
			t.Fatal(err)
		}
		return string(content)
	}
	first := run("test")
	if want := "attention\n" + read("test-gold.attention.aer") + "agreement\n" + read("test-gold.agreement.aer"); first != want || strings.Count(first, "\n") != 2*8 {
		t.Errorf("printed\n%s, want\n%s", first, want)
	}
	if !strings.Contains(read("first.fr-en.jsonl"), `"update":20,`) {
		t.Errorf("log %s", read("first.fr-en.jsonl"))
	}
	for _, name := range []string{"joined.en", "joined.fr"} {
		joined, err := os.ReadFile(filepath.Join(folder, "work", name))
		if err != nil || strings.Count(string(joined), "\n") != 99 {
			t.Errorf("%s: %v, %d lines", name, err, strings.Count(string(joined), "\n"))
		}
	}
	trained := func() int { return strings.Count(read("second.fr-en.jsonl"), `"event":"validation"`) }
	validations := trained()
	if !strings.Contains(read("second.fr-en.jsonl"), `"update":30,`) || !strings.HasPrefix(read("test-gold.svg"), "<?xml") {
		t.Errorf("log %s\nfigure %.20s", read("second.fr-en.jsonl"), read("test-gold.svg"))
	}
	if again := run("test"); again != first || trained() != validations {
		t.Errorf("again\n%s, first\n%s", again, first)
	}
	if run("valid"); trained() != validations {
		t.Error("another text by hand trains again")
	}
	page := path("page.md")
	if err := os.WriteFile(page, []byte("<!-- paper:align tiny -->\n<!-- /paper -->\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	mustExecute(t, "page", "--page", page)
	table, err := os.ReadFile(page)
	if err != nil || strings.Count(string(table), "\n| ") != 2+4 || strings.Count(string(table), " (") != 4*6 || !strings.Contains(string(table), "\n| valid-gold | agreement | ") {
		t.Errorf("%v, page\n%s", err, table)
	}
}

// TestAlignName gives the text linked by hand the name of another.
func TestAlignName(t *testing.T) {
	args := []string{"align", "--gold", "valid.align", "--work", t.TempDir()}
	for _, name := range []string{"train", "valid", "gold"} {
		args = append(args, "--"+name+"-en", "x", "--"+name+"-fr", "x")
	}
	var stderr strings.Builder
	if code := execute(t.Context(), args, io.Discard, &stderr); code != 1 || !strings.Contains(stderr.String(), "valid.align: expected another name") {
		t.Errorf("%d: %s", code, stderr.String())
	}
}
