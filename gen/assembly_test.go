package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestWithoutAssembly lists the packages for several architectures. With the tags purego and noasm
// none contains assembly or imports it; without them some do on amd64 and arm64.
func TestWithoutAssembly(t *testing.T) {
	needsFull(t)
	t.Setenv("CGO_ENABLED", "0")
	list := func(arch, tags string) (found []string) {
		t.Setenv("GOARCH", arch)
		const format = "{{.ImportPath}} {{len .SFiles}} {{join .Imports \" \"}}"
		text := string(goTool(t, "list", "-e", "-tags", tags, "-f", format, "./..."))
		if !strings.Contains(text, module+"/kernels ") {
			t.Fatalf("GOARCH=%s tags %q: kernels is not listed", arch, tags)
		}
		for line := range strings.Lines(text) {
			words := strings.Fields(line)
			imported := slices.ContainsFunc(words[2:], func(path string) bool { return strings.HasPrefix(path, module+"/asm/") })
			if words[1] != "0" || imported {
				found = append(found, words[0])
			}
		}
		return found
	}
	for _, arch := range []string{"amd64", "arm64", "riscv64"} {
		for _, tags := range []string{"purego", "noasm"} {
			if found := list(arch, tags); len(found) > 0 {
				t.Errorf("GOARCH=%s tags %s: packages with assembly: %q, want none", arch, tags, found)
			}
		}
	}
	for _, arch := range []string{"amd64", "arm64"} {
		if found := list(arch, ""); !slices.Contains(found, module+"/kernels") || len(found) < 2 {
			t.Errorf("GOARCH=%s without tags: packages with assembly: %q, want kernels and those that it imports", arch, found)
		}
	}
}

// TestDeclarations: a function of an assembly file is NOSPLIT unless its variables on the stack take more than
// 256 bytes, for which the stack may have to grow, and the Go file beside it declares the same functions as go:noescape.
func TestDeclarations(t *testing.T) {
	text := regexp.MustCompile(`(?m)^TEXT ·(\w+)\(SB\), (?:(.*), )?\$(\d+)`)
	paths, err := filepath.Glob(output + "/*/*.s")
	if err != nil || len(paths) != len(sources) {
		t.Fatalf("%d assembly files, want %d (%v)", len(paths), len(sources), err)
	}
	for _, path := range paths {
		assembly, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var written []string
		for _, line := range text.FindAllStringSubmatch(string(assembly), -1) {
			written = append(written, line[1])
			frame, err := strconv.Atoi(line[3])
			if nosplit := slices.Contains(strings.Split(line[2], "|"), "NOSPLIT"); err != nil || nosplit != (frame <= 256) {
				t.Errorf("%s: %s has NOSPLIT %t and %s bytes of variables", path, line[1], nosplit, line[3])
			}
		}
		if n := strings.Count(string(assembly), "TEXT"); n != len(written) || n == 0 {
			t.Errorf("%s: the test understands %d of %d TEXT lines", path, len(written), n)
		}
		if declared := noescape(t, strings.TrimSuffix(path, ".s")+".go"); !slices.Equal(declared, written) {
			t.Errorf("%s: its Go file declares %q as go:noescape, want %q", path, declared, written)
		}
	}
}

// noescape returns the functions of a Go file that have no body and the directive go:noescape.
func noescape(t *testing.T, path string) (names []string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if ok && f.Body == nil && f.Doc != nil && slices.ContainsFunc(f.Doc.List, func(c *ast.Comment) bool { return c.Text == "//go:noescape" }) {
			names = append(names, f.Name.Name)
		}
	}
	return names
}
