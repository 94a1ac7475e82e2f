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
// The sum is kept in float64, which math.Exp returns.
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

// adam takes one step of Kingma and Ba (2015), without correction of bias, on x for the gradient
// g. m and v are the running averages of gradients and of their squares.
func adam(x, g, m, v []float32) {
	const beta1, beta2, epsilon, rate = 0.9, 0.999, 1e-8, 1e-3
	g, m, v = g[:len(x)], m[:len(x)], v[:len(x)]
	for i, d := range g {
		m[i] = beta1*m[i] + (1-beta1)*d
		v[i] = beta2*v[i] + (1-beta2)*d*d
		x[i] -= rate * m[i] / (float32(math.Sqrt(float64(v[i]))) + epsilon)
	}
}

// movingAverage takes one step of an exponential moving average towards x.
func movingAverage(average, x []float32, rate float32) {
	average = average[:len(x)]
	for i, v := range x {
		average[i] += rate * (v - average[i])
	}
}

func tanh(x float32) float32 {
	return float32(math.Tanh(float64(x)))
}

func sigmoid(x float32) float32 {
	return float32(1 / (1 + math.Exp(-float64(x))))
}
