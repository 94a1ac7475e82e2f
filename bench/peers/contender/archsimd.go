//go:build goexperiment.simd && amd64

package contender

import (
	"simd/archsimd"
	"unsafe"

	"github.com/softsearch-go/softsearch/bench/peers/suite"
)

type f8 = archsimd.Float32x8

// secondLevel is the number of weights that fit a second-level cache of 1 MiB.
const secondLevel = 256 << 10

// archSIMD lists products written in Go with simd/archsimd for AVX2, as dot products of rows.
func archSIMD() []Contender {
	if !archsimd.X86.AVX2() || !archsimd.X86.FMA() {
		return nil
	}
	return []Contender{table{
		"Gemv": func(c suite.Case, m *suite.Memory) Operation {
			w, x, y := m.W(c), m.X(c), m.Floats(c.Rows)
			return once(y, func() { gemv(y, w, x) })
		},
		"Gemm": func(c suite.Case, m *suite.Memory) Operation {
			w, x, y := m.W(c), m.X(c), m.Floats(c.Batch*c.Rows)
			return once(y, func() { gemm(y, w, x, c.Batch) })
		},
	}.contender("archsimd-avx2")}
}

// gemv computes y = W·x: four rows of W at a time in the second-level cache, one after the
// other beyond it, as memory is read fastest.
func gemv(y, w, x []float32) {
	n := 0
	for ; len(w) <= secondLevel && n+4 <= len(y); n += 4 {
		fourDots(y[n:n+4], w[n*len(x):(n+4)*len(x)], x)
	}
	for ; n < len(y); n++ {
		y[n] = dot(w[n*len(x):(n+1)*len(x)], x)
	}
	archsimd.ClearAVXUpperBits()
}

// gemm computes Y = X·Wᵀ for that many rows of X. Four rows of W, which stay in the
// first-level cache, meet all rows of X, two at a time.
func gemm(y, w, x []float32, rows int) {
	out, in := len(y)/rows, len(x)/rows
	n := 0
	for ; n+4 <= out; n += 4 {
		a := w[n*in : (n+4)*in]
		m := 0
		for ; m+2 <= rows; m += 2 {
			eightDots(y[m*out+n:][:4], y[(m+1)*out+n:][:4], a, x[m*in:(m+2)*in])
		}
		if m < rows {
			fourDots(y[m*out+n:][:4], a, x[m*in:(m+1)*in])
		}
	}
	for ; n < out; n++ {
		for m := range rows {
			y[m*out+n] = dot(w[n*in:(n+1)*in], x[m*in:(m+1)*in])
		}
	}
	archsimd.ClearAVXUpperBits()
}

// fourDots sets y to the dot products of the four rows of a with x.
func fourDots(y, a, x []float32) {
	row := 4 * len(x)
	var s0, s1, s2, s3 f8
	p, q := unsafe.Pointer(&a[0]), unsafe.Pointer(&x[0])
	a1, a2, a3 := unsafe.Add(p, row), unsafe.Add(p, 2*row), unsafe.Add(p, 3*row)
	i := 0
	for ; i+32 <= row; i += 32 {
		v := at(q, i)
		s0, s1 = at(p, i).MulAdd(v, s0), at(a1, i).MulAdd(v, s1)
		s2, s3 = at(a2, i).MulAdd(v, s2), at(a3, i).MulAdd(v, s3)
	}
	y[0], y[1], y[2], y[3] = sum(s0), sum(s1), sum(s2), sum(s3)
	addRest(y, a, x, i/4)
}

// eightDots sets y and z to the dot products of the four rows of a with the two rows of x.
func eightDots(y, z, a, x []float32) {
	row := 2 * len(x)
	var s0, s1, s2, s3, t0, t1, t2, t3 f8
	p, q := unsafe.Pointer(&a[0]), unsafe.Pointer(&x[0])
	a1, a2, a3, x1 := unsafe.Add(p, row), unsafe.Add(p, 2*row), unsafe.Add(p, 3*row), unsafe.Add(q, row)
	i := 0
	for ; i+32 <= row; i += 32 {
		u, v := at(q, i), at(x1, i)
		b := at(p, i)
		s0, t0 = b.MulAdd(u, s0), b.MulAdd(v, t0)
		b = at(a1, i)
		s1, t1 = b.MulAdd(u, s1), b.MulAdd(v, t1)
		b = at(a2, i)
		s2, t2 = b.MulAdd(u, s2), b.MulAdd(v, t2)
		b = at(a3, i)
		s3, t3 = b.MulAdd(u, s3), b.MulAdd(v, t3)
	}
	y[0], y[1], y[2], y[3] = sum(s0), sum(s1), sum(s2), sum(s3)
	z[0], z[1], z[2], z[3] = sum(t0), sum(t1), sum(t2), sum(t3)
	addRest(y, a, x[:len(x)/2], i/4)
	addRest(z, a, x[len(x)/2:], i/4)
}

// addRest adds to y the products of the four rows of a with x from element k on.
func addRest(y, a, x []float32, k int) {
	if k == len(x) {
		return
	}
	for r := range y {
		y[r] += dot(a[r*len(x)+k:(r+1)*len(x)], x[k:])
	}
}

// dot returns the dot product of a and x, in four sums.
func dot(a, x []float32) float32 {
	n := 4 * len(x)
	var s0, s1, s2, s3 f8
	p, q := unsafe.Pointer(unsafe.SliceData(a)), unsafe.Pointer(unsafe.SliceData(x))
	i := 0
	for ; i+4*32 <= n; i += 4 * 32 {
		s0 = at(p, i).MulAdd(at(q, i), s0)
		s1 = at(p, i+32).MulAdd(at(q, i+32), s1)
		s2 = at(p, i+2*32).MulAdd(at(q, i+2*32), s2)
		s3 = at(p, i+3*32).MulAdd(at(q, i+3*32), s3)
	}
	for i /= 4; i < len(x); i += 8 {
		s0 = archsimd.LoadFloat32x8SlicePart(a[i:]).MulAdd(archsimd.LoadFloat32x8SlicePart(x[i:]), s0)
	}
	return sum(s0.Add(s1).Add(s2.Add(s3)))
}

// at loads the vector that begins i bytes after p. Slices would check their bounds at each.
func at(p unsafe.Pointer, i int) f8 {
	return archsimd.LoadFloat32x8((*[8]float32)(unsafe.Add(p, i)))
}

func sum(v f8) float32 {
	w := v.GetHi().Add(v.GetLo())
	w = w.AddPairs(w)
	return w.GetElem(0) + w.GetElem(1)
}
