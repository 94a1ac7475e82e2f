package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/softsearch-go/softsearch"

// imports lists, by top-level folder, what the packages in it may import of this module.
// A name stands for the folder and those below it.
var imports = map[string][]string{
	"asm":       {},
	"kernels":   {"asm"},
	"rnn":       {"kernels"},
	"attention": {"kernels"},
	"model":     {"kernels", "rnn", "attention", "model"},
	"bench":     {"kernels", "rnn", "attention", "model", "bench"},
}

// goTool runs the go command in the root of the repository.
func goTool(t *testing.T, arguments ...string) []byte {
	t.Helper()
	c := exec.Command("go", arguments...)
	c.Dir = ".."
	c.Env = append(os.Environ(), "GOFLAGS=")
	text, err := c.Output()
	if err != nil {
		t.Fatalf("%s: %v", c, err)
	}
	return text
}

func within(path, folder string) bool {
	return path == folder || strings.HasPrefix(path, folder+"/")
}

// TestImports holds the direction of the imports: model, then rnn and attention, then
// kernels, then asm.
func TestImports(t *testing.T) {
	seen := 0
	for _, arch := range []string{"amd64", "arm64"} {
		t.Setenv("GOARCH", arch)
		const format = "{{.ImportPath}} {{join .Imports \" \"}}"
		for line := range strings.Lines(string(goTool(t, "list", "-e", "-f", format, "./..."))) {
			words := strings.Fields(line)
			path, ok := strings.CutPrefix(words[0], module+"/")
			if !ok {
				continue
			}
			seen++
			top, _, _ := strings.Cut(path, "/")
			allowed, known := imports[top]
			if !known {
				t.Errorf("%s: no rule for the imports of this folder", path)
			}
			for _, imported := range words[1:] {
				imported, ok := strings.CutPrefix(imported, module+"/")
				if ok && !slices.ContainsFunc(allowed, func(folder string) bool { return within(imported, folder) }) {
					t.Errorf("GOARCH=%s: %s imports %s, and may import %q", arch, path, imported, allowed)
				}
			}
		}
	}
	if seen == 0 {
		t.Error("no packages are listed")
	}
}

// TestRawKernels: nobody but kernels imports the assembly, tests included, and gen imports
// asm for its constants alone.
func TestRawKernels(t *testing.T) {
	const format = "{{.ImportPath}} {{join .Imports \" \"}} {{join .TestImports \" \"}} {{join .XTestImports \" \"}}"
	found := false
	for line := range strings.Lines(string(goTool(t, "list", "-e", "-f", format, "./...", "./gen/..."))) {
		words := strings.Fields(line)
		path := strings.TrimPrefix(words[0], module+"/")
		for _, imported := range words[1:] {
			imported = strings.TrimPrefix(imported, module+"/")
			if !within(imported, "asm") {
				continue
			}
			found = found || path == "kernels"
			if path != "kernels" && !(imported == "asm" && within(path, "gen")) {
				t.Errorf("%s imports %s", path, imported)
			}
		}
	}
	if !found {
		t.Error("kernels imports nothing of asm")
	}
}

func TestRequirements(t *testing.T) {
	var mod struct {
		Module  struct{ Path string }
		Require []struct{ Path string }
	}
	if err := json.Unmarshal(goTool(t, "mod", "edit", "-json", "go.mod"), &mod); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range mod.Require {
		got = append(got, r.Path)
	}
	slices.Sort(got)
	want := []string{"github.com/klauspost/cpuid/v2", "golang.org/x/sys"}
	if mod.Module.Path != module || !slices.Equal(got, want) {
		t.Errorf("go.mod of %s requires %q, want those of %s: %q", mod.Module.Path, got, module, want)
	}
}
