package bench

// Gemv computes y = W·x + bias. w is len(y)×len(x), row-major.
//
// The sums are those of dot, whose four chains take less time than the single one of a
// textbook loop.
func Gemv(y, w, x, bias []float32) {
	bias = bias[:len(y)]
	for n := range y {
		y[n] = dot(w[n*len(x):(n+1)*len(x)], x) + bias[n]
	}
}

// Gemm computes y = x·Wᵀ + bias. x is rows×in, w is len(bias)×in and y is rows×len(bias),
// all row-major. rows is at least 1.
//
// Each row of w meets every row of x before the next one is read, so that w is read once.
func Gemm(y, w, x, bias []float32, rows int) {
	out := len(bias)
	in := len(x) / rows
	for n, b := range bias {
		wn := w[n*in : (n+1)*in]
		for m := range rows {
			y[m*out+n] = dot(wn, x[m*in:(m+1)*in]) + b
		}
	}
}

// GemmGrad adds the gradient of y = x·Wᵀ with respect to W:
//
//	dw[n][k] += Σ_m dy[m][n]·x[m][k]
//
// dy is rows×out, x is rows×in and dw is out×in, all row-major. rows is at least 1.
func GemmGrad(dw, dy, x []float32, rows int) {
	out, in := len(dy)/rows, len(x)/rows
	for n := range out {
		dwn := dw[n*in : (n+1)*in]
		for m := range rows {
			axpy(dwn, dy[m*out+n], x[m*in:(m+1)*in])
		}
	}
}

// Transpose sets dst to the transpose of src. src is rows×cols, dst is cols×rows, both
// row-major.
//
// It takes 16 rows of src at a time, so that the runs written to dst fill cache lines.
func Transpose(dst, src []float32, rows, cols int) {
	const strip = 16
	for i := 0; i < rows; i += strip {
		to := min(i+strip, rows)
		for j := range cols {
			at := i*cols + j
			run := dst[j*rows+i : j*rows+to]
			for r := range run {
				run[r] = src[at]
				at += cols
			}
		}
	}
}

// dot returns Σ a[i]·b[i] in four chains.
func dot(a, b []float32) float32 {
	var s0, s1, s2, s3 float32
	b = b[:len(a)]
	i := 0
	for ; i <= len(a)-4; i += 4 {
		p, q := (*[4]float32)(a[i:]), (*[4]float32)(b[i:])
		s0 += p[0] * q[0]
		s1 += p[1] * q[1]
		s2 += p[2] * q[2]
		s3 += p[3] * q[3]
	}
	for ; i < len(a); i++ {
		s0 += a[i] * b[i]
	}
	return (s0 + s1) + (s2 + s3)
}

// axpy adds a·x to y.
func axpy(y []float32, a float32, x []float32) {
	y = y[:len(x)]
	for i, v := range x {
		y[i] += a * v
	}
}
