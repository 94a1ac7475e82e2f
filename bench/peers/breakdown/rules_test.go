package breakdown

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// functions returns the source of every function of the packages that rules name, by the
// names that profiles give them.
func functions(t *testing.T) map[string]string {
	t.Helper()
	list := map[string]string{}
	for _, folder := range []string{"attention", "kernels", "model", "rnn"} {
		names, err := filepath.Glob(filepath.Join("../../..", folder, "*.go"))
		if err != nil || len(names) == 0 {
			t.Fatalf("no source of %s: %v", folder, err)
		}
		for _, name := range names {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			files := token.NewFileSet()
			file, err := parser.ParseFile(files, name, text, 0)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range file.Decls {
				if f, ok := d.(*ast.FuncDecl); ok {
					list[folder+"."+nameOf(f)] = string(text[files.Position(f.Pos()).Offset:files.Position(f.End()).Offset])
				}
			}
		}
	}
	return list
}

// nameOf returns "(*T).F" for a method of a pointer, "T.F" for one of a value, else "F".
func nameOf(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return f.Name.Name
	}
	switch r := f.Recv.List[0].Type.(type) {
	case *ast.StarExpr:
		return "(*" + r.X.(*ast.Ident).Name + ")." + f.Name.Name
	case *ast.Ident:
		return r.Name + "." + f.Name.Name
	}
	panic("receiver of a generic type")
}

// TestFramesExist: every frame of a rule is a function of the library, with the text that it
// asks for.
func TestFramesExist(t *testing.T) {
	all := functions(t)
	exists := func(name string) bool {
		for function, source := range all {
			for line := range strings.Lines(source) {
				if (frame{function, line}).is(name) {
					return true
				}
			}
		}
		return false
	}
	for _, r := range append(updateRules, stepRules...) {
		for name := range strings.SplitSeq(r.frames, " > ") {
			if !exists(name) {
				t.Errorf("%s ← %s: the library has no %s", r.part, r.frames, name)
			}
		}
	}
	if exists("model.(*Trainer).None") || exists("kernels.Impl.None*") || exists("model.(*Stepper).Step at nothing") {
		t.Error("functions that are not there are found")
	}
}

// TestPartsOfRules: every rule names a part of the operation.
func TestPartsOfRules(t *testing.T) {
	for _, o := range []operation{{rules: updateRules, parts: updateParts}, {rules: stepRules, parts: stepParts}} {
		parts := map[string]bool{}
		for _, p := range o.parts {
			parts[p.name] = true
		}
		for _, r := range o.rules {
			if !parts[r.part] {
				t.Errorf("%s ← %s: no such part", r.part, r.frames)
			}
		}
	}
}

func TestAttribute(t *testing.T) {
	stack := func(functions ...string) (list []frame) {
		for _, f := range functions {
			name, line, _ := strings.Cut(f, " at ")
			list = append(list, frame{name, line})
		}
		return list
	}
	rules := []rule{
		{"a", "m.F > k.G"},
		{"b", "m.F at p.Wo > k.*"},
		{"c", "k.G"},
	}
	for _, test := range []struct {
		stack []frame
		part  string
		ok    bool
	}{
		{stack("m.F", "x", "k.G", "y"), "a", true},
		{stack("m.F at k(p.Wo)", "k.H"), "b", true},
		{stack("k.G", "m.F"), "c", true},
		{stack("m.F", "kernels.Impl.New"), "", false},
		{stack("m.F", "k.H"), rest, true},
	} {
		if part, ok := attribute(rules, test.stack); part != test.part || ok != test.ok {
			t.Errorf("%s: part %q, %v, want %q, %v", names(test.stack), part, ok, test.part, test.ok)
		}
	}
}
