//go:build openblas && amd64

package openblas

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

	"github.com/softsearch-go/softsearch/bench/peers/contender"
	"github.com/softsearch-go/softsearch/bench/peers/suite"
)

// Config returns the description of the library and the name of the kernels that it chose or
// that OPENBLAS_CORETYPE named.
func Config() (config, core string) {
	return C.GoString(C.openblas_get_config()), C.GoString(C.openblas_get_corename())
}

// Contenders returns OpenBLAS on one thread, named after its kernels, and its Gemv once more
// with weights that are transposed beforehand. Each operation is one call of the library, from
// C.
func Contenders() []contender.Contender {
	C.openblas_set_num_threads(1)
	_, core := Config()
	name := "openblas-" + strings.ToLower(core)
	return []contender.Contender{
		offering(name, map[string]prepare{
			"Gemv": gemv, "Gemm": gemm, "GemmInput": gemmInput, "GemmGrad": gemmGrad,
		}),
		offering(name+"-transposed", map[string]prepare{"Gemv": gemvTransposed}),
	}
}

type prepare func(c suite.Case, m *suite.Memory) contender.Operation

func offering(name string, operations map[string]prepare) contender.Contender {
	return contender.Contender{Name: name, Offer: func(c suite.Case) contender.Prepare {
		prepare := operations[c.Op]
		if prepare == nil {
			return nil
		}
		return func(m *suite.Memory) contender.Operation { return prepare(c, m) }
	}}
}

func gemv(c suite.Case, m *suite.Memory) contender.Operation {
	w, x, y := m.W(c), m.X(c), m.Floats(c.Rows)
	return operation(y, func(n int) {
		C.gemv(C.int(n), C.CblasNoTrans, C.int(c.Rows), C.int(c.Cols), pointer(w), pointer(x), pointer(y))
	})
}

func gemvTransposed(c suite.Case, m *suite.Memory) contender.Operation {
	w, x, y := m.Transposed("transposed", m.W(c), c.Rows, c.Cols), m.X(c), m.Floats(c.Rows)
	return operation(y, func(n int) {
		C.gemv(C.int(n), C.CblasTrans, C.int(c.Cols), C.int(c.Rows), pointer(w), pointer(x), pointer(y))
	})
}

func gemm(c suite.Case, m *suite.Memory) contender.Operation {
	w, x, y := m.W(c), m.X(c), m.Floats(c.Batch*c.Rows)
	return operation(y, func(n int) {
		C.gemm(C.int(n), C.CblasNoTrans, C.CblasTrans, C.int(c.Batch), C.int(c.Rows), C.int(c.Cols),
			pointer(x), C.int(c.Cols), pointer(w), C.int(c.Cols), 0, pointer(y))
	})
}

func gemmInput(c suite.Case, m *suite.Memory) contender.Operation {
	w, dy, dx := m.W(c), m.DY(c), m.Floats(c.Batch*c.Cols)
	return operation(dx, func(n int) {
		C.gemm(C.int(n), C.CblasNoTrans, C.CblasNoTrans, C.int(c.Batch), C.int(c.Cols), C.int(c.Rows),
			pointer(dy), C.int(c.Rows), pointer(w), C.int(c.Cols), 0, pointer(dx))
	})
}

func gemmGrad(c suite.Case, m *suite.Memory) contender.Operation {
	dy, x, dw := m.DY(c), m.X(c), m.Floats(c.Rows*c.Cols)
	copy(dw, m.W(c))
	return operation(dw, func(n int) {
		C.gemm(C.int(n), C.CblasTrans, C.CblasNoTrans, C.int(c.Rows), C.int(c.Cols), C.int(c.Batch),
			pointer(dy), C.int(c.Rows), pointer(x), C.int(c.Cols), 1, pointer(dw))
	})
}

func operation(y []float32, run func(n int)) contender.Operation {
	return contender.Operation{Run: run, Result: func() []float32 { return y }}
}

func pointer(x []float32) *C.float { return (*C.float)(unsafe.SliceData(x)) }
