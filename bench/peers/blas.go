//go:build openblas && amd64

package main

/*
#cgo CFLAGS: -O2
#cgo LDFLAGS: -lopenblas
#include <cblas.h>
#include <immintrin.h>
#include <stddef.h>

extern char *openblas_get_config(void);
extern char *openblas_get_corename(void);
extern void openblas_set_num_threads(int);

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
	static void read_##suffix(const float *p, size_t n) {                             \
		vector s[8];                                                              \
		for (int j = 0; j < 8; j++) s[j] = set(0);                                \
		_Pragma("GCC unroll 1")                                                   \
		for (size_t i = 0; i + 8 * width <= n; i += 8 * width) {                  \
			_Pragma("GCC unroll 8")                                           \
			for (int j = 0; j < 8; j++)                                       \
				s[j] = add(s[j], load(p + width * j + i));                  \
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
	"strings"
	"unsafe"

	"golang.org/x/sys/cpu"
)

// openBLAS returns the names of the kernels that OpenBLAS chose, or that OPENBLAS_CORETYPE names, and of its build.
func openBLAS() (core, config string) {
	C.openblas_set_num_threads(1)
	return strings.ToLower(C.GoString(C.openblas_get_corename())), C.GoString(C.openblas_get_config())
}

// sgemv computes y = W·x for rows×cols weights, or for their transpose y = Wᵀ·x.
func sgemv(transposed bool, y, w, x []float32, rows, cols int) {
	C.cblas_sgemv(C.CblasRowMajor, transposition(transposed), C.int(rows), C.int(cols), 1, pointer(w), C.int(cols), pointer(x), 1, 0, pointer(y), 1)
}

// sgemm computes the m×n product c = a·b + beta·c of an m×k and a k×n matrix, each transposed in memory if so said.
func sgemm(transA, transB bool, m, n, k int, a, b []float32, beta float32, c []float32) {
	lda, ldb := k, n
	if transA {
		lda = m
	}
	if transB {
		ldb = k
	}
	C.cblas_sgemm(C.CblasRowMajor, transposition(transA), transposition(transB), C.int(m), C.int(n), C.int(k), 1,
		pointer(a), C.int(lda), pointer(b), C.int(ldb), C.float(beta), pointer(c), C.int(n))
}

func transposition(transposed bool) uint32 {
	if transposed {
		return C.CblasTrans
	}
	return C.CblasNoTrans
}

// bounds returns, by instruction set, loops that read values once, into eight sums, and that do n fused multiply-adds on
// twelve registers.
func bounds() (read map[string]func(x []float32), peak map[string]func(n int)) {
	read, peak = map[string]func(x []float32){}, map[string]func(n int){}
	if cpu.X86.HasAVX512F {
		read["avx512"] = func(x []float32) { C.read_avx512(pointer(x), C.size_t(len(x))) }
		peak["avx512"] = func(n int) { C.peak_avx512(C.size_t(n)) }
	}
	if cpu.X86.HasAVX2 && cpu.X86.HasFMA {
		read["avx2"] = func(x []float32) { C.read_avx2(pointer(x), C.size_t(len(x))) }
		peak["avx2"] = func(n int) { C.peak_avx2(C.size_t(n)) }
	}
	return read, peak
}

func pointer(x []float32) *C.float { return (*C.float)(unsafe.SliceData(x)) }
