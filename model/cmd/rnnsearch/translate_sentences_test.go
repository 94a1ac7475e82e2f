package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/cmd/internal/api"
	"github.com/softsearch-go/softsearch/model/text/bpe"
	"github.com/softsearch-go/softsearch/model/text/pipeline"
)

// plainTextModel returns a small model of plain text in English and French.
func plainTextModel(t *testing.T) *model.Model {
	t.Helper()
	m := tinyModel(t)
	for language, p := range map[string]*pipeline.Pipeline{"en": &m.SourceText, "fr": &m.TargetText} {
		var err error
		if *p, err = pipeline.New(pipeline.Settings{Language: language}); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

// TestTranslateSentences compares the translations of lines of several sentences with those of each
// sentence alone. Mr. ends no sentence.
func TestTranslateSentences(t *testing.T) {
	args := []string{"translate", "--model", saved(t, plainTextModel(t))}
	alone := func(sentence string) string {
		got, stderr, code := execute(sentence+"\n", args...)
		if code != 0 || len(got) < 2 {
			t.Fatalf("%q: %q, exit code %d, %s", sentence, got, code, stderr)
		}
		return strings.TrimSuffix(got, "\n")
	}
	first, second, third := alone("Mr. Dog sees the cat."), alone("The cat sleeps."), alone("A cat sees the cat?")
	if first == second || second == third {
		t.Fatalf("equal translations: %q", []string{first, second, third})
	}
	got, stderr, code := execute("Mr. Dog sees the cat. The cat sleeps.\n\n \t\nThe cat sleeps.\nA cat sees the cat?  The cat sleeps. Mr. Dog sees the cat.\n",
		append(args, "--split-sentences")...)
	want := first + " " + second + "\n\n\n" + second + "\n" + third + " " + second + " " + first + "\n"
	if got != want || stderr != "" || code != 0 {
		t.Errorf("got %q, want %q, exit code %d, standard error %s", got, want, code, stderr)
	}
}

// TestTranslateJoined compares paragraphs that are broken into lines with whole ones. Code is copied, and no JSON has it.
func TestTranslateJoined(t *testing.T) {
	args := []string{"translate", "--split-sentences", "--model", saved(t, plainTextModel(t))}
	whole, _, _ := execute("Mr. Dog sees the cat. The cat sleeps.\n\nA cat sees the cat?\n", args...)
	const broken = "Mr. Dog sees\nthe cat. The ca-\nt sleeps.\n\n```\nthe cat\n```\nA cat sees\nthe cat?\n"
	want := strings.Replace(whole, "\n\n", "\n\n```\nthe cat\n```\n", 1)
	if got, stderr, code := execute(broken, append(args, "--join-lines")...); got != want || stderr != "" || code != 0 {
		t.Errorf("got %q, want %q, exit code %d, standard error %s", got, want, code, stderr)
	}
	got, _, _ := execute(broken, append(args, "--join-lines", "--json")...)
	if strings.Count(got, "\n") != 3 || !strings.Contains(got, `{"line":7,"sentence":"A cat sees the cat?"`) {
		t.Errorf("JSON has\n%s", got)
	}
}

// TestTranslateSentencesLimits has lines whose sentences are short, and one with a long sentence.
func TestTranslateSentencesLimits(t *testing.T) {
	m := plainTextModel(t)
	m.LongestSource = 4
	args := []string{"translate", "--model", saved(t, m), "--max-length", "2", "--max-source", "12"}
	stdin := strings.Repeat("A dog sees a cat. ", 4) + "\n" + // 6 words each
		"A cat sees. A " + strings.Repeat("a ", 6) + "a dog. A cat eats.\n" + // 10 words in the middle
		"A dog. A " + strings.Repeat("a ", 10) + "a dog. A cat.\n" + // 14 words in the middle
		"\xff\n"
	want := "rnnsearch: warning: standard input:2: sentence too long: 10 words, the model has learned from at most 4, expect a poor translation\n" +
		"rnnsearch: warning: standard input:3: sentence too long: 14 words, expected at most 12, translated as an empty line\n" +
		"rnnsearch: warning: standard input:4: invalid UTF-8, translated as an empty line\n" +
		"rnnsearch: standard input: 2 of 4 lines cannot be used: translated as an empty line\n"
	got, stderr, code := execute(stdin, append(args, "--split-sentences")...)
	lines := strings.Split(got, "\n")
	if stderr != want || code != 1 || len(lines) != 5 || lines[2] != "" || lines[3] != "" ||
		len(strings.Fields(lines[0])) != 8 || len(strings.Fields(lines[1])) != 6 {
		t.Errorf("exit code %d, got %q and %s\nwant %s", code, lines, stderr, want)
	}
	_, stderr, _ = execute("A dog sees a cat. A cat sees the dog.\n", args...)
	if want := "the model has learned from at most 4, expect a poor translation or try --split-sentences\n"; !strings.HasSuffix(stderr, want) {
		t.Errorf("whole lines: got %s, want %s", stderr, want)
	}
}

// TestTranslateSentencesLost has lines of several sentences that are translated as one, with a warning unless
// they are said to be one.
func TestTranslateSentencesLost(t *testing.T) {
	plain, tokenized := saved(t, plainTextModel(t)), saved(t, tinyModel(t))
	const (
		stdin = "The cat sees the cat. A cat sees the cat.\nMr. Dog sees the cat and the cat.\n\n" +
			"The cat sees the cat? The cat sees the cat! A cat sees the cat.\n"
		one   = ": 2 sentences, the model translates one at a time, expect that some are lost"
		three = ": 3 sentences, the model translates one at a time, expect that some are lost"
		hint  = " or try --split-sentences"
	)
	warning := func(line, text string) string { return "rnnsearch: warning: standard input:" + line + text + "\n" }
	for args, want := range map[string]string{
		"translate --model " + plain:                                        warning("1", one+hint) + warning("4", three+hint),
		"translate --best 1 --model " + plain:                               warning("1", one) + warning("4", three),
		"align --model " + plain:                                            warning("1", one+" or give each a line") + warning("4", three+" or give each a line"),
		"translate --split-sentences=false --model " + plain:                "",
		"translate --split-sentences --model " + plain:                      "",
		"translate --model " + tokenized:                                    "",
		"align --model " + plain + " --source LINES --target LINES":         "",
		"score --model " + plain + " --source LINES --target LINES --words": "",
	} {
		args = strings.ReplaceAll(args, "LINES", write(t, "lines", "A dog. A cat."))
		if _, stderr, code := execute(stdin, strings.Fields(args)...); code != 0 || stderr != want && !strings.HasPrefix(args, "score") || strings.Contains(stderr, "sentences") != (want != "") {
			t.Errorf("%s: exit code %d, standard error %s\nwant %s", args, code, stderr, want)
		}
	}
}

func TestTranslateSentencesErrors(t *testing.T) {
	dir := t.TempDir()
	put(t, dir)
	checkRefusals(t, dir, []refusal{
		{"tokenized text", "translate --model DIR/model --split-sentences", "a\n",
			`--split-sentences: DIR/model is a model of tokenized text, expected one of plain text`},
		{"lists", "translate --model DIR/model --split-sentences --best 2", "a\n", `--split-sentences: expected without --best, or with --json`},
	})
}

// TestTranslateJSON compares the objects with the output of translate, score and align, and resumes.
func TestTranslateJSON(t *testing.T) {
	m := plainTextModel(t)
	path := saved(t, m)
	const stdin = "The dog sees zyx. The cat sleeps.\n\n\xff\na dog\n"
	args := []string{"translate", "--model", path, "--json", "--split-sentences", "--best", "2", "--normalize", "0.5", "--max-length", "3"}
	stdout, stderr, code := execute(stdin, args...)
	if code != 1 || !strings.HasSuffix(stderr, "1 of 4 lines cannot be used: written with the error\n") {
		t.Errorf("exit code %d, %s", code, stderr)
	}
	type object struct {
		Line            int
		Sentence, Error string
		Source          api.Side
		Best            []api.Translation
	}
	var list []object
	for line := range strings.Lines(stdout) {
		var o object
		d := json.NewDecoder(strings.NewReader(line))
		d.DisallowUnknownFields()
		if err := d.Decode(&o); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		list = append(list, o)
	}
	if len(list) != 4 || list[2].Line != 2 || list[2].Error != "invalid UTF-8" {
		t.Fatalf("got %+v", list)
	}
	list = slices.Delete(list, 2, 3)
	for i, want := range []object{{Line: 0, Sentence: "The dog sees zyx."}, {Line: 0, Sentence: "The cat sleeps."}, {Line: 3, Sentence: "a dog"}} {
		o := list[i]
		if o.Line != want.Line || o.Sentence != want.Sentence || len(o.Best) != 2 {
			t.Fatalf("got %+v, want %+v", o, want)
		}
		lists, _, _ := execute(o.Sentence+"\n", "translate", "--model", path, "--best", "2", "--normalize", "0.5", "--max-length", "3")
		var got strings.Builder
		for _, b := range o.Best {
			fmt.Fprintf(&got, "0 ||| %s ||| logprob= %.6f ||| %.6f\n", b.Text, b.LogProb, b.Score)
			sum := 0.0
			for _, token := range b.Target.Tokens {
				sum += *token.LogProb
			}
			if math.Abs(sum-b.LogProb) > 1e-9 || len(b.Alignment) != len(b.Target.Tokens) || len(b.Alignment[0]) != len(o.Source.Tokens) {
				t.Errorf("%s: log p of tokens %v, of all %v, %d×%d weights for %d×%d tokens", o.Sentence, sum, b.LogProb,
					len(b.Alignment), len(b.Alignment[0]), len(b.Target.Tokens), len(o.Source.Tokens))
			}
		}
		if got.String() != lists {
			t.Errorf("got\n%swant\n%s", &got, lists)
		}
	}
	words := list[0].Source.Words
	if unknown := list[0].Source.Tokens[3]; words[3].Text != "zyx" || words[3].Tokens != [2]int{3, 4} || !unknown.Unknown || unknown.Token != "zyx" {
		t.Errorf("source %+v", list[0].Source)
	}

	dir := t.TempDir()
	input, output := filepath.Join(dir, "in"), filepath.Join(dir, "out")
	if err := os.WriteFile(input, []byte(stdin), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, stderr, code := execute("", append(args, "--input", input, "--output", output, "--resume")...); code != 1 || content(t, output) != stdout {
		t.Errorf("--resume: exit code %d, %s, got\n%s\nwant\n%s", code, stderr, content(t, output), stdout)
	}
}

// TestTranslateWarnsUnknown warns where a model of whole words does not know most of a sentence.
func TestTranslateWarnsUnknown(t *testing.T) {
	m := plainTextModel(t)
	const stdin = "Hello, how are you?\nthe cat sees a zyx\na b c d e f g\nx\nx y\nx y\n\n"
	const want = "rnnsearch: warning: standard input:1: the model knows 0 of 6 words, not Hello, ,, how, are, you, …, expect a poor translation\n" +
		"rnnsearch: warning: standard input:3: the model knows 1 of 7 words, not b, c, d, e, f, …, expect a poor translation\n" +
		"rnnsearch: warning: standard input:4: the model knows 0 of 1 word, not x, expect a poor translation\n" +
		"rnnsearch: warning: standard input: 5 lines like these in all, expect a poor translation\n"
	args := []string{"translate", "--max-length", "2", "--model"}
	if _, stderr, code := execute(stdin, append(args, saved(t, m))...); stderr != want || code != 0 {
		t.Errorf("exit code %d, got\n%swant\n%s", code, stderr, want)
	}
	s := m.SourceText.Settings()
	s.Codes = bpe.Codes{}
	var err error
	if m.SourceText, err = pipeline.New(s); err != nil {
		t.Fatal(err)
	}
	if _, stderr, code := execute("x y\n", append(args, saved(t, m))...); stderr != "" || code != 0 {
		t.Errorf("segments: exit code %d, %s", code, stderr)
	}
}
