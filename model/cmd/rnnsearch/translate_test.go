package main

import (
	"bufio"
	"errors"
	"io"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/decode"
	"github.com/softsearch-go/softsearch/model/text"
)

// wordsOf returns a sentence of n words.
func wordsOf(n int) []string { return strings.Fields(strings.Repeat("the cat sees a dog . ", n))[:n] }

// testTranslator returns a translator that is closed at the end of the test.
func testTranslator(t *testing.T, m *model.Model, o decode.Options) *translator {
	t.Helper()
	tr, err := newTranslator(m, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(tr.Close)
	return tr
}

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

func TestTranslateUnknown(t *testing.T) {
	m := tinyModel(t)
	m.Parameters.B[text.UNK] = 100
	got, _, _ := execute("the zebra .\n", "translate", "--model", saved(t, m), "--max-length", "3", "--beam", "1")
	if want := "<unk> <unk> <unk>\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// chunked are readers that split the input differently.
var chunked = []struct {
	name string
	read func(io.Reader) io.Reader
}{
	{"whole", func(r io.Reader) io.Reader { return r }},
	{"bytes", iotest.OneByteReader},
	{"halves", iotest.HalfReader},
	{"end with the data", iotest.DataErrReader},
}

// TestTranslateChunks compares the translations of an input that arrives in pieces, on different
// numbers of threads, with those of each line alone. The lines fill several windows; some are
// empty and some are long.
func TestTranslateChunks(t *testing.T) {
	m := tinyModel(t)
	r := rand.New(rand.NewPCG(3, 1409))
	var lines []string
	for i := range 600 {
		n := r.IntN(6)
		if i%100 == 20 {
			n = 62 + r.IntN(4)
		}
		lines = append(lines, strings.Join(wordsOf(n + 3)[r.IntN(4):][:n], " "))
	}
	for _, beam := range []int{1, 12} {
		var want strings.Builder
		alone := testTranslator(t, m, decode.Options{Beam: beam, Threads: 1})
		for _, line := range lines {
			if err := alone.translate(t.Context(), &want, strings.NewReader(line+"\n"), false); err != nil {
				t.Fatal(err)
			}
		}
		for _, threads := range []int{1, 2, 3, 8} {
			input := strings.Join(lines, "\n")
			if threads > 2 {
				input += "\n"
			}
			tr := testTranslator(t, m, decode.Options{Beam: beam, Threads: threads})
			for _, c := range chunked {
				var got strings.Builder
				if err := tr.translate(t.Context(), &got, c.read(strings.NewReader(input)), false); err != nil {
					t.Fatal(err)
				}
				if got.String() != want.String() {
					t.Errorf("beam %d, %d threads, reader %s: got\n%s\nwant\n%s", beam, threads, c.name, &got, &want)
				}
			}
		}
	}
}

// TestTranslateBeforeError checks that the lines before an error are translated.
func TestTranslateBeforeError(t *testing.T) {
	m := tinyModel(t)
	var one strings.Builder
	tr := testTranslator(t, m, decode.Options{Threads: 3, Memory: 4 << 20})
	if err := tr.translate(t.Context(), &one, strings.NewReader("a dog\n"), false); err != nil {
		t.Fatal(err)
	}
	long := strings.Join(wordsOf(2000), " ")
	for _, test := range []struct{ name, stdin, output, err string }{
		{"invalid line", "a dog\n\n\xff\na dog\n", one.String() + "\n", "standard input:3: "},
		{"invalid line first", "\xff\na dog\n", "", "standard input:1: "},
		{"invalid last line", "a dog\na dog\n\xff", one.String() + one.String(), "standard input:3: "},
		{"long line", "a dog\na dog\n\n" + long + "\na dog\n", one.String() + one.String() + "\n", "standard input:4: "},
		{"long line after empty ones", "\n\n" + long + "\na dog\n", "\n\n", "standard input:3: "},
	} {
		for _, c := range chunked {
			var got strings.Builder
			err := tr.translate(t.Context(), &got, c.read(strings.NewReader(test.stdin)), false)
			if err == nil || !strings.HasPrefix(err.Error(), test.err) || got.String() != test.output {
				t.Errorf("%s, reader %s: got %q and error %v, want %q and %s", test.name, c.name, &got, err, test.output, test.err)
			}
		}
	}
}

// TestTranslateReadError has an input that fails within its third line.
func TestTranslateReadError(t *testing.T) {
	failed := errors.New("no more")
	stdin := io.MultiReader(strings.NewReader("\n\na"), iotest.ErrReader(failed))
	var got strings.Builder
	tr := testTranslator(t, tinyModel(t), decode.Options{MaxLength: 5})
	err := tr.translate(t.Context(), &got, stdin, false)
	if !errors.Is(err, failed) || got.String() != "\n\n" {
		t.Errorf("got %q and error %v, want two empty lines and %v", &got, err, failed)
	}
}

// TestTranslateInteractively writes more input only after it has read the translations of all
// complete lines so far.
func TestTranslateInteractively(t *testing.T) {
	stdin, input := io.Pipe()
	output, stdout := io.Pipe()
	finished := make(chan error)
	tr := testTranslator(t, tinyModel(t), decode.Options{Beam: 2, MaxLength: 5, Threads: 2})
	go func() {
		err := tr.translate(t.Context(), stdout, stdin, false)
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
				t.Fatalf("a line of %q has no output", text)
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
	tr := testTranslator(t, tinyModel(t), decode.Options{MaxLength: 2})
	err := tr.translate(t.Context(), stdout, strings.NewReader("a\n"), false)
	if want := "standard input:1: " + io.ErrClosedPipe.Error(); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// TestNBestList has an unknown word in the best translation.
func TestNBestList(t *testing.T) {
	m := tinyModel(t)
	v, err := text.VocabularyOf([]string{"</s>", "<unk>", "la", "ville"})
	if err != nil {
		t.Fatal(err)
	}
	m.Target, m.Config.TargetVocab = v, v.Size()
	best := []decode.Translation{
		{IDs: []int32{2, 1, 0}, LogProb: -1.5, Score: -0.5, Alignment: kernels.View([]float32{1, 0, 0, 0, 1, 0, 0, 0, 1}, 3, 3)},
		{IDs: []int32{3}, LogProb: -2, Score: -2, Alignment: kernels.View([]float32{1, 0, 0}, 1, 3)},
	}
	for _, test := range []struct {
		replaceUNK bool
		want       string
	}{
		{false, "7 ||| la <unk> ||| -1.500000 ||| -0.500000\n7 ||| ville ||| -2.000000 ||| -2.000000\n"},
		{true, "7 ||| la Ghent ||| -1.500000 ||| -0.500000\n7 ||| ville ||| -2.000000 ||| -2.000000\n"},
	} {
		tr := testTranslator(t, m, decode.Options{ReplaceUNK: test.replaceUNK})
		if got := tr.nBestList(7, "the Ghent", best); got != test.want {
			t.Errorf("ReplaceUNK %t: got %q, want %q", test.replaceUNK, got, test.want)
		}
	}
}

// TestTranslateLists prints n-best lists for equal lines and for empty ones.
func TestTranslateLists(t *testing.T) {
	path := saved(t, tinyModel(t))
	args := []string{"translate", "--model", path, "--max-length", "6"}
	one, _, _ := execute("the cat sees the dog .\n", args...)
	got, stderr, code := execute("\nthe cat sees the dog .\n\nthe cat sees the dog .\n", append(args, "--best", "3", "--normalize", "0.6")...)
	list := regexp.MustCompile(`(?m)^(\d) \|\|\| (.*) \|\|\| (-?\d+\.\d{6}) \|\|\| (-?\d+\.\d{6})$`).FindAllStringSubmatch(got, -1)
	var numbers []string
	for _, line := range list {
		numbers = append(numbers, line[1])
	}
	if code != 0 || strings.Join(numbers, "") != "01112333" || strings.Count(got, "\n") != len(list) {
		t.Fatalf("exit code %d %s, got\n%s", code, stderr, got)
	}
	if !slices.Equal(list[1][2:], list[5][2:]) || list[0][2] != "" || list[0][3] != "0.000000" {
		t.Errorf("equal lines differ, or an empty line has a translation:\n%s", got)
	}
	best, _, _ := execute("the cat sees the dog .\n", append(args, "--best", "1")...)
	if !strings.HasPrefix(best, "0 ||| "+strings.TrimSpace(one)+" ||| -") {
		t.Errorf("--best 1: got %q, want %q in it", best, one)
	}
}

// TestTranslateFlags checks the effect of each flag of the search.
func TestTranslateFlags(t *testing.T) {
	m := tinyModel(t)
	m.Parameters.B[text.UNK] = 100
	unknown := saved(t, m)
	m.Parameters.B[text.UNK], m.Parameters.B[text.EOS] = 0, 100
	short := saved(t, m)
	run := func(args ...string) []string {
		got, stderr, code := execute("the zebra .\n", append([]string{"translate"}, args...)...)
		if code != 0 {
			t.Fatalf("%v: %s", args, stderr)
		}
		return strings.Fields(got)
	}
	if got := run("--model", unknown, "--forbid-unk", "--max-length", "4"); len(got) != 4 || slices.Contains(got, "<unk>") {
		t.Errorf("--forbid-unk: got %q, want four words other than <unk>", got)
	}
	for _, w := range run("--model", unknown, "--replace-unk", "--max-length", "4") {
		if !slices.Contains([]string{"the", "zebra", "."}, w) {
			t.Errorf("--replace-unk: got %q, want a source word", w)
		}
	}
	if got := run("--model", short); len(got) != 0 {
		t.Errorf("EOS almost certain: got %q, want no words", got)
	}
	for _, n := range []string{"2", "30"} {
		if got := run("--model", short, "--min-length", n); len(got) != map[string]int{"2": 2, "30": 30}[n] {
			t.Errorf("--min-length %s: got %q", n, got)
		}
	}
	if got := run("--model", short, "--model", unknown, "--model", unknown, "--beam", "1", "--max-length", "3"); !slices.Equal(got, []string{"<unk>", "<unk>", "<unk>"}) {
		t.Errorf("two of three models prefer <unk>: got %q", got)
	}
}
