package kernels

import "github.com/softsearch-go/softsearch/asm"

const (
	badReLU = "kernels: ReLU: len(dst) != len(src)"
	badGELU = "kernels: GELU: len(dst) != len(src)"
)

// ReLU sets dst[i] = max(src[i], 0), the zero being +0. NaN gives NaN.
// dst may be src, and must not overlap it otherwise. It panics if the lengths differ.
func (k Impl) ReLU(dst, src []float32) {
	if len(dst) != len(src) {
		panic(badReLU)
	}
	for len(src) > 0 {
		n := min(len(src), block)
		k.relu(dst[:n], src[:n])
		dst, src = dst[n:], src[n:]
	}
}

// GELU sets dst[i] to the tanh approximation of the Gaussian error linear unit (Hendrycks and
// Gimpel, 2016, arXiv 1606.08415):
//
//	dst[i] = 0.5·x·(1 + tanh(√(2/π)·(x + 0.044715·x³))),  x = src[i]
//
// The error is at most 2 ULP for x ≥ 0, and at most 2⁻²⁴ for x < 0. Below -9.999, where the
// formula gives values between -2⁻¹²² and 0, the result is +0. NaN gives NaN, +Inf gives +Inf.
//
// dst may be src, and must not overlap it otherwise. It panics if the lengths differ.
func (k Impl) GELU(dst, src []float32) {
	if len(dst) != len(src) {
		panic(badGELU)
	}
	for len(src) > 0 {
		n := min(len(src), block)
		k.gelu(dst[:n], src[:n])
		dst, src = dst[n:], src[n:]
	}
}

func reluGo(dst, src []float32) {
	for i, x := range src {
		dst[i] = relu(x)
	}
}

func geluGo(dst, src []float32) {
	for i, x := range src {
		dst[i] = gelu(x)
	}
}

func relu(x float32) float32 {
	if x <= 0 {
		return 0
	}
	return x
}

// gelu returns x/(1+exp(-u)) with u = x·(GELUC1 + GELUC3·x²). x² may overflow: u is infinite
// then, and the bounds of the sigmoid apply.
func gelu(x float32) float32 {
	if x < asm.GELULow {
		return 0
	}
	const c1, c3 = float64(asm.GELUC1), float64(asm.GELUC3)
	p := c3 * float64(float32(x*x))
	slope := float32(once(p+c1, p, c1))
	return logistic(x, float32(x*slope))
}
