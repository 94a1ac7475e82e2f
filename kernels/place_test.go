package kernels

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestPosition computes every part of a vector alone: the results of pointwise kernels depend on
// neither position nor length.
func TestPosition(t *testing.T) {
	const n = 83
	eachImpl(t, func(t *testing.T, k Impl) {
		for _, kn := range vectorKernels(n) {
			if !kn.pointwise {
				continue
			}
			for _, f := range sample(len(kn.name)) {
				values := operands(kn, f, 3)
				whole := clone(values)
				kn.run(k, whole)
				for from := range 20 {
					for to := from; to <= n; to += 1 + to/40 {
						part := make([][]float32, len(values))
						for i, v := range values {
							unit := len(v) / n
							part[i] = slices.Clone(v[from*unit : to*unit])
						}
						kn.run(k, part)
						for i, a := range kn.args {
							unit := a.n / n
							if at := differs(part[i], whole[i][from*unit:to*unit]); at >= 0 {
								t.Fatalf("%s %s, fill %s: elements %d to %d alone: %s[%d] = %g, want %g",
									k, kn.name, f.name, from, to, a.name, at, part[i][at], whole[i][from*unit+at])
							}
						}
					}
				}
			}
		}
	})
}

// TestInPlace compares the kernels whose result may replace an operand with portable Go on
// separate operands.
func TestInPlace(t *testing.T) {
	eachImpl(t, func(t *testing.T, k Impl) {
		for _, n := range []int{0, 1, 7, 8, 9, 15, 16, 17, 33, 67, block, block + 3} {
			for _, kn := range slices.Concat(vectorKernels(n), rowKernels(3, n, n)) {
				operand := slices.IndexFunc(kn.args, func(a arg) bool { return a.name == inPlace[kn.name] })
				if operand < 0 {
					continue
				}
				for _, f := range sample(n) {
					want := operands(kn, f, uint64(n))
					got := clone(want)
					got[0] = got[operand]
					kn.run(Impl{}, want)
					kn.run(k, got)
					for i, a := range kn.args {
						if at := differs(got[i], want[i]); at >= 0 && i != operand {
							t.Fatalf("%s %s %s, fill %s, %s in place of %s: %s[%d] = %g, want %g", k, kn.name, kn.shape,
								f.name, kn.args[0].name, kn.args[operand].name, a.name, at, got[i][at], want[i][at])
						}
					}
				}
			}
		}
	})
}

// TestInPlaceDocumented compares inPlace with the sentences "x may be y" in doc comments.
func TestInPlaceDocumented(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	first := map[string]string{}
	for _, kn := range slices.Concat(vectorKernels(1), rowKernels(1, 1, 1)) {
		first[kn.name] = kn.args[0].name
	}
	sentence := regexp.MustCompile(`(\w+) may be (\w+)`)
	documented := map[string]string{}
	for _, path := range files {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || !f.Name.IsExported() {
				continue
			}
			for _, words := range sentence.FindAllStringSubmatch(f.Doc.Text(), -1) {
				if words[1] != first[f.Name.Name] || documented[f.Name.Name] != "" {
					t.Errorf("%s: TestInPlace has no case for %q", f.Name, words[0])
				}
				documented[f.Name.Name] = words[2]
			}
		}
	}
	if !maps.Equal(documented, inPlace) {
		t.Errorf("the doc comments allow %v, and TestInPlace tries %v", documented, inPlace)
	}
}
