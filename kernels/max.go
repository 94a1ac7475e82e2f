package kernels

import "math"

// Max returns the largest element, -Inf for none. If one of them is NaN, the result is any
// element, and on another implementation another one.
func (k Impl) Max(x []float32) float32 {
	m := float32(math.Inf(-1))
	for len(x) > 0 {
		n := min(len(x), block)
		m = larger(m, k.max(x[:n]))
		x = x[n:]
	}
	return m
}

func larger(a, b float32) float32 {
	if a > b {
		return a
	}
	return b
}

func maxGo(x []float32) float32 {
	var lane [lanes]float32
	for l := range lane {
		lane[l] = float32(math.Inf(-1))
	}
	for i, v := range x {
		lane[i%lanes] = larger(lane[i%lanes], v)
	}
	for w := lanes / 2; w > 0; w /= 2 {
		for l := range w {
			lane[l] = larger(lane[l], lane[l+w])
		}
	}
	return lane[0]
}
