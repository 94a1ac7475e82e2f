package main

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/softsearch-go/softsearch/model/grammar"
	"github.com/softsearch-go/softsearch/model/internal/fixture"
	"github.com/softsearch-go/softsearch/model/text"
)

// putLinks writes links from all target words of the training text of trainArgs to the first or the last source word,
// and returns the path.
func putLinks(t *testing.T, dir string, last bool) string {
	t.Helper()
	pairs, _ := grammar.Pairs(1, 60, 10)
	var b strings.Builder
	for _, p := range pairs {
		word := 0
		if last {
			word = len(p.Source) - 1
		}
		for i := range p.Target {
			fmt.Fprintf(&b, "%d-%d ", word, i)
		}
		b.WriteByte('\n')
	}
	path := dir + "/links"
	if err := os.WriteFile(path, []byte(b.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestTrainGuided trains on links to the first word, and with segments to the last one, until the attention is there,
// and resumes.
func TestTrainGuided(t *testing.T) {
	variants := []string{" --bpe 30", ""}
	if !fixture.Full() {
		variants = variants[:1]
	}
	for _, flags := range variants {
		dir, more := t.TempDir(), strings.Fields("--optimizer adam --learning-rate 0.01 --best-by loss --max-length 60 --guided-weight 20"+flags)
		links := putLinks(t, dir, flags != "")
		args := trainArgs(t, dir, append(more, "--guided-alignment", links)...)
		mustTrain(t, append(args, "--epochs", "20"))
		out := aligns(t, "", "--tokens", "--model", dir+"/m", "--source", dir+"/source", "--target", dir+"/target")
		want := strings.Fields(string(read(t, links)))
		got := strings.Fields(strings.Join(out, "\n"))
		found := 0
		for i, link := range got {
			if len(got) == len(want) && link == want[i] {
				found++
			}
		}
		if float64(found) < 0.9*float64(len(want)) {
			t.Errorf("flags %q: %d of %d links found among %d", flags, found, len(want), len(got))
		}

		whole, parts := t.TempDir(), t.TempDir()
		mustTrain(t, append(trainArgs(t, whole, append(more, "--guided-alignment", links)...), "--epochs", "3"))
		resumed := trainArgs(t, parts, append(more, "--guided-alignment", links)...)
		mustTrain(t, append(resumed, "--epochs", "1"))
		if _, stderr, code := execute("", append(without(slices.Clone(resumed), "--guided-alignment"), "--epochs", "3")...); code != 1 || !strings.Contains(stderr, "--guided-") {
			t.Errorf("resumed without links: exit code %d, %s", code, stderr)
		}
		mustTrain(t, append(resumed, "--epochs", "3"))
		if !bytes.Equal(read(t, whole+"/m"), read(t, parts+"/m")) {
			t.Error("another model after a resumption")
		}
	}
}

// TestAlignTokens compares the tokens of align --tokens with those of the text, and sums of weights with 1.
func TestAlignTokens(t *testing.T) {
	dir := t.TempDir()
	mustTrain(t, trainArgs(t, dir, "--bpe", "30"))
	pairs, _ := grammar.Pairs(1, 60, 10)
	for i, o := range objects(t, aligns(t, "", "--format", "json", "--tokens", "--model", dir+"/m", "--source", dir+"/source", "--target", dir+"/target")) {
		got := text.Pair{Source: o.Source[:len(o.Source)-1], Target: o.Target[:len(o.Target)-1]}
		if fmt.Sprint(got) != fmt.Sprint(pairs[i]) || len(o.Weights) != len(o.Target) {
			t.Fatalf("pair %d: got %v, want %v", i, got, pairs[i])
		}
		for _, row := range o.Weights {
			sum := 0.0
			for _, weight := range row {
				sum += float64(weight)
			}
			if len(row) != len(o.Source) || !(sum > 0.9999 && sum < 1.0001) {
				t.Errorf("pair %d: %d weights of sum %v", i, len(row), sum)
			}
		}
	}
}

func TestTrainGuidedErrors(t *testing.T) {
	dir := t.TempDir()
	links := putLinks(t, dir, false)
	short := write(t, "short", "0-0")
	for _, test := range []struct{ flags, want string }{
		{"--guided-weight 2", "--guided-weight 2: expected with --guided-alignment"},
		{"--guided-alignment " + links + " --guided-alignment " + links, "--guided-alignment: 2 files, --source: 1; expected as many"},
		{"--kind encdec --guided-alignment " + links, "--guided-alignment " + links + ": expected only with --kind search"},
		{"--guided-alignment " + links + " --guided-weight -1", "weight -1 of guided alignment, expected 0 to 1024"},
		{"--guided-alignment " + short, short + ": unequal numbers of lines: ends before line 2"},
		{"--guided-alignment " + dir + "/no", "no such file or directory"},
	} {
		args := append(trainArgs(t, dir), strings.Fields(test.flags)...)
		if strings.Contains(test.flags, "encdec") {
			args = without(args, "--alignment")
		}
		_, stderr, code := execute("", args...)
		if code != 1 || !strings.Contains(stderr, test.want) {
			t.Errorf("%s: exit code %d, %s, want %s", test.flags, code, stderr, test.want)
		}
	}
}
