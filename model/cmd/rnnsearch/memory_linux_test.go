package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestMemory runs commands that need more than the 16 GB of address space that they have.
func TestMemory(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	lines, large := write("text", strings.Repeat("a b c .\n", 20)), write("large", "")
	if err := os.Truncate(large, 1<<40); err != nil {
		t.Skip(err)
	}
	train := []string{"train", "--source", lines, "--target", lines, "--model", filepath.Join(dir, "model")}
	for _, c := range []struct {
		args []string
		says string
	}{
		{append(train, "--embedding", "16384", "--hidden", "16384", "--alignment", "16384", "--maxout", "16384"), "the training needs"},
		{[]string{"translate", "--model", large}, large + " needs"},
		{[]string{"info", "--model", large}, large + " needs"},
	} {
		limited := command(t, c.args...)
		limited.Args = append([]string{"sh", "-c", `ulimit -v 16000000 && exec "$0" "$@"`, limited.Path}, c.args...)
		shell, err := exec.LookPath("sh")
		if err != nil {
			t.Skip(err)
		}
		limited.Path = shell
		text, err := limited.CombinedOutput()
		if limited.ProcessState.ExitCode() != 1 || !strings.HasPrefix(string(text), "rnnsearch: not enough memory: "+c.says) {
			t.Errorf("%s: %v, %.500s, want exit code 1 and that %s more", c.args[0], err, text, c.says)
		}
	}
}
