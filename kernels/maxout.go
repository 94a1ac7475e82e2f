package kernels

const (
	badMaxout         = "kernels: Maxout: len(src) != 2*len(dst)"
	badMaxoutBackward = "kernels: MaxoutBackward: len(src) != 2*len(ddst)"
)

// Maxout sets dst[j] = max(src[2j], src[2j+1]), the first of two equals.
// It panics if len(src) != 2*len(dst). dst must not overlap src.
func (k Impl) Maxout(dst, src []float32) {
	if len(src) != 2*len(dst) {
		panic(badMaxout)
	}
	for len(dst) >= maxoutStep {
		n := min(len(dst), block) &^ (maxoutStep - 1)
		k.maxout(dst[:n], src[:2*n])
		dst, src = dst[n:], src[2*n:]
	}
	if len(dst) > 0 {
		var d [maxoutStep]float32
		var s [2 * maxoutStep]float32
		copy(s[:], src)
		k.maxout(d[:], s[:])
		copy(dst, d[:])
	}
}

// MaxoutBackward is the backward pass of Maxout for the gradient ddst of dst. It replaces
// src by its gradient: ddst[j] at the larger of each pair, 0 at the other.
// It panics if len(src) != 2*len(ddst).
func (k Impl) MaxoutBackward(src, ddst []float32) {
	if len(src) != 2*len(ddst) {
		panic(badMaxoutBackward)
	}
	for len(ddst) >= maxoutStep {
		n := min(len(ddst), block) &^ (maxoutStep - 1)
		k.maxoutBackward(src[:2*n], ddst[:n])
		src, ddst = src[2*n:], ddst[n:]
	}
	if len(ddst) > 0 {
		var d [maxoutStep]float32
		var s [2 * maxoutStep]float32
		copy(d[:], ddst)
		copy(s[:], src)
		k.maxoutBackward(s[:], d[:])
		copy(src, s[:])
	}
}

// maxoutStep is the number of pairs of which assembly takes a multiple.
const maxoutStep = 16

func maxoutGo(dst, src []float32) {
	for j := range dst {
		dst[j] = larger(src[2*j+1], src[2*j])
	}
}

func maxoutBackwardGo(src, ddst []float32) {
	for j, d := range ddst {
		first, second := d, float32(0)
		if src[2*j+1] > src[2*j] {
			first, second = 0, d
		}
		src[2*j], src[2*j+1] = first, second
	}
}
