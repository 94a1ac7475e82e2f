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
