package contender

import (
	"github.com/tphakala/simd/cpu"
	"github.com/tphakala/simd/f32"

	"github.com/softsearch-go/softsearch/bench/peers/suite"
)

// oneRowAtATime is the number of weights from which DotProduct for each row is faster than
// DotProductStrided, which reads four rows at a time: those beyond the third-level cache.
const oneRowAtATime = 8 << 20

// tphakala is github.com/tphakala/simd. Its functions run on AVX2 where there is AVX2, its
// dot products on AVX-512 where there is that and SIMD_DISABLE does not say otherwise, so the
// two parts have their own names. The dot products of all rows with one vector are a Gemv.
func tphakala() []Contender {
	dots, functions := "tphakala-go", "tphakala-go"
	if cpu.X86.AVX && cpu.X86.FMA {
		dots = "tphakala-avx2"
	}
	if cpu.X86.AVX512F && cpu.X86.AVX512VL {
		dots = "tphakala-avx512"
	}
	if cpu.X86.AVX2 {
		functions = "tphakala-avx2"
	}
	return []Contender{
		table{
			"Gemv": func(c suite.Case, m *suite.Memory) Operation {
				w, x, y := m.W(c), m.X(c), m.Floats(c.Rows)
				if len(w) > oneRowAtATime {
					return once(y, func() {
						for i := range y {
							y[i] = f32.DotProduct(w[i*c.Cols:(i+1)*c.Cols], x)
						}
					})
				}
				return once(y, func() { f32.DotProductStrided(y, w, x, c.Rows, c.Cols, c.Cols) })
			},
		}.contender(dots),
		table{
			"Tanh":    elementwise(f32.Tanh),
			"Sigmoid": elementwise(f32.Sigmoid),
			"Exp":     elementwise(f32.Exp),
		}.contender(functions),
	}
}
