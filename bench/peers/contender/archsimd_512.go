//go:build goexperiment.simd && amd64

package contender

import (
	"simd/archsimd"
	"unsafe"
)

type f16 = archsimd.Float32x16

// gemv512 computes y = W·x: four rows of W at a time in the second-level cache, one after the
// other beyond it, as memory is read fastest.
func gemv512(y, w, x []float32) {
	n := 0
	for ; len(w) <= secondLevel && n+4 <= len(y); n += 4 {
		dots4x512(y[n:n+4], w[n*len(x):(n+4)*len(x)], x)
	}
	for ; n < len(y); n++ {
		y[n] = dot512(w[n*len(x):(n+1)*len(x)], x)
	}
	archsimd.ClearAVXUpperBits()
}

// gemm512 computes Y = X·Wᵀ for that many rows of X. Four rows of W, which stay in the
// first-level cache, meet all rows of X, two at a time.
func gemm512(y, w, x []float32, rows int) {
	out, in := len(y)/rows, len(x)/rows
	n := 0
	for ; n+4 <= out; n += 4 {
		a := w[n*in : (n+4)*in]
		m := 0
		for ; m+2 <= rows; m += 2 {
			dots2x4x512(y[m*out+n:][:4], y[(m+1)*out+n:][:4], a, x[m*in:(m+2)*in])
		}
		if m < rows {
			dots4x512(y[m*out+n:][:4], a, x[m*in:(m+1)*in])
		}
	}
	for ; n < out; n++ {
		for m := range rows {
			y[m*out+n] = dot512(w[n*in:(n+1)*in], x[m*in:(m+1)*in])
		}
	}
	archsimd.ClearAVXUpperBits()
}

// dots4x512 sets y to the dot products of the four rows of a with x.
func dots4x512(y, a, x []float32) {
	row := 4 * len(x)
	var s0, s1, s2, s3 f16
	p, q := unsafe.Pointer(&a[0]), unsafe.Pointer(&x[0])
	a1, a2, a3 := unsafe.Add(p, row), unsafe.Add(p, 2*row), unsafe.Add(p, 3*row)
	i := 0
	for ; i+64 <= row; i += 64 {
		v := at512(q, i)
		s0, s1 = at512(p, i).MulAdd(v, s0), at512(a1, i).MulAdd(v, s1)
		s2, s3 = at512(a2, i).MulAdd(v, s2), at512(a3, i).MulAdd(v, s3)
	}
	y[0], y[1], y[2], y[3] = sum512(s0), sum512(s1), sum512(s2), sum512(s3)
	addRest(y, a, x, i/4)
}

// dots2x4x512 sets y and z to the dot products of the four rows of a with the two rows of x.
func dots2x4x512(y, z, a, x []float32) {
	row := 2 * len(x)
	var s0, s1, s2, s3, t0, t1, t2, t3 f16
	p, q := unsafe.Pointer(&a[0]), unsafe.Pointer(&x[0])
	a1, a2, a3, x1 := unsafe.Add(p, row), unsafe.Add(p, 2*row), unsafe.Add(p, 3*row), unsafe.Add(q, row)
	i := 0
	for ; i+64 <= row; i += 64 {
		u, v := at512(q, i), at512(x1, i)
		b := at512(p, i)
		s0, t0 = b.MulAdd(u, s0), b.MulAdd(v, t0)
		b = at512(a1, i)
		s1, t1 = b.MulAdd(u, s1), b.MulAdd(v, t1)
		b = at512(a2, i)
		s2, t2 = b.MulAdd(u, s2), b.MulAdd(v, t2)
		b = at512(a3, i)
		s3, t3 = b.MulAdd(u, s3), b.MulAdd(v, t3)
	}
	y[0], y[1], y[2], y[3] = sum512(s0), sum512(s1), sum512(s2), sum512(s3)
	z[0], z[1], z[2], z[3] = sum512(t0), sum512(t1), sum512(t2), sum512(t3)
	addRest(y, a, x[:len(x)/2], i/4)
	addRest(z, a, x[len(x)/2:], i/4)
}

// dot512 returns the dot product of a and x, in four sums.
func dot512(a, x []float32) float32 {
	n := 4 * len(x)
	var s0, s1, s2, s3 f16
	p, q := unsafe.Pointer(unsafe.SliceData(a)), unsafe.Pointer(unsafe.SliceData(x))
	i := 0
	for ; i+4*64 <= n; i += 4 * 64 {
		s0 = at512(p, i).MulAdd(at512(q, i), s0)
		s1 = at512(p, i+64).MulAdd(at512(q, i+64), s1)
		s2 = at512(p, i+2*64).MulAdd(at512(q, i+2*64), s2)
		s3 = at512(p, i+3*64).MulAdd(at512(q, i+3*64), s3)
	}
	for i /= 4; i < len(x); i += 16 {
		s0 = archsimd.LoadFloat32x16SlicePart(a[i:]).MulAdd(archsimd.LoadFloat32x16SlicePart(x[i:]), s0)
	}
	return sum512(s0.Add(s1).Add(s2.Add(s3)))
}

// at512 loads the vector that begins i bytes after p. Slices would check their bounds at each.
func at512(p unsafe.Pointer, i int) f16 {
	return archsimd.LoadFloat32x16((*[16]float32)(unsafe.Add(p, i)))
}

func sum512(v f16) float32 { return sum256(v.GetHi().Add(v.GetLo())) }
