//go:build !(amd64.v3 || arm64 || loong64 || ppc64 || ppc64le || riscv64 || s390x)

package kernels

import "math"

// f32 is the type in which portable Go holds float32 values between operations: here, where the
// compiler emits no fused multiply-add, one in which their products are exact.
type f32 = float64

// fma returns x*y + z rounded once to float32.
func fma(x, y, z float32) float32 { return fmaEmulated(x, y, z) }

// fmaSum returns x*y + z rounded once to float32, where s is x*y + z, and the result is 0 or a normal
// number, or x*y + z is exact. It spells out the test of midpoint, because the compiler does not
// inline fmaSum otherwise.
func fmaSum(s, x, y, z f32) f32 {
	if math.Float64bits(s)<<35 == 1<<63 {
		return fmaExact(x*y, z, s)
	}
	return float64(float32(s))
}

// addScaled sets y[i] = fma(a, x[i], y[i]).
func addScaled(y []float32, a float32, x []float32) {
	for i, v := range x {
		y[i] = fmaEmulated(a, v, y[i])
	}
}

// addProducts sets lane[i%64] = fma(x[i], y[i], lane[i%64]), i ascending.
func addProducts(lane *[dotLanes]float32, x, y []float32) {
	for i, v := range x {
		lane[i%dotLanes] = fmaEmulated(v, y[i], lane[i%dotLanes])
	}
}

// chainWidth is the number of outputs whose chains fmaChains keeps in registers.
const chainWidth = 4

// fmaChains adds depth terms to each of chainWidth chains: acc[j] = fma(x[k*step], w[k*16+j], acc[j]),
// k ascending. acc holds float32 values.
func fmaChains(acc *[chainWidth]f32, x []float32, step int, w []float32, depth int) {
	a0, a1, a2, a3 := acc[0], acc[1], acc[2], acc[3]
	for k := range depth {
		v := (*[chainWidth]float32)(w[k*panel:])
		b := float64(x[k*step])
		s0, s1, s2, s3 := b*float64(v[0])+a0, b*float64(v[1])+a1, b*float64(v[2])+a2, b*float64(v[3])+a3
		if midpoint(s0) || midpoint(s1) || midpoint(s2) || midpoint(s3) ||
			subnormal(s0) || subnormal(s1) || subnormal(s2) || subnormal(s3) {
			a0, a1 = fmaExact(b*float64(v[0]), a0, s0), fmaExact(b*float64(v[1]), a1, s1)
			a2, a3 = fmaExact(b*float64(v[2]), a2, s2), fmaExact(b*float64(v[3]), a3, s3)
			continue
		}
		a0, a1, a2, a3 = float64(float32(s0)), float64(float32(s1)), float64(float32(s2)), float64(float32(s3))
	}
	acc[0], acc[1], acc[2], acc[3] = a0, a1, a2, a3
}
