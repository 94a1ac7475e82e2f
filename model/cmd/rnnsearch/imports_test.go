package main

import (
	"bytes"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestImports holds what this package is for: flags. Each file checks those of a command and calls one
// room, so it imports few packages of the project; the demonstration is a program of its own.
func TestImports(t *testing.T) {
	const (
		module                           = "github.com/softsearch-go/softsearch/"
		maxFiles, maxLines, maxOfProject = 25, 2_550, 4
	)
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	files, lines := 0, 0
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		content, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		files++
		lines += bytes.Count(content, []byte("\n"))
		f, err := parser.ParseFile(token.NewFileSet(), name, content, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		var imported []string
		for _, i := range f.Imports {
			if path, err := strconv.Unquote(i.Path.Value); err == nil && strings.HasPrefix(path, module) {
				imported = append(imported, strings.TrimPrefix(path, module))
			}
		}
		if len(imported) > maxOfProject && name != "demo.go" {
			t.Errorf("%s imports %d packages of the project, want at most %d: %q", name, len(imported), maxOfProject, imported)
		}
	}
	if files > maxFiles || lines > maxLines || files == 0 {
		t.Errorf("%d files of %d lines, want at most %d of %d", files, lines, maxFiles, maxLines)
	}
}
