package main

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/decode"
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
	grown := newTranslator(decode.Options{Beam: 2}, 0, 1, m)
	fixed, err := decode.NewBeam(kernels.Best(), decode.Options{Beam: 2}, model.Capacity{Sentences: 1, SourceLength: 401, TargetLength: 3 * 401}, m)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{3, 63, 64, 400, 5, 65} {
		words := wordsOf(n)
		got := translations(t, grown, words)[0]
		best, err := fixed.Translate(t.Context(), m.Source.Encode(words), 3*(n+1))
		if err != nil {
			t.Fatal(err)
		}
		want := best[0]
		g, w := m.Target.Decode(got.IDs), m.Target.Decode(want.IDs)
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

// chunked are readers that return the input in different pieces.
var chunked = []struct {
	name string
	read func(io.Reader) io.Reader
}{
	{"whole", func(r io.Reader) io.Reader { return r }},
	{"bytes", iotest.OneByteReader},
	{"halves", iotest.HalfReader},
	{"end with the data", iotest.DataErrReader},
}

// TestTranslateChunks compares the translations of an input that comes in different pieces, on
// different numbers of threads, with those of its lines alone. There are more lines than a
// window has, some of them empty, and some of more words than short ones.
func TestTranslateChunks(t *testing.T) {
	m := tinyModel(t)
	r := rand.New(rand.NewPCG(3, 1409))
	var lines []string
	for i := range 2 * windowBatches * batchRows / 12 {
		n := r.IntN(12)
		if i%50 == 20 {
			n = sourceStep - 2 + r.IntN(4)
		}
		lines = append(lines, strings.Join(wordsOf(n + 3)[r.IntN(4):][:n], " "))
	}
	for _, beam := range []int{1, 12} {
		var want strings.Builder
		alone := newTranslator(decode.Options{Beam: beam}, 0, 1, m)
		for _, line := range lines {
			if err := translate(t.Context(), &want, strings.NewReader(line+"\n"), alone, form{}); err != nil {
				t.Fatal(err)
			}
		}
		for _, threads := range []int{1, 2, 3, 8} {
			input := strings.Join(lines, "\n")
			if threads > 2 {
				input += "\n"
			}
			for _, c := range chunked {
				var got strings.Builder
				if err := translate(t.Context(), &got, c.read(strings.NewReader(input)), newTranslator(decode.Options{Beam: beam}, 0, threads, m), form{}); err != nil {
					t.Fatal(err)
				}
				if got.String() != want.String() {
					t.Errorf("beam %d, %d threads, input in %s: got\n%s\nwant\n%s", beam, threads, c.name, &got, &want)
				}
			}
		}
	}
}

// TestTranslateStartsBeforeAnError has an error in the middle, which ends the translation
// after the lines before it.
func TestTranslateStartsBeforeAnError(t *testing.T) {
	m := tinyModel(t)
	var one strings.Builder
	if err := translate(t.Context(), &one, strings.NewReader("a dog\n"), newTranslator(decode.Options{Beam: mostHypotheses}, 0, 1, m), form{}); err != nil {
		t.Fatal(err)
	}
	long := strings.Join(wordsOf(7*sourceStep), " ")
	for _, test := range []struct{ name, stdin, output, err string }{
		{"invalid line", "a dog\n\n\xff\na dog\n", one.String() + "\n", "standard input:3: "},
		{"invalid line first", "\xff\na dog\n", "", "standard input:1: "},
		{"invalid last line", "a dog\na dog\n\xff", one.String() + one.String(), "standard input:3: "},
		{"long line", "a dog\na dog\n\n" + long + "\na dog\n", one.String() + one.String() + "\n", "standard input:4: "},
		{"long line after empty ones", "\n\n" + long + "\na dog\n", "\n\n", "standard input:3: "},
	} {
		for _, c := range chunked {
			var got strings.Builder
			err := translate(t.Context(), &got, c.read(strings.NewReader(test.stdin)), newTranslator(decode.Options{Beam: mostHypotheses}, 0, 3, m), form{})
			if err == nil || !strings.HasPrefix(err.Error(), test.err) || got.String() != test.output {
				t.Errorf("%s, input in %s: got %q and error %v, want %q and %s", test.name, c.name, &got, err, test.output, test.err)
			}
		}
	}
}

// TestTranslateReadError has an input that fails after two lines and a half.
func TestTranslateReadError(t *testing.T) {
	failed := errors.New("no more")
	stdin := io.MultiReader(strings.NewReader("\n\na"), iotest.ErrReader(failed))
	var got strings.Builder
	err := translate(t.Context(), &got, stdin, newTranslator(decode.Options{Beam: 1}, 5, 2, tinyModel(t)), form{})
	if !errors.Is(err, failed) || got.String() != "\n\n" {
		t.Errorf("got %q and error %v, want two empty lines and %v", &got, err, failed)
	}
}

// TestTranslateInteractively writes on only after the translations of all whole lines that
// were written before.
func TestTranslateInteractively(t *testing.T) {
	stdin, input := io.Pipe()
	output, stdout := io.Pipe()
	finished := make(chan error)
	tr := newTranslator(decode.Options{Beam: 2}, 5, 2, tinyModel(t))
	go func() {
		err := translate(t.Context(), stdout, stdin, tr, form{})
		stdout.Close()
		finished <- err
	}()
	lines := bufio.NewScanner(output)
	for _, text := range []string{"the cat sleeps .\n", "\n", "a dog\n", "a cat\na dog\n\na", " dog\na cat\n"} {
		if _, err := io.WriteString(input, text); err != nil {
			t.Fatal(err)
		}
		for range strings.Count(text, "\n") {
			if !lines.Scan() {
				t.Fatalf("no output for a line of %q", text)
			}
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
	err := translate(t.Context(), stdout, bytes.NewReader([]byte("a\n")), newTranslator(decode.Options{Beam: 1}, 2, 2, tinyModel(t)), form{})
	if want := "standard input:1: " + io.ErrClosedPipe.Error(); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}
