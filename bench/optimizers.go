package bench

import "math"

// clip scales g down to a Euclidean norm of at most limit.
func clip(g []float32, limit float64) {
	sum := 0.0
	for _, v := range g {
		sum += float64(v) * float64(v)
	}
	norm := math.Sqrt(sum)
	if norm <= limit {
		return
	}
	scale := float32(limit / norm)
	for i := range g {
		g[i] *= scale
	}
}

// adadelta takes one step of Adadelta (Zeiler, 2012) on x with the gradient g. g2 and dx2 are the
// running averages of squared gradients and squared steps.
func adadelta(x, g, g2, dx2 []float32) {
	const rho, epsilon = 0.95, 1e-6
	g, g2, dx2 = g[:len(x)], g2[:len(x)], dx2[:len(x)]
	for i, v := range g {
		g2[i] = rho*g2[i] + (1-rho)*v*v
		step := float32(math.Sqrt(float64((dx2[i]+epsilon)/(g2[i]+epsilon)))) * v
		dx2[i] = rho*dx2[i] + (1-rho)*step*step
		x[i] -= step
	}
}

// adam takes one step of Adam (Kingma and Ba, 2015) without bias correction on x with the gradient
// g. m and v are the running averages of gradients and squared gradients.
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
