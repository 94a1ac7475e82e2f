package main

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
)

func TestFiles(t *testing.T) {
	written := map[string]bool{}
	folders := map[string]bool{}
	for _, s := range sources {
		files, err := s.files()
		if err != nil {
			t.Fatal(err)
		}
		for path, want := range files {
			written[path], folders[s.isa] = true, true
			got, err := os.ReadFile(filepath.Join(output, path))
			if err != nil {
				t.Error(err)
				continue
			}
			if !bytes.Equal(got, want) {
				t.Errorf("asm/%s differs from what gen/%s/%s.go writes: run go generate ./...", path, s.isa, s.name)
			}
		}
	}
	for isa := range folders {
		entries, err := os.ReadDir(filepath.Join(output, isa))
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if path := isa + "/" + e.Name(); e.Name() != "doc.go" && !written[path] {
				t.Errorf("asm/%s: nothing in gen writes it", path)
			}
		}
	}
}

// functions calls f with every generated function.
func functions(t *testing.T, f func(s source, fn *ir.Function)) {
	t.Helper()
	count := 0
	for _, s := range sources {
		file, err := s.compile()
		if err != nil {
			t.Fatal(err)
		}
		for _, fn := range file.Functions() {
			f(s, fn)
			count++
		}
	}
	if count < len(sources) {
		t.Errorf("%d sources write %d functions", len(sources), count)
	}
}

// checked returns the features that the dispatch of package kernels asks cpuid for.
func checked(t *testing.T) (features []string) {
	t.Helper()
	const path = "../kernels/dispatch_amd64.go"
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		if f, ok := call.Fun.(*ast.SelectorExpr); !ok || f.Sel.Name != "Supports" {
			return true
		}
		for _, argument := range call.Args {
			if feature, ok := argument.(*ast.SelectorExpr); ok {
				features = append(features, feature.Sel.Name)
			}
		}
		return true
	})
	if len(features) == 0 {
		t.Fatalf("%s: no call of Supports", path)
	}
	return features
}

// implied lists the instruction sets that every processor with the key has.
var implied = map[string][]string{
	"AVX2": {"AVX", "SSE", "SSE2", "SSE3", "SSSE3", "SSE4.1", "SSE4.2"},
}

func TestISA(t *testing.T) {
	var allowed []string
	for _, feature := range checked(t) {
		allowed = append(append(allowed, feature), implied[feature]...)
	}
	functions(t, func(s source, fn *ir.Function) {
		for _, isa := range fn.ISA {
			if !slices.Contains(allowed, isa) {
				t.Errorf("asm/%s: %s needs %s, and kernels/dispatch_amd64.go checks %q", s.isa, fn.Name, isa, allowed)
			}
		}
		if !slices.Contains(fn.ISA, "AVX") {
			t.Errorf("asm/%s: %s records %q, want AVX among them", s.isa, fn.Name, fn.ISA)
		}
	})
}

func TestVZeroUpper(t *testing.T) {
	functions(t, func(s source, fn *ir.Function) {
		wide, returns := false, 0
		for _, i := range fn.Instructions() {
			wide = wide || slices.ContainsFunc(i.Operands, operand.IsYMM)
		}
		if !wide {
			return
		}
		for n, node := range fn.Nodes {
			if i, ok := node.(*ir.Instruction); !ok || i.Opcode != "RET" {
				continue
			}
			returns++
			before, ok := (*ir.Instruction)(nil), n > 0
			if ok {
				before, ok = fn.Nodes[n-1].(*ir.Instruction)
			}
			if !ok || before.Opcode != "VZEROUPPER" {
				t.Errorf("asm/%s: %s: a RET without VZEROUPPER directly before it", s.isa, fn.Name)
			}
		}
		if returns == 0 {
			t.Errorf("asm/%s: %s has no RET", s.isa, fn.Name)
		}
	})
}
