package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// compiled are the functions of each source: two tests examine them.
var compiled = sync.OnceValues(func() (map[string][]*ir.Function, error) {
	functions := map[string][]*ir.Function{}
	for _, s := range avxSources {
		file, err := s.compile()
		if err != nil {
			return nil, err
		}
		functions[s.isa.Name] = append(functions[s.isa.Name], file.Functions()...)
	}
	return functions, nil
})

// functions calls f with every generated function and the package of asm that it is in.
func functions(t *testing.T, f func(isa string, fn *ir.Function)) {
	t.Helper()
	all, err := compiled()
	if err != nil {
		t.Fatal(err)
	}
	for isa, list := range all {
		if len(list) == 0 {
			t.Errorf("asm/%s has no functions", isa)
		}
		for _, fn := range list {
			f(isa, fn)
		}
	}
}

// checked returns, for every instruction set, the features that the dispatch of package kernels
// requires: for each isaX in list = append(list, isaX), the arguments of the call of Supports that
// guards it.
func checked(t *testing.T) map[string][]string {
	t.Helper()
	const path = "../kernels/isa_amd64.go"
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	features := map[string][]string{}
	ast.Inspect(file, func(n ast.Node) bool {
		guard, ok := n.(*ast.IfStmt)
		if !ok {
			return true
		}
		call, ok := guard.Cond.(*ast.CallExpr)
		if !ok {
			return true
		}
		if f, ok := call.Fun.(*ast.SelectorExpr); !ok || f.Sel.Name != "Supports" {
			return true
		}
		ast.Inspect(guard.Body, func(n ast.Node) bool {
			name, ok := n.(*ast.Ident)
			if !ok || !strings.HasPrefix(name.Name, "isa") {
				return true
			}
			isa := strings.ToLower(strings.TrimPrefix(name.Name, "isa"))
			for _, argument := range call.Args {
				features[isa] = append(features[isa], argument.(*ast.SelectorExpr).Sel.Name)
			}
			return true
		})
		return true
	})
	if len(features) == 0 {
		t.Fatalf("%s: no call of Supports guards an instruction set", path)
	}
	return features
}

// baseline lists the instruction sets of every amd64 processor.
var baseline = []string{"CMOV", "MMX+", "SSE", "SSE2"}

// implied lists the instruction sets that every processor with the key has.
var implied = map[string][]string{
	"AVX2":    {"AVX", "SSE3", "SSSE3", "SSE4.1", "SSE4.2"},
	"AVX512F": {"AVX2", "AVX", "FMA3", "SSE3", "SSSE3", "SSE4.1", "SSE4.2"},
}

// TestISA: functions only use instruction sets that the dispatch checks for before it calls them. avo
// records the same instruction set for the AVX2 form and the AVX-512 form of a mnemonic, so the test
// also examines registers.
func TestISA(t *testing.T) {
	features := checked(t)
	functions(t, func(isa string, fn *ir.Function) {
		allowed := slices.Clone(baseline)
		for _, feature := range features[isa] {
			allowed = append(append(allowed, feature), implied[feature]...)
		}
		for _, set := range fn.ISA {
			if !slices.Contains(allowed, set) {
				t.Errorf("asm/%s: %s uses %s, and kernels/isa_amd64.go checks for %q", isa, fn.Name, set, allowed)
			}
		}
		if !slices.Contains(fn.ISA, "AVX") && !slices.Contains(fn.ISA, "AVX512F") {
			t.Errorf("asm/%s: %s records %q, want AVX or AVX512F among them", isa, fn.Name, fn.ISA)
		}
		for _, i := range fn.Instructions() {
			for _, r := range i.Registers() {
				if wide(r) && !slices.Contains(allowed, "AVX512F") {
					t.Errorf("asm/%s: %s uses register %s, which only AVX-512 has", isa, fn.Name, r.Asm())
				}
			}
		}
	})
}

// wide reports whether only AVX-512 has r: a mask, 512 bits, or a vector register above 15.
func wide(r reg.Register) bool {
	physical, ok := r.(reg.Physical)
	if !ok || r.Kind() == reg.KindOpmask {
		return true
	}
	return r.Kind() == reg.KindVector && (r.Size() > 32 || physical.PhysicalIndex() > 15)
}

func TestVZeroUpper(t *testing.T) {
	functions(t, func(isa string, fn *ir.Function) {
		vectors, returns := false, 0
		for _, i := range fn.Instructions() {
			vectors = vectors || slices.ContainsFunc(i.Operands, func(o operand.Op) bool {
				return operand.IsYMM(o) || operand.IsZMM(o)
			})
		}
		if !vectors {
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
				t.Errorf("asm/%s: %s: a RET without VZEROUPPER directly before it", isa, fn.Name)
			}
		}
		if returns == 0 {
			t.Errorf("asm/%s: %s has no RET", isa, fn.Name)
		}
	})
}
