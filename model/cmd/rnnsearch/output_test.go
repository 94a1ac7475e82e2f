package main

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// TestClosedOutput closes standard output, or sends it to a full device. A training goes on without its log, and ends
// with an error if it had one.
func TestClosedOutput(t *testing.T) {
	t.Parallel()
	model, text, log := saved(t, tinyModel(t)), write(t, "text", "a dog"), write(t, "log", trainedLog)
	pairs := []string{"--model", model, "--source", text, "--target", text}
	training := trainArgs(t, t.TempDir(), "--epochs", "1")
	for _, args := range [][]string{
		{"--version"}, {"completion", "bash"}, {"info", "--model", model}, {"bleu", "--reference", text}, {"plot", log},
		{"translate", "--model", model}, {"translate", "--model", model, "--input", text}, append([]string{"score"}, pairs...),
		append([]string{"align"}, pairs...), append([]string{"quantize"}, pairs...), training,
	} {
		for redirection, want := range map[string]string{">&-": "closed", "> /dev/full": "no space"} {
			if _, err := os.Stat("/dev/full"); err != nil && want == "no space" {
				continue
			}
			if args[0] == "train" && redirection == ">&-" {
				want = ""
			}
			c := inShell(t, `exec "$0" "$@" `+redirection, args...)
			c.Stdin = strings.NewReader("a dog\n")
			stderr, err := c.CombinedOutput()
			code := c.ProcessState.ExitCode()
			if code != min(len(want), 1) || !strings.Contains(string(stderr), want) {
				t.Errorf("%s %s: %v, %s", args, redirection, err, stderr)
			}
		}
	}
}

// TestClosedInput closes standard input, and opens a file without lines.
func TestClosedInput(t *testing.T) {
	t.Parallel()
	model := saved(t, tinyModel(t))
	for _, command := range []string{"translate", "align"} {
		for redirection, want := range map[string]string{"<&-": "rnnsearch: read standard input: closed, ", "</dev/null": ""} {
			stderr, err := inShell(t, `exec "$0" "$@" `+redirection, command, "--model", model).CombinedOutput()
			if (err == nil) != (want == "") || !strings.HasPrefix(string(stderr), want) {
				t.Errorf("%s %s: %v, %s", command, redirection, err, stderr)
			}
		}
	}
}

// TestNoLock writes files that cannot be locked, as on a file system without locks.
func TestNoLock(t *testing.T) {
	model, text := saved(t, tinyModel(t)), write(t, "text", "a dog")
	train := func(flag string) []string { return trainArgs(t, t.TempDir(), "--epochs", "1", flag, "DIR/out") }
	for _, args := range [][]string{
		{"translate", "--model", model, "--input", text, "--output", "DIR/out"},
		{"translate", "--model", model, "--input", text, "--output", "DIR/out", "--resume"},
		{"score", "--model", model, "--source", text, "--target", text, "--output", "DIR/out"},
		{"quantize", "--model", model, "--output", "DIR/out"},
		train("--model"), train("--checkpoint"), train("--cache"),
	} {
		dir := t.TempDir()
		for i, arg := range args {
			args[i] = strings.ReplaceAll(arg, "DIR", dir)
		}
		if err := os.Mkdir(dir+"/out.lock", 0o777); err != nil {
			t.Fatal(err)
		}
		if _, stderr, code := execute("", args...); code != 1 || !strings.Contains(stderr, dir+"/out: cannot be locked: ") {
			t.Errorf("%s: exit code %d, standard error %s", args, code, stderr)
		}
		wantFiles(t, dir, "out.lock")
		if _, stderr, code := execute("", append(args, "--no-lock")...); code != 0 || !slices.Contains(entries(t, dir), "out") {
			t.Errorf("%s: exit code %d, standard error %s", args, code, stderr)
		}
	}
}
