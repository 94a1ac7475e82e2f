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

// imports lists, for each room, the rooms whose packages it may import. A room is a folder with
// those below it that are not rooms themselves.
var imports = map[string][]string{
	"asm":          {},
	"kernels":      {"asm"},
	"rnn":          {"kernels"},
	"attention":    {"kernels"},
	"model":        {"model", "rnn", "attention", "kernels"},
	"model/decode": {"model/decode", "model", "kernels"},
	"bench":        {"bench", "model/decode", "model", "rnn", "attention", "kernels"},
}

// room returns the room that the package at path belongs to, or "" if there is none.
func room(path string) (longest string) {
	for name := range imports {
		if within(path, name) && len(name) > len(longest) {
			longest = name
		}
	}
	return longest
}

func within(path, folder string) bool {
	return path == folder || strings.HasPrefix(path, folder+"/")
}

func mayImport(path, imported string) bool {
	return slices.Contains(imports[room(path)], room(imported))
}

// TestImports: imports go from model/decode to model, to rnn and attention, to kernels, to asm.
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
			if room(path) == "" {
				t.Errorf("%s is in no room", path)
			}
			for _, imported := range words[1:] {
				imported, ok := strings.CutPrefix(imported, module+"/")
				if ok && !mayImport(path, imported) {
					t.Errorf("GOARCH=%s: %s imports %s, want only imports of %q", arch, path, imported, imports[room(path)])
				}
			}
		}
	}
	if seen == 0 {
		t.Error("go list prints no packages")
	}
}

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

// TestRawKernels: only kernels imports the assembly, tests included, and gen imports only package asm
// itself, for its constants.
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
		t.Error("kernels imports no package of asm")
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
		t.Errorf("go.mod of %s requires %q, want %s and %q", mod.Module.Path, got, module, want)
	}
}
