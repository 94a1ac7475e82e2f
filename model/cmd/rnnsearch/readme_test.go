package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// readmeCommands returns the commands of a section of the README.
func readmeCommands(t *testing.T, title string) string {
	t.Helper()
	readme, err := os.ReadFile(filepath.Join("..", "..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(readme), "\n## "+title+"\n")
	_, block, _ := strings.Cut(section, "```\n")
	commands, _, ok := strings.Cut(block, "```\n")
	if !ok {
		t.Fatalf("no commands under %q", title)
	}
	return commands
}

// TestReadme runs the commands that the README has for training, translation and evaluation, with
// this binary in place of the one that the first command builds.
func TestReadme(t *testing.T) {
	if testing.Short() {
		t.Skip("30 epochs")
	}
	dir := t.TempDir()
	for name, lines := range map[string][]string{
		"text.en": slices.Repeat(rawEnglish, 20), "text.fr": slices.Repeat(rawFrench, 20),
		"new.en": rawEnglish, "reference.fr": rawFrench,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(strings.Join(lines, "\n")+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	build, rest, _ := strings.Cut(readmeCommands(t, "Train a translator"), "\n")
	if build != "go build ./model/cmd/rnnsearch" {
		t.Errorf("first command %q", build)
	}
	out, err := runScript(t, dir, rest, "./rnnsearch")
	if err != nil || !strings.Contains(out, "\nchrF2|") {
		t.Fatalf("%v\n%s", err, out)
	}
	french, err := os.ReadFile(filepath.Join(dir, "new.fr"))
	if err != nil || strings.Count(string(french), "\n") != len(rawEnglish) {
		t.Errorf("translations %q, %v", french, err)
	}
	picture, err := os.ReadFile(filepath.Join(dir, "new.svg"))
	if err != nil || !strings.Contains(string(picture), "</svg>") {
		t.Errorf("picture of %d bytes, %v", len(picture), err)
	}
}
