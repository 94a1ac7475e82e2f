//go:build goexperiment.simd && amd64

package contender

import (
	"simd/archsimd"

	"github.com/softsearch-go/softsearch/bench/peers/suite"
)

// secondLevel is the number of weights that fit a second-level cache of 1 MiB.
const secondLevel = 256 << 10

// archSIMD lists products written in Go with simd/archsimd, as dot products of rows.
func archSIMD() []Contender {
	var list []Contender
	if archsimd.X86.AVX512() {
		list = append(list, dotProducts("archsimd-avx512", gemv512, gemm512))
	}
	if archsimd.X86.AVX2() && archsimd.X86.FMA() {
		list = append(list, dotProducts("archsimd-avx2", gemv256, gemm256))
	}
	return list
}

func dotProducts(name string, gemv func(y, w, x []float32), gemm func(y, w, x []float32, rows int)) Contender {
	return table{
		"Gemv": func(c suite.Case, m *suite.Memory) Operation {
			w, x, y := m.W(c), m.X(c), m.Floats(c.Rows)
			return once(y, func() { gemv(y, w, x) })
		},
		"Gemm": func(c suite.Case, m *suite.Memory) Operation {
			w, x, y := m.W(c), m.X(c), m.Floats(c.Batch*c.Rows)
			return once(y, func() { gemm(y, w, x, c.Batch) })
		},
	}.contender(name)
}

// addRest adds to y the products of the four rows of a with x from element k on.
func addRest(y, a, x []float32, k int) {
	if k == len(x) {
		return
	}
	for r := range y {
		y[r] += dot256(a[r*len(x)+k:(r+1)*len(x)], x[k:])
	}
}
