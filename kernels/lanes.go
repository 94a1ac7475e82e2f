package kernels

import "github.com/softsearch-go/softsearch/asm"

// lanes is the number of partial results of every reduction: element i goes to lane
// i mod 16 in ascending order, zeros fill up the last 16, then lanes l and l+8, l and l+4,
// l and l+2, l and l+1 are combined.
const lanes = asm.Lanes

// dots returns Σ x[i]·y[i]: 16 lanes within each block, the blocks in float64 in ascending
// order.
func (k Impl) dots(x, y []float32) float64 {
	sum := 0.0
	for len(x) > 0 {
		n := min(len(x), block)
		sum += float64(k.dot(x[:n], y[:n]))
		x, y = x[n:], y[n:]
	}
	return sum
}

// dotGo returns Σ x[i]·y[i] in 16 lanes.
func dotGo(x, y []float32) float32 {
	var lane [lanes]float32
	for i, v := range x {
		lane[i%lanes] = fma(v, y[i], lane[i%lanes])
	}
	fillUp(&lane, len(x))
	return treeSum(&lane)
}

// fillUp adds the zeros that fill up the last 16 of n elements: -0 in a lane becomes +0.
func fillUp(lane *[lanes]float32, n int) {
	for l := n % lanes; 0 < l && l < lanes; l++ {
		lane[l] += 0
	}
}

// treeSum adds the lanes in the order that the comment on lanes gives.
func treeSum(lane *[lanes]float32) float32 {
	for w := lanes / 2; w > 0; w /= 2 {
		for l := range w {
			lane[l] += lane[l+w]
		}
	}
	return lane[0]
}
