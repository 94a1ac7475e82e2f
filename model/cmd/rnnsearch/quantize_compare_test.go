package main

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/softsearch-go/softsearch/model/decode"
	"github.com/softsearch-go/softsearch/model/text"
)

// comparedAs returns the table of a comparison of the scores of pairs on those lines.
func comparedAs(before, after []decode.Translation, lines []int) string {
	var sums [2]float64
	words, most := 0, 0
	perWord := func(r decode.Translation) float64 { return r.LogProb / float64(len(r.IDs)) }
	for i := range before {
		sums[0] += before[i].LogProb
		sums[1] += after[i].LogProb
		words += len(before[i].IDs)
		if math.Abs(perWord(after[i])-perWord(before[i])) > math.Abs(perWord(after[most])-perWord(before[most])) {
			most = i
		}
	}
	row := func(a, b float64) string { return fmt.Sprintf("%10.5f%10.5f%+10.5f\n", a, b, b-a) }
	mean := [2]float64{sums[0] / float64(words), sums[1] / float64(words)}
	return fmt.Sprintf("%d pairs, %d target words; the largest change is in line %d\n", len(before), words, lines[most]) +
		"             float32      int8    change\n" +
		"log p/word" + row(mean[0], mean[1]) +
		fmt.Sprintf("%-10s", fmt.Sprintf("  line %d", lines[most])) + row(perWord(before[most]), perWord(after[most])) +
		"perplexity" + row(math.Exp(-mean[0]), math.Exp(-mean[1]))
}

// TestQuantizeCompare compares the table with scores of each pair alone, with and without an output.
func TestQuantizeCompare(t *testing.T) {
	m := tinyModel(t)
	pairs := mixed()
	q := quantized(t, m)
	var all []int
	for i := range pairs {
		all = append(all, i+1)
	}
	want := comparedAs(predictions(t, m, pairs), predictions(t, q, pairs), all)
	if strings.Contains(want, "+0.00000") || strings.Contains(want, "-0.00000") {
		t.Fatalf("nothing to compare:\n%s", want)
	}
	args := append([]string{"quantize", "--model", saved(t, m)}, pairFlags(t, pairs)...)
	for _, threads := range []string{"1", "2"} {
		if got, stderr, code := execute("", append(args, "--threads", threads)...); got != want || stderr != "" || code != 0 {
			t.Errorf("%s threads: exit code %d %s, got\n%swant\n%s", threads, code, stderr, got, want)
		}
	}
	output := filepath.Join(t.TempDir(), "q")
	got, stderr, code := execute("", append(args, "--output", output)...)
	if got != want || !strings.HasPrefix(stderr, "rnnsearch: quantized ") || code != 0 || content(t, output) != content(t, saved(t, q)) {
		t.Errorf("exit code %d %s, got\n%swant\n%s", code, stderr, got, want)
	}
	for line := range strings.Lines(want) {
		if strings.Contains(line, "float32") && len(line) > 41 {
			t.Errorf("%d columns, want 40: %s", len(line)-1, line)
		}
	}
}

// TestQuantizeCompareBadPairs has pairs that cannot be scored between others, in several forms: the
// table leaves them out, and the output is complete.
func TestQuantizeCompareBadPairs(t *testing.T) {
	m := tinyModel(t)
	q := quantized(t, m)
	source := []string{"the cat", "", "a dog", "\xff", "a", strings.Repeat("a ", 10_001), "the dog sees ."}
	target := []string{"le chat", "un", " \t", "le", "un \xff", "un", "le chien voit ."}
	var good []text.Pair
	for _, i := range []int{0, 6} {
		good = append(good, text.Pair{Source: strings.Fields(source[i]), Target: strings.Fields(target[i])})
	}
	want := comparedAs(predictions(t, m, good), predictions(t, q, good), []int{1, 7})
	model, file := saved(t, m), content(t, saved(t, q))
	for _, c := range compressions {
		a := write(t, "a", c.compress(t, strings.Join(source, "\n")))
		b := write(t, "b", c.compress(t, strings.Join(target, "\r\n")+"\r\n"))
		output := filepath.Join(t.TempDir(), "q")
		stdout, stderr, code := execute("", "quantize", "--model", model, "--source", a, "--target", b, "--output", output, "--quiet")
		wantErr := "rnnsearch: warning: " + a + ":2: empty line, expected a sentence, left out\n" +
			"rnnsearch: warning: " + b + ":3: empty line, expected a sentence, left out\n" +
			"rnnsearch: warning: " + a + ":4: invalid UTF-8, left out\n" +
			"rnnsearch: " + a + ", " + b + ": 5 of 7 lines cannot be used: left out\n"
		if stdout != want || stderr != wantErr || code != 1 || content(t, output) != file {
			t.Errorf("%s: exit code %d, got\n%swant\n%sstandard error\n%swant\n%s", c.name, code, stdout, want, stderr, wantErr)
		}
	}
	empty := write(t, "empty", "\n")
	stdout, stderr, code := execute("", "quantize", "--model", model, "--source", empty, "--target", empty)
	if stdout != "" || code != 1 || !strings.HasSuffix(stderr, ": 1 of 1 line cannot be used: left out\n") {
		t.Errorf("no pairs: exit code %d, got %q, standard error %s", code, stdout, stderr)
	}
}

// TestQuantizeInterrupted ends the context wherever quantize checks it: there is an output only after
// success, and no other file.
func TestQuantizeInterrupted(t *testing.T) {
	args := append([]string{"quantize", "--model", saved(t, tinyModel(t)), "--threads", "1"}, pairFlags(t, mixed()[7:20])...)
	for n, interrupted := int64(0), 0; ; n++ {
		output := filepath.Join(t.TempDir(), "q")
		stdout, stderr, code := executeContext(canceledAfter(n), "", append(args, "--output", output)...)
		names := strings.Join(entries(t, filepath.Dir(output)), " ")
		if code == 0 {
			if interrupted < 3 || names != "q" || stdout == "" {
				t.Errorf("complete after %d interruptions, standard output %q, files %q", interrupted, stdout, names)
			}
			return
		}
		interrupted++
		if code != interruptedCode || stdout != "" || stderr != "rnnsearch: interrupted\n" || names != "" {
			t.Fatalf("%d: exit code %d, standard output %q, standard error %q, files %q", n, code, stdout, stderr, names)
		}
	}
}
