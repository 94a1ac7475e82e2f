//go:build openblas && amd64

package contender

/*
#cgo CFLAGS: -O2
#include <immintrin.h>
#include <stddef.h>

static volatile float sink;

// Stores the sum of the lanes, so that the compiler drops none of the work.
static void keep(const float *lanes, int n) {
	float s = 0;
	for (int i = 0; i < n; i++)
		s += lanes[i];
	sink = s;
}

#define BOUNDS(suffix, isa, vector, width, load, add, fma, set)                          \
	__attribute__((target(isa)))                                                      \
	static void read_##suffix(int count, const float *p, size_t n) {                  \
		vector s[8];                                                              \
		for (int j = 0; j < 8; j++) s[j] = set(0);                                \
		while (count-- > 0) {                                                     \
			_Pragma("GCC unroll 1")                                           \
			for (size_t i = 0; i + 8 * width <= n; i += 8 * width) {          \
				_Pragma("GCC unroll 8")                                   \
				for (int j = 0; j < 8; j++)                               \
					s[j] = add(s[j], load(p + width * j + i));          \
			}                                                                 \
			__asm__ volatile("" ::: "memory");                                \
		}                                                                         \
		keep((const float *)s, 8 * width);                                        \
	}                                                                                 \
	__attribute__((target(isa)))                                                      \
	static void peak_##suffix(size_t n) {                                             \
		vector s[12], x = set(0.999f), y = set(0.001f);                           \
		for (int j = 0; j < 12; j++) s[j] = set(0.1f * j);                        \
		for (size_t i = 0; i < n; i += 12 * width) {                              \
			_Pragma("GCC unroll 12")                                          \
			for (int j = 0; j < 12; j++) s[j] = fma(s[j], x, y);              \
		}                                                                         \
		keep((const float *)s, 12 * width);                                       \
	}

BOUNDS(avx2, "avx2,fma", __m256, 8, _mm256_loadu_ps, _mm256_add_ps, _mm256_fmadd_ps, _mm256_set1_ps)
BOUNDS(avx512, "avx512f", __m512, 16, _mm512_loadu_ps, _mm512_add_ps, _mm512_fmadd_ps, _mm512_set1_ps)
*/
import "C"

import (
	"golang.org/x/sys/cpu"

	"github.com/softsearch-go/softsearch/bench/peers/suite"
)

// bounds lists what the processor can do at most, in vectors of each instruction set: for a Gemv, to
// read the weights once, into eight sums, and for the other products as many fused multiply-adds, on
// twelve registers.
func bounds() []Contender {
	var list []Contender
	add := func(isa string, read func(n int, x []float32), multiplyAdd func(n int)) {
		peak := func(c suite.Case, _ *suite.Memory) Operation {
			return Operation{Run: func(n int) { multiplyAdd(n * c.Multiplications()) }}
		}
		list = append(list,
			Contender{Name: "read-" + isa, Operations: Operations{"Gemv": func(c suite.Case, m *suite.Memory) Operation {
				w := m.W(c)
				return Operation{Run: func(n int) { read(n, w) }}
			}}},
			Contender{Name: "peak-" + isa, Operations: Operations{"Gemm": peak, "GemmInput": peak, "GemmGrad": peak}})
	}
	if cpu.X86.HasAVX512F {
		add("avx512",
			func(n int, x []float32) { C.read_avx512(C.int(n), pointer(x), C.size_t(len(x))) },
			func(n int) { C.peak_avx512(C.size_t(n)) })
	}
	if cpu.X86.HasAVX2 && cpu.X86.HasFMA {
		add("avx2",
			func(n int, x []float32) { C.read_avx2(C.int(n), pointer(x), C.size_t(len(x))) },
			func(n int) { C.peak_avx2(C.size_t(n)) })
	}
	return list
}
