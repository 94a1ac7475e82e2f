package kernels

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

// TestTable checks that the tables of kernels name every method of Impl.
func TestTable(t *testing.T) {
	listed := map[string]bool{"String": true, "With": true, "Using": true, "Parallel": true, "Pack": true, "PackInt8": true} // not kernels, or Pack in new memory
	for _, list := range [][]kernel{vectorKernels(1), attentionKernels(1, 1, 1), rowKernels(1, 1, 1), productKernels(1, 1, 1), weightKernels(1, 1), int8Kernels(1, 1, 1), bf16Kernels(1, 1, 1)} {
		for _, kn := range list {
			listed[kn.name] = true
		}
	}
	for i, typ := 0, reflect.TypeFor[Impl](); i < typ.NumMethod(); i++ {
		if name := typ.Method(i).Name; !listed[name] {
			t.Errorf("no table of kernels has Impl.%s", name)
		}
	}
}

func TestAllocations(t *testing.T) {
	lists := [][]kernel{
		vectorKernels(100), attentionKernels(5, 70, 72), rowKernels(5, 70, 72), productKernels(1, 40, 70),
		productKernels(13, 70, 70), productKernels(300, 17, 300), weightKernels(40, 70),
		int8Kernels(1, 40, 70), int8Kernels(50, 70, 70), int8Kernels(1, 17, 20000),
		bf16Kernels(1, 40, 70), bf16Kernels(50, 70, 70), bf16Kernels(300, 17, 300),
	}
	eachImpl(t, func(t *testing.T, k Impl) {
		for _, list := range lists {
			for _, kn := range list {
				values := operands(kn, fills[0], 1)
				if n := testing.AllocsPerRun(3, func() { kn.run(k, values) }); n != 0 {
					t.Errorf("%s %s %s: %g allocations, want 0", k, kn.name, kn.shape, n)
				}
			}
		}
	})
}

// TestEscape: operands of kernels that a team does not divide stay on the caller's stack.
func TestEscape(t *testing.T) {
	eachImpl(t, func(t *testing.T, k Impl) {
		allocations := testing.AllocsPerRun(10, func() {
			var a, b, c [32]float32
			var indices [4]int32
			x, y, z := a[:], b[:], c[:]
			rows := Matrix{2, 16, 16, z}
			k.Exp(x, y)
			k.Tanh(x, y)
			k.Sigmoid(x, y)
			k.ReLU(x, y)
			k.TanhBackward(x, y, z)
			k.Add(x, y)
			k.Mul(x, y, z)
			k.Scale(x, 2)
			k.Decay(x, 0.5, 3)
			k.Softmax(x, y)
			k.SoftmaxBackward(x, y, z)
			k.Scores(x[:2], y[:16], rows, y[16:])
			k.WeightedSum(x[:16], y[:2], rows)
			k.WeightedSumAdd(x[:16], y[:2], rows)
			k.TopK(x[:4], indices[:], y)
			sink = k.Dot(x, y) + k.Norm(x) + k.Max(x) + k.LogSumExp(x) + k.CrossEntropy(x, 3)
		})
		if allocations != 0 {
			t.Errorf("%s: %g operands move to the heap, want none", k, allocations)
		}
	})
}

var sink float32

// TestZeroShapes: every kernel accepts lengths of 0.
func TestZeroShapes(t *testing.T) {
	list := vectorKernels(0)
	for _, s := range [][3]int{{0, 0, 0}, {0, 3, 3}, {3, 0, 3}, {3, 3, 0}, {1, 0, 3}, {1, 3, 0}, {1, 0, 0}} {
		list = append(list, productKernels(s[0], s[1], s[2])...)
		list = append(list, attentionKernels(s[0], s[1], s[1])...)
		list = append(list, rowKernels(s[0], s[1], s[1])...)
		list = append(list, weightKernels(s[1], s[2])...)
		list = append(list, int8Kernels(s[0], s[1], s[2])...)
		list = append(list, bf16Kernels(s[0], s[1], s[2])...)
	}
	eachImpl(t, func(t *testing.T, k Impl) {
		for _, kn := range list {
			values := operands(kn, fills[0], 1)
			if got := panics(func() { kn.run(k, values) }); got != nil {
				t.Errorf("%s %s %s: panic %v", k, kn.name, kn.shape, got)
			}
		}
	})
}

// TestZeroResults: a product or sum without terms is the value it starts from.
func TestZeroResults(t *testing.T) {
	none, noKeys, noRows := zeroMatrix(2, 0), zeroMatrix(3, 0), zeroMatrix(0, 3)
	w, bias := zeroPacked(3, 0), []float32{1, -2, 3}
	cases := []struct {
		name string
		run  func(k Impl, v []float32) // v starts as 4, 5, 6
		want func(k Impl, v []float32) // sets v to the expected result
	}{
		{"Gemm In=0", func(k Impl, v []float32) { k.Gemm(View(v, 1, 3), w, none.Slice(0, 1), bias, Tanh) },
			func(k Impl, v []float32) { k.Tanh(v, bias) }},
		{"Gemm In=0 without bias", func(k Impl, v []float32) { k.Gemm(View(v, 1, 3), w, none.Slice(0, 1), nil, Sigmoid) },
			func(_ Impl, v []float32) { copy(v, []float32{0.5, 0.5, 0.5}) }},
		{"GemmAdd In=0", func(k Impl, v []float32) { k.gemmAdd(View(v, 1, 3), w, none.Slice(0, 1), Sigmoid) },
			func(k Impl, v []float32) { k.Sigmoid(v, v) }},
		{"Gemv In=0", func(k Impl, v []float32) { k.Gemv(v, w, nil, bias, Identity) },
			func(_ Impl, v []float32) { copy(v, bias) }},
		{"GemvAdd In=0", func(k Impl, v []float32) { k.gemvAdd(v, w, nil, Tanh) },
			func(k Impl, v []float32) { k.Tanh(v, v) }},
		{"GemmGrad M=0", func(k Impl, v []float32) {
			dw := zeroPacked(1, 3)
			k.PackRows(dw, 0, View(v, 1, 3))
			k.gemmGrad(dw, zeroMatrix(0, 1), noRows, make([]float32, GradScratch(3)))
			dw.Unpack(View(v, 1, 3), 0)
		}, func(Impl, []float32) {}},
		{"SumRows rows=0", func(k Impl, v []float32) { k.SumRows(v, noRows) }, func(Impl, []float32) {}},
		{"WeightedSum rows=0", func(k Impl, v []float32) { k.WeightedSum(v, nil, noRows) },
			func(_ Impl, v []float32) { clear(v) }},
		{"Scores cols=0", func(k Impl, v []float32) { k.Scores(v, nil, noKeys, nil) },
			func(_ Impl, v []float32) { clear(v) }},
		{"ScoresBackward rows=0", func(k Impl, v []float32) { k.ScoresBackward(v, noRows, v, bias, noRows, bias, nil) },
			func(Impl, []float32) {}},
		{"WeightedSumAdd rows=0", func(k Impl, v []float32) { k.WeightedSumAdd(v, nil, noRows) }, func(Impl, []float32) {}},
		{"RowDots cols=0", func(k Impl, v []float32) { k.RowDots(v, noKeys, nil) },
			func(_ Impl, v []float32) { clear(v) }},
		{"SumSquares n=0", func(k Impl, v []float32) { v[0] = float32(k.SumSquares(nil)) },
			func(_ Impl, v []float32) { v[0] = 0 }},
	}
	eachImpl(t, func(t *testing.T, k Impl) {
		for _, c := range cases {
			got, want := []float32{4, 5, 6}, []float32{4, 5, 6}
			c.run(k, got)
			c.want(k, want)
			if i := differs(got, want); i >= 0 {
				t.Errorf("%s %s: %g, want %g", k, c.name, got, want)
			}
		}
	})
}

// TestExamples: every example that the README's table names is a function of the tests that it links to.
func TestExamples(t *testing.T) {
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := regexp.MustCompile("(?m)^\\|.*\\| `(Example\\w*)` \\|$").FindAllStringSubmatch(string(text), -1)
	if len(rows) == 0 || len(rows) > 20 {
		t.Fatalf("the table has %d rows, want 1 to 20", len(rows))
	}
	link := regexp.MustCompile(`\]\((\S+_test\.go)\)`)
	for _, row := range rows {
		files, err := filepath.Glob("example*_test.go")
		if m := link.FindStringSubmatch(row[0]); m != nil {
			files = m[1:]
		}
		found := false
		for _, file := range files {
			source, e := os.ReadFile(file)
			err = errors.Join(err, e)
			found = found || strings.Contains(string(source), "\nfunc "+row[1]+"() {")
		}
		if !found || err != nil {
			t.Errorf("%q have no func %s (%v)", files, row[1], err)
		}
	}
}
