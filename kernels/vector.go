package kernels

const badMul = "kernels: Mul: lengths differ"

// Mul sets dst[i] = x[i]·y[i].
// dst may be x or y, and must not overlap them otherwise. It panics if the lengths differ.
func (k Impl) Mul(dst, x, y []float32) {
	if len(x) != len(dst) || len(y) != len(dst) {
		panic(badMul)
	}
	for i := 0; i < len(dst); i += block {
		to := min(i+block, len(dst))
		k.mul(dst[i:to], x[i:to], y[i:to])
	}
}

func mulGo(dst, x, y []float32) {
	for i, v := range x {
		dst[i] = v * y[i]
	}
}
