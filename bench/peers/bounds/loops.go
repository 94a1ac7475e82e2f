//go:build openblas && amd64

package openblas

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
					s[j] = add(s[j], load(p + i + width * j));        \
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

	"github.com/softsearch-go/softsearch/bench/peers/contender"
	"github.com/softsearch-go/softsearch/bench/peers/suite"
)

// Bounds lists the loops that a Gemv and the other products cannot be faster than: reading
// the weights once, in vectors of that instruction set to eight sums, and as many fused
// multiply-adds as the product has, on twelve registers.
func Bounds() []contender.Contender {
	var list []contender.Contender
	if cpu.X86.HasAVX2 && cpu.X86.HasFMA {
		list = append(list,
			reading("read-avx2", func(n int, w []float32) { C.read_avx2(C.int(n), pointer(w), C.size_t(len(w))) }),
			peak("peak-avx2", func(n int) { C.peak_avx2(C.size_t(n)) }))
	}
	if cpu.X86.HasAVX512F {
		list = append(list,
			reading("read-avx512", func(n int, w []float32) { C.read_avx512(C.int(n), pointer(w), C.size_t(len(w))) }),
			peak("peak-avx512", func(n int) { C.peak_avx512(C.size_t(n)) }))
	}
	return list
}

func reading(name string, read func(n int, w []float32)) contender.Contender {
	return contender.Contender{Name: name, Offer: func(c suite.Case) contender.Prepare {
		if c.Op != "Gemv" {
			return nil
		}
		return func(m *suite.Memory) contender.Operation {
			w := m.W(c)
			return contender.Operation{Run: func(n int) { read(n, w) }}
		}
	}}
}

func peak(name string, multiplyAdd func(n int)) contender.Contender {
	return contender.Contender{Name: name, Offer: func(c suite.Case) contender.Prepare {
		if c.Op == "Gemv" || c.Multiplications() == 0 {
			return nil
		}
		return func(*suite.Memory) contender.Operation {
			return contender.Operation{Run: func(n int) { multiplyAdd(n * c.Multiplications()) }}
		}
	}}
}
