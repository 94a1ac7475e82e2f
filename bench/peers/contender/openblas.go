//go:build openblas && amd64

package contender

/*
#cgo CFLAGS: -O2
#cgo LDFLAGS: -lopenblas
#include <cblas.h>

extern char *openblas_get_config(void);
extern char *openblas_get_corename(void);
extern void openblas_set_num_threads(int);

static void gemv(int n, int trans, int rows, int cols, const float *w, const float *x, float *y) {
	while (n-- > 0)
		cblas_sgemv(CblasRowMajor, trans, rows, cols, 1, w, cols, x, 1, 0, y, 1);
}

static void gemm(int count, int ta, int tb, int m, int n, int k, const float *a, int lda,
		const float *b, int ldb, float beta, float *c) {
	while (count-- > 0)
		cblas_sgemm(CblasRowMajor, ta, tb, m, n, k, 1, a, lda, b, ldb, beta, c, n);
}
*/
import "C"

import (
	"strings"
	"unsafe"

	"github.com/softsearch-go/softsearch/bench/peers/suite"
)

// OpenBLAS lists OpenBLAS on one thread, named after the kernels that it chose or that
// OPENBLAS_CORETYPE names, its Gemv once more with weights that are transposed beforehand, and the
// bounds of products. Each operation is one call of the library, from C. The fact describes the library.
func OpenBLAS() (list []Contender, fact string) {
	C.openblas_set_num_threads(1)
	name := "openblas-" + strings.ToLower(C.GoString(C.openblas_get_corename()))
	list = []Contender{
		{Name: name, Operations: Operations{
			"Gemv": func(c suite.Case, m *suite.Memory) Operation {
				return sgemv(C.CblasNoTrans, c.Rows, c.Cols, m.W(c), m.X(c), m.Floats(c.Rows))
			},
			"Gemm": func(c suite.Case, m *suite.Memory) Operation {
				return sgemm(C.CblasNoTrans, C.CblasTrans, c.Batch, c.Rows, c.Cols, m.X(c), m.W(c), 0, m.Floats(c.Batch*c.Rows))
			},
			"GemmInput": func(c suite.Case, m *suite.Memory) Operation {
				return sgemm(C.CblasNoTrans, C.CblasNoTrans, c.Batch, c.Cols, c.Rows, m.DY(c), m.W(c), 0, m.Floats(c.Batch*c.Cols))
			},
			"GemmGrad": func(c suite.Case, m *suite.Memory) Operation {
				return sgemm(C.CblasTrans, C.CblasNoTrans, c.Rows, c.Cols, c.Batch, m.DY(c), m.X(c), 1, weightsCopy(c, m))
			},
		}},
		{Name: name + "-transposed", Operations: Operations{
			"Gemv": func(c suite.Case, m *suite.Memory) Operation {
				return sgemv(C.CblasTrans, c.Cols, c.Rows, m.Transposed(c), m.X(c), m.Floats(c.Rows))
			},
		}},
	}
	return append(list, bounds()...), name + ": " + C.GoString(C.openblas_get_config())
}

func sgemv(trans C.int, rows, cols int, w, x, y []float32) Operation {
	run := func(n int) { C.gemv(C.int(n), trans, C.int(rows), C.int(cols), pointer(w), pointer(x), pointer(y)) }
	return Operation{run, func() []float32 { return y }}
}

// sgemm computes the m×n product of the m×k matrix a and the k×n matrix b, each transposed if so said,
// and adds beta·c.
func sgemm(transA, transB C.int, m, n, k int, a, b []float32, beta C.float, c []float32) Operation {
	lda, ldb := k, n
	if transA == C.CblasTrans {
		lda = m
	}
	if transB == C.CblasTrans {
		ldb = k
	}
	run := func(count int) {
		C.gemm(C.int(count), transA, transB, C.int(m), C.int(n), C.int(k),
			pointer(a), C.int(lda), pointer(b), C.int(ldb), beta, pointer(c))
	}
	return Operation{run, func() []float32 { return c }}
}

func pointer(x []float32) *C.float { return (*C.float)(unsafe.SliceData(x)) }
