package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/cmd/internal/files"
	"github.com/softsearch-go/softsearch/model/cmd/internal/translation"
	"github.com/softsearch-go/softsearch/model/decode"
	"github.com/softsearch-go/softsearch/model/internal/fixture"
	"github.com/softsearch-go/softsearch/model/text"
)

// wordsOf returns a sentence of n words.
func wordsOf(n int) []string { return strings.Fields(strings.Repeat("the cat sees a dog . ", n))[:n] }

// testTranslator returns a translator that is closed at the end of the test.
func testTranslator(t *testing.T, m *model.Model, o decode.Options) *translation.Translator {
	t.Helper()
	tr, err := translation.NewTranslator(m, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(tr.Close)
	return tr
}

// translate runs translate with a translator, without a meter.
func translate(ctx context.Context, tr *translation.Translator, stdout, stderr io.Writer, stdin io.Reader, nBest bool) error {
	return tr.Run(ctx, files.NewInput(ctx, files.StandardInput, stdin), files.StandardOutput(stdout), translation.Console{Stderr: stderr, Quiet: true}, nBest)
}

// translated returns what translate writes for stdin.
func translated(t *testing.T, tr *translation.Translator, stdin io.Reader) string {
	t.Helper()
	var out, stderr strings.Builder
	if err := translate(t.Context(), tr, &out, &stderr, stdin, false); err != nil || withoutLoops(stderr.String()) != "" {
		t.Fatalf("error %v, standard error %s", err, &stderr)
	}
	return out.String()
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
	threadsOf := map[int][]int{1: {1, 2, 3, 8}, 12: {3}} // by beam
	if !fixture.Full() {
		threadsOf = map[int][]int{1: {3}}
	}
	for beam, threadCounts := range threadsOf {
		var want strings.Builder
		alone := testTranslator(t, m, decode.Options{Beam: beam, Threads: 1})
		for _, line := range lines {
			want.WriteString(translated(t, alone, strings.NewReader(line+"\n")))
		}
		for _, threads := range threadCounts {
			input := strings.Join(lines, "\n")
			if threads > 2 {
				input += "\n"
			}
			tr := testTranslator(t, m, decode.Options{Beam: beam, Threads: threads})
			for _, c := range chunked {
				if got := translated(t, tr, c.read(strings.NewReader(input))); got != want.String() {
					t.Errorf("beam %d, %d threads, reader %s: got\n%s\nwant\n%s", beam, threads, c.name, got, &want)
				}
			}
		}
	}
}

// badText has an empty line and five that cannot be used, for a translator with 4 MiB.
var badText = "a dog\n\n\xff\na dog\n" + strings.Join(wordsOf(2000), " ") + "\n" + strings.Repeat("a ", 10_001) + "\na dog\n" +
	strings.Repeat("a", text.MaxLine+1) + "\nth\xe9"

// TestTranslateBadLines has lines that cannot be used between others.
func TestTranslateBadLines(t *testing.T) {
	m, readers := tinyModel(t), chunked
	if !fixture.Full() {
		readers = chunked[2:3]
	}
	tr := testTranslator(t, m, decode.Options{Threads: 3, Memory: 4 << 20})
	one := translated(t, tr, strings.NewReader("a dog\n"))
	const (
		warnings = `^rnnsearch: warning: standard input:3: invalid UTF-8, TREATMENT
rnnsearch: warning: standard input:5: source of 2001 words, .*: more than the capacity of 4.0 MiB, TREATMENT
rnnsearch: warning: standard input:6: sentence too long: 10001 words, expected at most 10000, TREATMENT
$`
		failure = "standard input: 5 of 9 lines cannot be used: TREATMENT"
	)
	for _, test := range []struct {
		nBest           bool
		treatment, want string
	}{
		{false, "translated as an empty line", one + "\n\n" + one + "\n\n" + one + "\n\n"},
		{true, "left out of the n-best lists", "0 ONE1 |||  ||| logprob= 0.000000 ||| 0.000000\n3 ONE6 ONE"},
	} {
		score := regexp.MustCompile(`logprob= \S+ \|\|\| \S+\n`).FindString(list(t, tr, "a dog\n"))
		want := strings.ReplaceAll(test.want, "ONE", "||| "+strings.TrimSuffix(one, "\n")+" ||| "+score)
		for _, c := range readers {
			var got, stderr strings.Builder
			err := translate(t.Context(), tr, &got, &stderr, c.read(strings.NewReader(badText)), test.nBest)
			if got.String() != want {
				t.Errorf("n-best %t, reader %s: got %q, want %q", test.nBest, c.name, &got, want)
			}
			if pattern := strings.ReplaceAll(warnings, "TREATMENT", test.treatment); !regexp.MustCompile(pattern).MatchString(withoutLoops(stderr.String())) {
				t.Errorf("n-best %t, reader %s: standard error %s\nwant %s", test.nBest, c.name, &stderr, pattern)
			}
			if wantErr := strings.ReplaceAll(failure, "TREATMENT", test.treatment); err == nil || err.Error() != wantErr {
				t.Errorf("n-best %t, reader %s: error %v, want %s", test.nBest, c.name, err, wantErr)
			}
		}
	}
}

// TestTranslateLoops has a model that writes one word until the maximum length, and warns about it.
func TestTranslateLoops(t *testing.T) {
	m := tinyModel(t)
	word := m.Target.Word(5)
	m.Parameters.B[5], m.Parameters.B[text.EOS] = 100, -100
	const warnings = `rnnsearch: warning: standard input:1: the translation repeats itself, repetitions left out
rnnsearch: warning: standard input:3: the translation repeats itself, repetitions left out
rnnsearch: warning: standard input:4: the translation repeats itself, repetitions left out
rnnsearch: warning: standard input: 4 lines like these in all: 1, 3, 4, 5, repetitions left out
`
	line := `\d \|\|\| ` + regexp.QuoteMeta(word) + ` \|\|\| .*\n`
	for best, want := range map[string]string{"0": word + "\n\n" + strings.Repeat(word+"\n", 3), "1": line + `1 \|.*\n` + line + line + line} {
		var out, stderr strings.Builder
		args := []string{"translate", "--model", saved(t, m), "--best", best}
		code := run(t.Context(), args, strings.NewReader("a dog\n\nthe cat\na cat\nthe dog\n"), &out, &stderr)
		if code != 0 || stderr.String() != warnings || !regexp.MustCompile("^"+want+"$").MatchString(out.String()) {
			t.Errorf("--best %s: exit code %d, got %s%s\nwant %s%s", best, code, &out, &stderr, want, warnings)
		}
	}
}

// TestTranslateFormatWarnings has sentences of a document that get a warning as lines do.
func TestTranslateFormatWarnings(t *testing.T) {
	m := tinyModel(t)
	m.Parameters.B[5], m.Parameters.B[text.EOS] = 100, -100
	var out, stderr strings.Builder
	code := run(t.Context(), []string{"translate", "--model", saved(t, m), "--format", "html"}, strings.NewReader("<p>a dog</p><p>the zebra fox jumps over</p>"), &out, &stderr)
	const want = `rnnsearch: warning: standard input: sentence 2: the model knows 1 of 5 words, not zebra, fox, jumps, over, expect a poor translation
rnnsearch: warning: standard input: sentence 1: the translation repeats itself, repetitions left out
rnnsearch: warning: standard input: sentence 2: the translation repeats itself, repetitions left out
`
	if code != 0 || stderr.String() != want {
		t.Errorf("exit code %d, %s, standard error\n%swant\n%s", code, &out, &stderr, want)
	}
}

// list returns the n-best list of a line.
func list(t *testing.T, tr *translation.Translator, line string) string {
	t.Helper()
	var out strings.Builder
	if err := translate(t.Context(), tr, &out, io.Discard, strings.NewReader(line), true); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// TestTranslateLongLines has lines at twice the length that the model has learned from, and longer ones.
func TestTranslateLongLines(t *testing.T) {
	for _, test := range []struct{ learned, limit int }{{0, 100}, {4, 8}} {
		m := tinyModel(t)
		m.LongestSource = test.learned
		var stdin, want strings.Builder
		for i, n := range []int{1, 0, -1, 1, 2, 5, 1} {
			n += test.limit
			stdin.WriteString(strings.Join(wordsOf(n), " ") + "\n")
			if n > test.limit && i < 5 {
				fmt.Fprintf(&want, "rnnsearch: warning: standard input:%d: sentence too long: %d words, the model has learned from at most %d, expect a poor translation\n", i+1, n, test.limit/2)
			}
		}
		want.WriteString("rnnsearch: warning: standard input: 5 lines like these in all, expect a poor translation\n")
		stdout, stderr, code := execute(stdin.String(), "translate", "--model", saved(t, m), "--max-length", "2", "--quiet")
		if stderr != want.String() || code != 0 || strings.Count(stdout, "\n") != 7 {
			t.Errorf("learned from %d: exit code %d, got %s\nwant %s", test.learned, code, stderr, &want)
		}
	}
}

// TestTranslateNotFinite has a model whose scores are not finite: the run ends at the first line with
// words.
func TestTranslateNotFinite(t *testing.T) {
	m := tinyModel(t)
	for i := range m.Parameters.B {
		m.Parameters.B[i] = float32(math.NaN())
	}
	var got strings.Builder
	err := translate(t.Context(), testTranslator(t, m, decode.Options{}), &got, io.Discard, strings.NewReader("\n\xff\na\na\n"), false)
	if !errors.Is(err, model.ErrNotFinite) || !strings.HasPrefix(err.Error(), "standard input:3: ") || got.String() != "\n\n" {
		t.Errorf("got %q and error %v", &got, err)
	}
}

// TestTranslateReadError has an input that fails within its third line.
func TestTranslateReadError(t *testing.T) {
	failed := errors.New("no more")
	stdin := io.MultiReader(strings.NewReader("\n\na"), iotest.ErrReader(failed))
	var got strings.Builder
	tr := testTranslator(t, tinyModel(t), decode.Options{MaxLength: 5})
	err := translate(t.Context(), tr, &got, io.Discard, stdin, false)
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
		err := translate(t.Context(), tr, stdout, io.Discard, stdin, false)
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

// TestTranslateLists prints n-best lists for equal lines and for empty ones.
func TestTranslateLists(t *testing.T) {
	path := saved(t, tinyModel(t))
	args := []string{"translate", "--model", path, "--max-length", "6"}
	one, _, _ := execute("the cat sees the dog .\n", args...)
	got, stderr, code := execute("\nthe cat sees the dog .\n\nthe cat sees the dog .\n", append(args, "--best", "3", "--normalize", "0.6")...)
	list := regexp.MustCompile(`(?m)^(\d) \|\|\| (.*) \|\|\| logprob= (-?\d+\.\d{6}) \|\|\| (-?\d+\.\d{6})$`).FindAllStringSubmatch(got, -1)
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
	if !strings.HasPrefix(best, "0 ||| "+strings.TrimSpace(one)+" ||| logprob= -") {
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
	if got := run("--model", unknown, "--forbid-unk", "--max-length", "3"); len(got) != 3 || slices.Contains(got, "<unk>") {
		t.Errorf("--forbid-unk: got %q, want three words other than <unk>", got)
	}
	for _, args := range [][]string{{"--replace-unk"}, nil} {
		for _, w := range run(append([]string{"--model", unknown, "--max-length", "4"}, args...)...) {
			if !slices.Contains([]string{"the", "zebra", "."}, w) {
				t.Errorf("%q: got %q, want a source word", args, w)
			}
		}
	}
	if got := run("--model", unknown, "--replace-unk=false", "--max-length", "2"); !slices.Equal(got, []string{"<unk>", "<unk>"}) {
		t.Errorf("--replace-unk=false: got %q, want <unk>", got)
	}
	if got := run("--model", short); len(got) != 0 {
		t.Errorf("EOS almost certain: got %q, want no words", got)
	}
	for _, n := range []string{"2", "30"} {
		if got := run("--model", short, "--min-length", n); len(got) != map[string]int{"2": 2, "30": 30}[n] {
			t.Errorf("--min-length %s: got %q", n, got)
		}
	}
	if got := run("--model", short, "--model", unknown, "--model", unknown, "--beam", "1", "--max-length", "3", "--replace-unk=false"); !slices.Equal(got, []string{"<unk>", "<unk>", "<unk>"}) {
		t.Errorf("two of three models prefer <unk>: got %q", got)
	}
}
