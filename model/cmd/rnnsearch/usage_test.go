package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/softsearch-go/softsearch/model/cmd/internal/alignment"
	"github.com/softsearch-go/softsearch/model/cmd/internal/training"
)

// TestUsage has command lines that the program refuses, and what it says about them before the usage
// of the command.
func TestUsage(t *testing.T) {
	for line, want := range map[string]string{
		"trian":                             `"trian": unknown command, did you mean train?`,
		"alig --model m":                    `"alig": unknown command, did you mean align?`,
		"translation":                       `"translation": unknown command, expected one of demo, train, `,
		"help aling":                        `"aling": unknown command, did you mean align?`,
		"m.safetensors":                     `"m.safetensors": unknown command, expected one of demo, train, `,
		"bleu --refrence r":                 `--refrence: unknown flag, did you mean --reference?`,
		"bleu --ref r":                      `--ref: unknown flag, did you mean --reference?`,
		"bleu -reference r":                 `-reference: unknown flag, did you mean --reference?`,
		"bleu -reference=r":                 `-reference=r: unknown flag, did you mean --reference?`,
		"bleu --bea":                        "--bea: unknown flag\n",
		"bleu --reference":                  `--reference: expected a value, as in --reference FILE`,
		"bleu --confidence=maybe":           `--confidence maybe: expected true or false`,
		"bleu --=r":                         `--=r: not a flag`,
		"bleu a.fr":                         `"a.fr": unexpected argument, expected --reference a.fr`,
		"bleu --reference a.fr b.fr":        `"b.fr": unexpected argument, expected < b.fr`,
		"info m.safetensors":                `"m.safetensors": unexpected argument, expected --model m.safetensors`,
		"info --model m.safetensors now":    `"now": unexpected argument, expected no argument`,
		"translate m.safetensors":           `"m.safetensors": unexpected argument, expected --model m.safetensors`,
		"translate a.en":                    `"a.en": unexpected argument, expected --input a.en`,
		"translate Hello, how are you?":     `"Hello,": unexpected argument, expected text on standard input, as in echo 'Hello, how are you?' | ` + runFromClone + ` translate`,
		"translate I don't know":            `"I": unexpected argument, expected text on standard input, as in echo 'I don'\''t know' | ` + runFromClone + ` translate`,
		"align --format map dog":            `"dog": unexpected argument, expected text on standard input, as in echo dog | ` + runFromClone + ` align`,
		"translate --model m text.en":       `"text.en": unexpected argument, expected --input text.en`,
		"translate --model m --input a b":   `"b": unexpected argument, expected no argument`,
		"train text.en text.fr":             `"text.en": unexpected argument, expected --source text.en`,
		"score a b":                         `"a": unexpected argument, expected --source a`,
		"quantise --model m":                `"quantise": unknown command, did you mean quantize?`,
		"quantize m.safetensors":            `"m.safetensors": unexpected argument, expected --model m.safetensors`,
		"quantize --model m":                `missing --output, or --source and --target`,
		"quantize --model m --target a":     `--target: expected --source, too`,
		"score":                             `missing --model, --source and --target`,
		"score --source a --model m":        `missing --target`,
		"align --model m --target a":        `--target: expected --source, too`,
		"completion":                        `missing shell: expected one of bash, zsh, fish, powershell`,
		"completion tcsh":                   `"tcsh": expected one of bash, zsh, fish, powershell`,
		"completion bash zsh":               `2 shells: expected one of bash, zsh, fish, powershell`,
		"translate --beam 5x --model m":     `--beam 5x: expected an integer`,
		"translate --normalize x":           `--normalize x: expected a number`,
		"info --model m --tensors --\x1b[1": `--\x1b[1: unknown flag`,
	} {
		stdout, stderr, code := execute("", strings.Split(line, " ")...)
		command, _, _ := strings.Cut(line, " ")
		usage := "\nusage: rnnsearch COMMAND; see rnnsearch --help\n"
		for _, c := range newRoot().Commands() {
			if c.Name() == command {
				usage = "\nusage: " + c.UseLine() + "; see rnnsearch " + command + " --help\n"
			}
		}
		switch command {
		case "help":
			usage = "\nusage: rnnsearch help [COMMAND]; see rnnsearch help --help\n"
		case "completion":
			usage = "\nusage: rnnsearch completion bash|zsh|fish|powershell; see rnnsearch completion --help\n"
		}
		if code != 1 || stdout != "" || !strings.HasPrefix(stderr, "rnnsearch: "+want) || !strings.HasSuffix(stderr, usage) || strings.Count(stderr, "\n") != 2 {
			t.Errorf("%s: exit code %d, standard output %q, standard error\n%swant\n%s%s", line, code, stdout, stderr, want, usage)
		}
	}
}

// TestHelpCommand compares help COMMAND with COMMAND --help.
func TestHelpCommand(t *testing.T) {
	for _, name := range []string{"bleu", "completion"} {
		want, _, _ := execute("", name, "--help")
		if got, stderr, code := execute("", "help", name); got != want || code != 0 {
			t.Errorf("help %s: exit code %d, %s, output\n%s", name, code, stderr, got)
		}
	}
	want, _, _ := execute("")
	if got, _, _ := execute("", "help"); got != want || !strings.Contains(got, " translate --model demo.safetensors\n") {
		t.Errorf("help has\n%s", got)
	}
}

// TestCompletion asks for completions as the scripts do.
func TestCompletion(t *testing.T) {
	const noFiles, files = ":4", ":0"
	commands := []string{"demo", "train", "average", "quantize", "translate", "serve", "site", "bleu", "score", "align", "aer", "info", "plot", "completion", "help"}
	for _, test := range []struct {
		line, directive string
		want            []string
	}{
		{"", noFiles, commands},
		{"help ", noFiles, commands},
		{"help train ", noFiles, nil},
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

func TestNearest(t *testing.T) {
	candidates := []string{"model", "source", "target", "max-length", "beam"}
	for name, want := range map[string]string{
		"modle": "model", "sourc": "source", "maxlength": "max-length", "max_length": "max-length", "max": "max-length",
		"b": "", "bea": "beam", "x": "", "xyz": "", "bream": "beam", "": "",
	} {
		if got := nearest(name, candidates); got != want {
			t.Errorf("nearest(%q) = %q, want %q", name, got, want)
		}
	}
}
