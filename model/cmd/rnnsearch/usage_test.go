package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/softsearch-go/softsearch/model/cmd/internal/alignment"
	"github.com/softsearch-go/softsearch/model/cmd/internal/training"
)

// TestUsage has command lines that the program refuses, and what it says before the usage of the command.
func TestUsage(t *testing.T) {
	for line, want := range map[string]string{
		"trian":                         `unknown command "trian" for "rnnsearch"; did you mean train`,
		"alig --model m":                `unknown command "alig" for "rnnsearch"; did you mean align`,
		"fly":                           `unknown command "fly" for "rnnsearch"`,
		"bleu --refrence r":             `unknown flag: --refrence; did you mean --reference`,
		"translate --threads 1025":      `--threads 1025: expected an integer, 0 to 1024`,
		"bleu --reference":              `flag needs an argument: --reference`,
		"bleu --confidence=maybe":       `--confidence maybe: expected true or false`,
		"bleu --seed -1":                `--seed -1: expected an integer, at least 0`,
		"translate --beam 5x --model m": `--beam 5x: expected an integer`,
		"translate --normalize x":       `--normalize x: expected a number`,
		"bleu a.fr":                     `"a.fr": unexpected argument`,
		"quantize --model m":            `missing --output, or --source and --target`,
		"score --source a --model m":    `required flag(s) "target" not set`,
		"align --model m --target a":    `if any flags in the group [source target] are set they must all be set; missing [source]`,
		"info --codes --tensors":        `if any flags in the group [tensors vocabulary codes] are set none of the others can be; [codes tensors] were all set`,
		"info --\x1b[1":                 `unknown flag: --\x1b[1`,
	} {
		stdout, stderr, code := execute("", strings.Split(line, " ")...)
		command, _, _ := strings.Cut(line, " ")
		usage := "\nusage: rnnsearch COMMAND; see rnnsearch --help\n"
		if c, _, err := newRoot().Find([]string{command}); err == nil {
			usage = "\nusage: " + c.UseLine() + "; see rnnsearch " + command + " --help\n"
		}
		if code != 1 || stdout != "" || stderr != "rnnsearch: "+want+usage {
			t.Errorf("%s: exit code %d, standard output %q, standard error\n%swant\n%s%s", line, code, stdout, stderr, want, usage)
		}
	}
}

// TestCompletion asks for completions as the scripts do.
func TestCompletion(t *testing.T) {
	const noFiles, files = ":4", ":0"
	commands := []string{"demo", "train", "average", "quantize", "translate", "serve", "site", "bleu", "score", "align", "aer", "info", "plot", "help", "completion"}
	for _, test := range []struct {
		line, directive string
		want            []string
	}{
		{"", noFiles, commands},
		{"align --format ", noFiles, alignment.Formats},
		{"train --recipe ", noFiles, training.RecipeNames()},
		{"align --model ", files, nil},
		{"align --beam ", noFiles, nil},
		{"quantize --output ", files, nil},
		{"quantize --threads ", noFiles, nil},
		{"score ", noFiles, []string{"--model", "--source", "--target"}},
		{"info ", noFiles, nil},
		{"plot ", files, nil},
		{"completion ", noFiles, []string{"bash", "zsh", "fish", "powershell"}},
		{"bleu --ref", noFiles, []string{"--reference"}},
	} {
		stdout, _, code := execute("", append([]string{"__complete"}, strings.Split(test.line, " ")...)...)
		lines := strings.Split(strings.TrimSuffix(stdout, "\n"), "\n")
		var got []string
		for _, line := range lines[:len(lines)-1] {
			word, _, _ := strings.Cut(line, "\t")
			got = append(got, word)
		}
		if directive := lines[len(lines)-1]; code != 0 || directive != test.directive || !slices.Equal(got, test.want) {
			t.Errorf("%q: exit code %d, got %q and %s, want %q and %s", test.line, code, got, directive, test.want, test.directive)
		}
	}
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		if stdout, stderr, code := execute("", "completion", shell); code != 0 || stderr != "" || !strings.Contains(stdout, "__complete") {
			t.Errorf("%s: exit code %d, %s, %d bytes", shell, code, stderr, len(stdout))
		}
	}
}
