package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestInflect trains two models of a language whose plurals end in s. The same command again trains nothing and
// prints the same.
func TestInflect(t *testing.T) {
	if testing.Short() {
		t.Skip("trains two models")
	}
	folder := t.TempDir()
	var lines []string
	for _, a := range "bdfgklmnprst" {
		for _, b := range "aeiou" {
			for _, c := range "bdfglmnprt" {
				lemma := fmt.Sprintf("%c%c%c", a, b, c)
				lines = append(lines, lemma+"\tpos=N,num=PL\t"+lemma+"s\n", lemma+"\tpos=N,num=SG\t"+lemma+"\n")
			}
		}
	}
	writeForms(t, folder, "train", lines)
	writeForms(t, folder, "dev", lines[:40])
	writeForms(t, folder, "test", append(lines[40:79], "a b\tpos=N\tx y z\n"))
	settings := filepath.Join(folder, "settings.json")
	content := `{"embedding": 16, "hidden": 32, "alignment": 16, "maxout": 16, "batch": 10, "optimizer": "adam", "learning-rate": 0.01, "epochs": 10}`
	if err := os.WriteFile(settings, []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
	work, results := filepath.Join(folder, "work"), filepath.Join(folder, "results")
	args := []string{"inflect", "--data", folder, "--languages", "toy", "--seeds", "2", "--settings", settings, "--work", work, "--results", results}
	first := mustExecute(t, args...)
	source, err := os.ReadFile(filepath.Join(work, "toy.test.in"))
	if err != nil || !strings.HasSuffix(string(source), "\npos=N a _ b\n") {
		t.Errorf("source %q, %v", source[max(0, len(source)-40):], err)
	}
	table, err := inflectTable(results)
	if err != nil || !strings.Contains(table, "| Toy | 40 | 0.00 | ") || !strings.Contains(table, " | one model | 2 models | dev, one model | dev, 2 models | ") {
		t.Errorf("table\n%s%v", table, err)
	}
	one, err := compareLines(filepath.Join(work, "toy.test.1"), filepath.Join(work, "toy.test.out"))
	if err != nil || one.Correct < 20 || one.Correct > 39 || !strings.Contains(first, "test ["+one.String()+" ") {
		t.Errorf("%+v, %v; printed\n%s", one, err, first)
	}
	if again := mustExecute(t, args...); again != first {
		t.Errorf("again\n%s, first\n%s", again, first)
	}
}

func writeForms(t *testing.T, folder, part string, lines []string) {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	fmt.Fprint(w, strings.Join(lines, ""))
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "toy-task1-"+part+".gz"), b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
}

func TestInflectErrors(t *testing.T) {
	folder := t.TempDir()
	writeForms(t, folder, "train", []string{"a\tb\tc\n", "a b\n"})
	var stdout, stderr bytes.Buffer
	args := []string{"inflect", "--data", folder, "--languages", "toy", "--work", filepath.Join(folder, "work"), "--results", filepath.Join(folder, "results")}
	if code := execute(t.Context(), args, &stdout, &stderr); code != 1 || !strings.Contains(stderr.String(), "toy-task1-train.gz: line 2: expected lemma, features and form") {
		t.Errorf("exit code %d: %s", code, &stderr)
	}
}

// TestWilson compares with the interval for 81 of 263 in Newcombe (1998), table I.
func TestWilson(t *testing.T) {
	if got := (accuracy{Correct: 81, Forms: 263}).String(); got != "30.80 (25.5–36.6)" {
		t.Error(got)
	}
}
