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
	args = append(args, strings.Fields("--vocab 100 --max-length 50 --batch 3 --source-language en --target-language fr --lowercase --bpe 12")...)
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
	want := []string{"le chat dort.", `n'est-ce pas que l'ami dort ?`, "« les chiens dorment ! »", ""}
	lines := strings.Split(strings.TrimSuffix(got, "\n"), "\n")
	if code != 0 || !slices.Equal(lines, want) || strings.Contains(got, "@@") {
		t.Errorf("got %q, want %q, exit code %d %s", lines, want, code, stderr)
	}
}
