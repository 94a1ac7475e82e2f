package main

import (
	"bufio"
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/text"
)

func TestTranslateLines(t *testing.T) {
	path := saved(t, tinyModel(t))
	one, _, _ := execute("the cat sees the dog .\n", "translate", "--model", path, "--max-length", "7")
	if strings.TrimSpace(one) == "" || strings.Count(one, "\n") != 1 {
		t.Fatalf("translation %q, expected a line of words", one)
	}
	for _, test := range []struct{ name, stdin, want string }{
		{"nothing", "", ""},
		{"no end of line", "the cat sees the dog .", one},
		{"CRLF", "the cat sees the dog .\r\n", one},
		{"spaces", "  the\tcat sees  the dog . \n", one},
		{"empty line", "\n", "\n"},
		{"empty lines between", "\nthe cat sees the dog .\n \t\r\n\nthe cat sees the dog .\n\n", "\n" + one + "\n\n" + one + "\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, stderr, code := execute(test.stdin, "translate", "--model", path, "--max-length", "7")
			if got != test.want || code != 0 {
				t.Errorf("got %q, want %q, exit code %d %s", got, test.want, code, stderr)
			}
		})
	}
}

// TestTranslateLongLines compares a translator that grows with one that is large enough.
func TestTranslateLongLines(t *testing.T) {
	m := tinyModel(t)
	grown := newTranslator(m, 2, 0)
	fixed, err := model.NewTranslator(kernels.Best(), m, 2, model.Capacity{Sentences: 1, SourceLength: 401, TargetLength: 3 * 401})
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{3, 63, 64, 400, 5, 65} {
		words := strings.Fields(strings.Repeat("the cat . ", n))[:n]
		got, err := grown.translate(words)
		if err != nil {
			t.Fatal(err)
		}
		want, err := fixed.Translate(m.Source.Encode(words), 3*(n+1))
		if err != nil {
			t.Fatal(err)
		}
		g, w := m.Target.Decode(got.Words), m.Target.Decode(want.Words)
		if strings.Join(g, " ") != strings.Join(w, " ") || got.LogProb != want.LogProb {
			t.Errorf("%d words: got %v of %v, want %v of %v", n, got.LogProb, g, want.LogProb, w)
		}
	}
}

func TestTranslateUnknown(t *testing.T) {
	m := tinyModel(t)
	m.Parameters.B[text.UNK] = 100
	got, _, _ := execute("the zebra .\n", "translate", "--model", saved(t, m), "--max-length", "3", "--beam", "1")
	if want := "<unk> <unk> <unk>\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestTranslateStartsBeforeAnError(t *testing.T) {
	got, _, code := execute("\n\n\xff\n\n", "translate", "--model", saved(t, tinyModel(t)))
	if want := "\n\n"; got != want || code != 1 {
		t.Errorf("got %q, exit code %d, want %q, 1", got, code, want)
	}
}

// TestTranslateInteractively writes a line only after the translation of the one before.
func TestTranslateInteractively(t *testing.T) {
	stdin, input := io.Pipe()
	output, stdout := io.Pipe()
	finished := make(chan error)
	tr := newTranslator(tinyModel(t), 2, 5)
	go func() {
		err := translate(stdout, stdin, tr)
		stdout.Close()
		finished <- err
	}()
	lines := bufio.NewScanner(output)
	for _, line := range []string{"the cat sleeps .", "", "a dog"} {
		if _, err := io.WriteString(input, line+"\n"); err != nil {
			t.Fatal(err)
		}
		if !lines.Scan() {
			t.Fatalf("no output for %q", line)
		}
	}
	input.Close()
	if err := <-finished; err != nil {
		t.Error(err)
	}
}

func TestTranslateWriteError(t *testing.T) {
	output, stdout := io.Pipe()
	output.Close()
	err := translate(stdout, bytes.NewReader([]byte("a\n")), newTranslator(tinyModel(t), 1, 2))
	if want := "standard input:1: " + io.ErrClosedPipe.Error(); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}
