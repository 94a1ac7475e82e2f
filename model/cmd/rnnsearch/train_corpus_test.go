package main

import (
	"slices"
	"strings"
	"testing"
)

// rawEnglish and rawFrench are parallel text that is not tokenized.
var (
	rawEnglish = []string{"The cat sleeps.", "Isn’t the dog asleep?", "“The dogs sleep!”"}
	rawFrench  = []string{"Le chat dort.", "N’est-ce pas que l'ami dort\u00a0?", "« Les chiens dorment ! »"}
)

// rawArgs returns a command that trains a small model, dir/m, on n copies of rawEnglish and rawFrench,
// validated on one.
func rawArgs(t *testing.T, dir string, n int, more ...string) []string {
	args := trainArgs(t, dir, "--source", write(t, "en", slices.Repeat(rawEnglish, n)...), "--target", write(t, "fr", slices.Repeat(rawFrench, n)...),
		"--valid-source", write(t, "valid.en", rawEnglish...), "--valid-target", write(t, "valid.fr", rawFrench...))
	args = append(args, strings.Fields("--vocab 100 --max-length 50 --batch 3 --source-language en --target-language fr --bpe 12")...)
	return append(args, more...)
}

// TestTrainRaw overfits three sentences of raw text with byte-pair encoding, and translates them and
// a line without words.
func TestTrainRaw(t *testing.T) {
	dir := t.TempDir()
	out := mustTrain(t, rawArgs(t, dir, 200, strings.Fields("--epochs 5 --embedding 16 --hidden 32 --alignment 16 --maxout 16")...))
	if !strings.Contains(out, "BLEU 100.00") {
		t.Errorf("got\n%swant a BLEU of 100", out)
	}
	stdin := strings.Join(rawEnglish, "\r\n") + "\n\x01\n"
	got, stderr, code := execute(stdin, "translate", "--model", dir+"/m")
	want := []string{"Le chat dort.", "N’est-ce pas que l'ami dort ?", "« Les chiens dorment ! »", ""}
	lines := strings.Split(strings.TrimSuffix(got, "\n"), "\n")
	if code != 0 || !slices.Equal(lines, want) || strings.Contains(got, "@@") {
		t.Errorf("got %q, want %q, exit code %d %s", lines, want, code, stderr)
	}
}

// TestTrainSpans trains with spans, and translates and scores lines with others.
func TestTrainSpans(t *testing.T) {
	dir := t.TempDir()
	english := write(t, "en", slices.Repeat([]string{"See `A_1`.", "See *b* or 25."}, 200)...)
	french := write(t, "fr", slices.Repeat([]string{"Voir `A_1`.", "Voir *b* ou 25."}, 200)...)
	mustTrain(t, rawArgs(t, dir, 1, append(strings.Fields("--epochs 5 --embedding 16 --hidden 32 --alignment 16 --maxout 16"),
		"--source", english, "--target", french)...))
	for _, tokenizer := range []string{"", "--split-sentences"} {
		args := append([]string{"translate", "--model", dir + "/m"}, strings.Fields(tokenizer)...)
		got, stderr, code := execute("See ``No.  One Two``.\nSee https://E.org/x or 1,234.\n", args...)
		if want := "Voir ``No.  One Two``.\nVoir https://E.org/x ou 1 234.\n"; code != 0 || got != want {
			t.Errorf("%s: got %q, want %q, exit code %d %s", tokenizer, got, want, code, stderr)
		}
	}
	columns, _ := scored(t, "--model", dir+"/m", "--source", write(t, "en", "See ``E f``."), "--target", write(t, "fr", "Voir ``E f``."), "--words")
	if !strings.Contains(columns[0][2], " ``E\u00a0f`` ") {
		t.Errorf("score of %q", columns[0][2])
	}
}
