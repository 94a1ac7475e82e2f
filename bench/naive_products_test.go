package bench

// Gemv computes y = W·x + bias with the plain loop of one sum. w is len(y)×len(x),
// row-major.
func Gemv(y, w, x, bias []float32) {
	bias = bias[:len(y)]
	for n := range y {
		y[n] = dot(w[n*len(x):(n+1)*len(x)], x) + bias[n]
	}
}

// Gemm computes y = x·Wᵀ + bias with the plain loop of one sum. x is rows×in, w is
// len(bias)×in and y is rows×len(bias), all row-major. rows is at least 1.
//
// It multiplies a row of w by every row of x before it reads the next, so w is read once.
func Gemm(y, w, x, bias []float32, rows int) {
	out, in := len(bias), len(x)/rows
	for n, b := range bias {
		wn := w[n*in : (n+1)*in]
		for m := range rows {
			y[m*out+n] = dot(wn, x[m*in:(m+1)*in]) + b
		}
	}
}

// GemmUnrolled is Gemm with four sums in flight.
func GemmUnrolled(y, w, x, bias []float32, rows int) {
	out, in := len(bias), len(x)/rows
	for n, b := range bias {
		wn := w[n*in : (n+1)*in]
		for m := range rows {
			y[m*out+n] = dotUnrolled(wn, x[m*in:(m+1)*in]) + b
		}
	}
}

// GemmAdd adds x·Wᵀ to y, with four sums in flight. The shapes are as for Gemm.
func GemmAdd(y, w, x []float32, rows int) {
	out, in := len(y)/rows, len(x)/rows
	for n := range out {
		wn := w[n*in : (n+1)*in]
		for m := range rows {
			y[m*out+n] += dotUnrolled(wn, x[m*in:(m+1)*in])
		}
	}
}

// GemmInput adds the gradient of y = x·Wᵀ with respect to x:
//
//	dx[m][k] += Σ_n dy[m][n]·w[n][k]
//
// dy is rows×out, w is out×in and dx is rows×in, all row-major. rows is at least 1.
func GemmInput(dx, w, dy []float32, rows int) {
	out, in := len(dy)/rows, len(dx)/rows
	for n := range out {
		wn := w[n*in : (n+1)*in]
		for m := range rows {
			axpy(dx[m*in:(m+1)*in], dy[m*out+n], wn)
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

// SumRows adds the rows of dy to db: the gradient of a bias.
func SumRows(db, dy []float32) {
	for n := len(db); len(dy) > 0; dy = dy[n:] {
		axpy(db, 1, dy[:n])
	}
}

// Transpose sets dst to the transpose of src. src is rows×cols, dst is cols×rows, both
// row-major.
//
// It takes 16 rows of src at a time, so its writes to dst fill cache lines.
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

// dot returns Σ a[i]·b[i] in one chain.
func dot(a, b []float32) float32 {
	var sum float32
	b = b[:len(a)]
	for i, v := range a {
		sum += v * b[i]
	}
	return sum
}

// dotUnrolled returns Σ a[i]·b[i] in four chains.
func dotUnrolled(a, b []float32) float32 {
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
