package bench

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/softsearch-go/softsearch/kernels"
)

// A contender is an opponent in Go without SIMD or one implementation of the kernels.
type contender struct {
	name  string
	naive bool // an opponent; k is unused
	k     kernels.Impl
}

// contenders returns the opponents of these names and every implementation of the kernels
// on this machine.
func contenders(opponents ...string) []contender {
	var list []contender
	for _, name := range opponents {
		list = append(list, contender{name: name, naive: true})
	}
	for _, k := range kernels.Available() {
		list = append(list, contender{name: k.String(), k: k})
	}
	return list
}

// reading returns the contenders that read operands and compute nothing: the bound of an implementation.
func reading() (list []contender) {
	for _, k := range kernels.Available() {
		if readers[k.String()] != nil {
			list = append(list, contender{name: "read-" + k.String(), naive: true, k: k})
		}
	}
	return list
}

// reads returns the function that reads x, as many whole blocks as it has.
func (c contender) reads(x []float32) func() {
	const block = 512 / 4
	return func() { readers[c.k.String()](&x[0], len(x)/block) }
}

// full reports whether benchmarks take the largest sizes, too.
var full = os.Getenv("SOFTSEARCH_TEST") == "full"

// quick returns the contenders of a large benchmark. Those without SIMD take part where all sizes do.
func quick(list []contender) []contender {
	return slices.DeleteFunc(list, func(c contender) bool { return !full && (c.naive || c.name == "go") })
}

// each compares naive Go with every implementation of the kernels.
func each(b *testing.B, size string, m metric, prepare func(c contender, r source) func()) {
	compare(b, contenders("naive"), size, m, prepare)
}

// compare runs one benchmark of that size for every contender. prepare makes operands from r
// and returns the operation on them that is timed.
func compare(b *testing.B, list []contender, size string, m metric, prepare func(c contender, r source) func()) {
	for _, c := range list {
		b.Run(fmt.Sprintf("impl=%s/%s", c.name, size), func(b *testing.B) {
			run := prepare(c, newSource())
			b.ReportAllocs()
			for b.Loop() {
				run()
			}
			ns := float64(b.Elapsed().Nanoseconds()) / float64(b.N)
			b.ReportMetric(m.value(ns), m.unit)
		})
	}
}

// A metric is a value derived from the nanoseconds that one operation takes.
type metric struct {
	unit  string
	value func(ns float64) float64
}

// bandwidth reports operations that read count float32 values.
func bandwidth(count int) metric {
	return metric{"GB/s", func(ns float64) float64 { return 4 * float64(count) / ns }}
}

// arithmetic reports operations of count multiplications and as many additions.
func arithmetic(count int) metric {
	return metric{"GFLOP/s", func(ns float64) float64 { return 2 * float64(count) / ns }}
}

func perElement(n int) metric {
	return metric{"ns/elem", func(ns float64) float64 { return ns / float64(n) }}
}

// A source gives operands. Two sources give the same values in the same order.
type source struct{ rng *rand.Rand }

func newSource() source { return source{rand.New(rand.NewPCG(1409, 473))} }

func (s source) uniform(n int, limit float32) []float32 {
	x := kernels.Alloc(n)
	for i := range x {
		x[i] = limit * (2*s.rng.Float32() - 1)
	}
	return x
}

// zeros returns n zeros for results. They share no cache line with other operands, and their memory has been
// written: the operating system takes more time for the first write to a page than a kernel for its values.
func zeros(n int) []float32 {
	x := kernels.Alloc(n)
	clear(x)
	return x
}

// pack returns row-major matrices of in columns stacked into one packed matrix.
func pack(k kernels.Impl, in int, matrices ...[]float32) kernels.Packed {
	out := 0
	for _, m := range matrices {
		out += len(m) / in
	}
	w := kernels.NewPacked(out, in)
	row := 0
	for _, m := range matrices {
		rows := len(m) / in
		k.PackRows(w, row, kernels.View(m, rows, in))
		row += rows
	}
	return w
}
