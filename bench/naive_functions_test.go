package bench

import "math"

// Tanh sets dst[i] = tanh(src[i]).
func Tanh(dst, src []float32) {
	dst = dst[:len(src)]
	for i, x := range src {
		dst[i] = tanh(x)
	}
}

// Sigmoid sets dst[i] = 1/(1+exp(-src[i])).
func Sigmoid(dst, src []float32) {
	dst = dst[:len(src)]
	for i, x := range src {
		dst[i] = sigmoid(x)
	}
}

// Exp sets dst[i] = exp(src[i]).
func Exp(dst, src []float32) {
	dst = dst[:len(src)]
	for i, x := range src {
		dst[i] = float32(math.Exp(float64(x)))
	}
}

// Softmax sets dst[i] = exp(src[i]-max) / Σ_j exp(src[j]-max). src is not empty.
//
// The sum is a float64, the type that math.Exp returns.
func Softmax(dst, src []float32) {
	dst = dst[:len(src)]
	m := src[0]
	for _, x := range src {
		m = max(m, x)
	}
	sum := 0.0
	for i, x := range src {
		e := math.Exp(float64(x - m))
		sum += e
		dst[i] = float32(e)
	}
	scale := float32(1 / sum)
	for i := range dst {
		dst[i] *= scale
	}
}

func tanh(x float32) float32 {
	return float32(math.Tanh(float64(x)))
}

func sigmoid(x float32) float32 {
	return float32(1 / (1 + math.Exp(-float64(x))))
}
