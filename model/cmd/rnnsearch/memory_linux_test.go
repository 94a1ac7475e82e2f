package main

import (
	"os"
	"strings"
	"testing"
)

// TestMemory runs commands that need more than the 16 GB of address space that they have.
func TestMemory(t *testing.T) {
	lines, large := write(t, "text", strings.Repeat("a b c .\n", 20)), write(t, "large")
	if err := os.Truncate(large, 1<<40); err != nil {
		t.Skip(err)
	}
	train := []string{"train", "--source", lines, "--target", write(t, "target", strings.Repeat("a b c .\n", 20)), "--model", t.TempDir() + "/model"}
	for _, c := range []struct {
		args []string
		says string
	}{
		{append(train, "--embedding", "16384", "--hidden", "16384", "--alignment", "16384", "--maxout", "16384"), "the training needs"},
		{[]string{"translate", "--model", large}, large + " needs"},
		{[]string{"info", "--model", large}, large + " needs"},
	} {
		limited := inShell(t, `ulimit -v 16000000 && exec "$0" "$@"`, c.args...)
		text, err := limited.CombinedOutput()
		if limited.ProcessState.ExitCode() != 1 || !strings.HasPrefix(string(text), "rnnsearch: not enough memory: "+c.says) {
			t.Errorf("%s: %v, %.500s, want exit code 1 and that %s more", c.args[0], err, text, c.says)
		}
	}
}
