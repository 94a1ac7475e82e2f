//go:build cgo && amd64

package bounds

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
	static void read_##suffix(int count, const float *p, size_t n, int apart) {       \
		vector s[8];                                                              \
		size_t part = n / 8 / width * width;                                      \
		size_t gap = apart ? part : width, step = apart ? width : 8 * width;      \
		for (int j = 0; j < 8; j++) s[j] = set(0);                                \
		while (count-- > 0) {                                                     \
			_Pragma("GCC unroll 1")                                           \
			for (size_t i = 0; i < part / width * step; i += step) {          \
				_Pragma("GCC unroll 8")                                   \
				for (int j = 0; j < 8; j++)                               \
					s[j] = add(s[j], load(p + gap * j + i));          \
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

// VDPBF16PS adds two products to each of the sums of a vector.
__attribute__((target("avx512bf16")))
static void peak_avx512bf16(size_t n) {
	__m512 s[12];
	__m512bh x = (__m512bh)_mm512_set1_epi16(0x3f00), y = (__m512bh)_mm512_set1_epi16(0x3c00);
	for (int j = 0; j < 12; j++) s[j] = _mm512_set1_ps(0.1f * j);
	for (size_t i = 0; i < n; i += 12 * 32) {
		_Pragma("GCC unroll 12")
		for (int j = 0; j < 12; j++) s[j] = _mm512_dpbf16_ps(s[j], x, y);
	}
	keep((const float *)s, 12 * 16);
}

BOUNDS(avx2, "avx2,fma", __m256, 8, _mm256_loadu_ps, _mm256_add_ps, _mm256_fmadd_ps, _mm256_set1_ps)
BOUNDS(avx512, "avx512f", __m512, 16, _mm512_loadu_ps, _mm512_add_ps, _mm512_fmadd_ps, _mm512_set1_ps)
*/
import "C"

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

// All returns the loops that this processor can run, the widest vectors first. They read to
// eight sums and multiply on twelve registers.
func All() []Loops {
	var list []Loops
	if cpu.X86.HasAVX512F {
		l := Loops{
			Name: "avx512",
			Read: func(n int, x []float32, apart bool) {
				C.read_avx512(C.int(n), pointer(x), C.size_t(len(x)), flag(apart))
			},
			MultiplyAdd: func(n int) { C.peak_avx512(C.size_t(n)) },
		}
		l.MultiplyAddBF16 = l.MultiplyAdd
		if cpu.X86.HasAVX512BF16 {
			l.MultiplyAddBF16 = func(n int) { C.peak_avx512bf16(C.size_t(n)) }
		}
		list = append(list, l)
	}
	if cpu.X86.HasAVX2 && cpu.X86.HasFMA {
		multiplyAdd := func(n int) { C.peak_avx2(C.size_t(n)) }
		list = append(list, Loops{
			Name: "avx2",
			Read: func(n int, x []float32, apart bool) {
				C.read_avx2(C.int(n), pointer(x), C.size_t(len(x)), flag(apart))
			},
			MultiplyAdd: multiplyAdd, MultiplyAddBF16: multiplyAdd,
		})
	}
	return list
}

func pointer(x []float32) *C.float { return (*C.float)(unsafe.SliceData(x)) }

func flag(set bool) C.int {
	if set {
		return 1
	}
	return 0
}
