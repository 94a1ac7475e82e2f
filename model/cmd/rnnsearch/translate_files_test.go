package main

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
)

// compressions are the forms in which an input may arrive.
var compressions = []struct {
	name     string
	compress func(t *testing.T, text string) string
}{
	{"plain", func(_ *testing.T, text string) string { return text }},
	{"gzip", func(t *testing.T, text string) string {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		w.Write([]byte(text))
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}},
	{"zstd", func(t *testing.T, text string) string {
		w, err := zstd.NewWriter(nil)
		if err != nil {
			t.Fatal(err)
		}
		return string(w.EncodeAll([]byte(text), nil))
	}},
}

// content returns what the file at path has.
func content(t *testing.T, path string) string {
	t.Helper()
	return string(read(t, path))
}

// entries returns the names of the files in a folder.
func entries(t *testing.T, dir string) []string {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	names := []string{}
	for _, e := range list {
		names = append(names, e.Name())
	}
	return names
}

// TestTranslateInputs translates one text in several forms, from standard input and from a file, to
// standard output and to a file.
func TestTranslateInputs(t *testing.T) {
	args := []string{"translate", "--model", saved(t, tinyModel(t)), "--max-length", "7"}
	const source = "the cat sees the dog .\n\na dog sleeps .\n"
	want, _, _ := execute(source, args...)
	summary := regexp.MustCompile(`^rnnsearch: translated 3 lines, 10 words in \d+\.\d s, \d+ words/s\n$`)
	for _, c := range compressions {
		for _, text := range []string{source, "\ufeff" + source, strings.ReplaceAll(source, "\n", "\r\n")} {
			input := c.compress(t, text)
			if got, stderr, code := execute(input, args...); got != want || stderr != "" || code != 0 {
				t.Errorf("%s %q: got %q, want %q, exit code %d %s", c.name, text, got, want, code, stderr)
			}
			path := write(t, "in", input)
			output := path + ".out"
			got, stderr, code := execute("", append(args, "--input", path, "--output", output)...)
			if got != "" || content(t, output) != want || !summary.MatchString(stderr) || code != 0 {
				t.Errorf("%s %q: standard output %q, file %q, want %q, exit code %d %s", c.name, text, got, content(t, output), want, code, stderr)
			}
			if names := entries(t, filepath.Dir(path)); len(names) != 2 {
				t.Errorf("the folder has %q", names)
			}
		}
	}
}

// TestTranslateOverwrite replaces a translation, with and without bad lines.
func TestTranslateOverwrite(t *testing.T) {
	output := write(t, "out", "un chat", "été")
	args := []string{"translate", "--model", saved(t, tinyModel(t)), "--max-length", "3", "--output", output}
	if _, stderr, code := execute("a\n", args...); code != 1 || !strings.HasSuffix(stderr, "exists already, expected a new file or --overwrite\n") {
		t.Errorf("exit code %d, standard error %s", code, stderr)
	}
	if got := content(t, output); got != "un chat\nété" {
		t.Errorf("the refused output is %q", got)
	}
	args = append(args, "--overwrite", "--quiet")
	if _, stderr, code := execute("\n\n", args...); code != 0 || stderr != "" || content(t, output) != "\n\n" {
		t.Errorf("exit code %d, standard error %s, file %q", code, stderr, content(t, output))
	}
	_, stderr, code := execute("\xff\n", args...)
	want := "rnnsearch: warning: standard input:1: invalid UTF-8, translated as an empty line\n" +
		"rnnsearch: standard input: 1 of 1 line cannot be used: translated as an empty line\n"
	if code != 1 || stderr != want || content(t, output) != "\n" {
		t.Errorf("bad line: exit code %d, standard error %s, file %q", code, stderr, content(t, output))
	}
}

// TestTranslateForeignName has bad lines in a file whose name has an escape sequence.
func TestTranslateForeignName(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no such names")
	}
	_, stderr, code := execute("", "translate", "--model", saved(t, tinyModel(t)), "--input", write(t, "a\x1b[2J", strings.Repeat("\xff\n", 4)))
	if code != 1 || strings.Contains(stderr, "\x1b") || strings.Count(stderr, `a\x1b[2J:`) != 4 {
		t.Errorf("exit code %d, standard error %q", code, stderr)
	}
}

// waitWritten returns when something is written to a file beside the output, which another process
// will rename.
func waitWritten(t *testing.T, output string) {
	t.Helper()
	for range 1000 {
		names, _ := filepath.Glob(output + ".*.tmp")
		if len(names) == 1 {
			if content, err := os.ReadFile(names[0]); err == nil && len(content) > 0 {
				return
			}
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("nothing is written")
}

// TestTranslateStandardInputAsOutput names the file that is standard input.
func TestTranslateStandardInputAsOutput(t *testing.T) {
	if _, err := os.Stat("/dev/stdin"); err != nil {
		t.Skip(err)
	}
	path := write(t, "text", "a dog\n")
	c := command(t, "translate", "--model", saved(t, tinyModel(t)), "--output", path, "--overwrite")
	stdin, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer stdin.Close()
	c.Stdin = stdin
	p := begin(t, c)
	if code := p.end(); code != 1 || p.stderr.String() != "rnnsearch: --output "+path+": is an input, expected another file\n" {
		t.Errorf("exit code %d, standard error %s", code, &p.stderr)
	}
	if got := content(t, path); got != "a dog\n" {
		t.Errorf("the input became %q", got)
	}
}
