package kernels

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

// TestFusedPlaces compares the places where the compiler fuses a product and a sum with those that
// call fma or fmaSum, and the sums of fma_fused.go. A place that it leaves out has other bits, and so
// has an accidental one: that product needs a conversion, as in float32(x*y).
func TestFusedPlaces(t *testing.T) {
	tool, err := exec.LookPath("go")
	if err != nil || runtime.GOOS == "js" {
		t.Skip("needs the go command")
	}
	if !full() {
		t.Skip("compiles the package for six processors")
	}
	targets := []string{"GOARCH=amd64", "GOARCH=arm64", "GOARCH=loong64", "GOARCH=ppc64le", "GOARCH=riscv64", "GOARCH=s390x"}
	want := intendedPlaces(t)
	for _, target := range targets {
		c := exec.Command(tool, "build", "-tags", "purego", "-gcflags=-d=fmahash=vy", ".")
		c.Env = append(os.Environ(), "GOOS=linux", "GOAMD64=v3", target)
		output, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", target, err, output)
		}
		got := fusedPlaces(string(output))
		for place, name := range want {
			if !got[place] {
				t.Errorf("%s: %s: the compiler does not fuse the sum of %s", target, place, name)
			}
		}
		for place := range got {
			if want[place] == "" {
				t.Errorf("%s: %s: the compiler fuses a product that no conversion rounds", target, place)
			}
		}
	}
}

// fusedPlaces returns the places that the compiler's report names. A line has the places of the calls
// that were inlined, the outermost first, and at last that of the sum. That of an inlined fma is its
// call.
func fusedPlaces(report string) map[string]bool {
	place := regexp.MustCompile(`\w+\.go:\d+:\d+`)
	places := map[string]bool{}
	for line := range strings.Lines(report) {
		if !strings.Contains(line, "fmahash triggered") {
			continue
		}
		stack := place.FindAllString(line, -1)
		last := len(stack) - 1
		if last < 0 || strings.HasPrefix(stack[last], "fma.go:") { // products that are exact in float64
			continue
		}
		if last > 0 && strings.HasPrefix(stack[last], "fma_fused.go:") {
			last--
		}
		places[stack[last]] = true
	}
	return places
}

// intendedPlaces maps the places of the sums of products that should be fused to the function that
// holds them.
func intendedPlaces(t *testing.T) map[string]string {
	t.Helper()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	set, places := token.NewFileSet(), map[string]string{}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") || file == "fma.go" || file == "fma_emulated.go" {
			continue
		}
		syntax, err := parser.ParseFile(set, file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		var name string
		add := func(at token.Pos) {
			p := set.Position(at)
			places[fmt.Sprintf("%s:%d:%d", p.Filename, p.Line, p.Column)] = name
		}
		ast.Inspect(syntax, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				name = n.Name.Name
			case *ast.GenDecl, *ast.ArrayType, *ast.IndexExpr: // sums of integers
				return false
			case *ast.CallExpr:
				switch f, _ := n.Fun.(*ast.Ident); {
				case f != nil && f.Name == "fma":
					add(n.Lparen)
				case f != nil && f.Name == "fmaSum":
					add(n.Args[0].(*ast.BinaryExpr).OpPos)
				}
			case *ast.BinaryExpr:
				if x, ok := n.X.(*ast.BinaryExpr); ok && file == "fma_fused.go" && n.Op == token.ADD && x.Op == token.MUL {
					add(n.OpPos)
				}
			}
			return true
		})
	}
	return places
}
