package kernels

const (
	badMaxoutRows         = "kernels: MaxoutRows: dst is not rows×n for src rows×2n"
	badMaxoutBackwardRows = "kernels: MaxoutBackwardRows: ddst is not rows×n for src rows×2n"
)

// MaxoutRows is a maxout layer over pairs (Goodfellow et al., 2013), for every row of src:
//
//	dst[i][j] = max(src[i][2j], src[i][2j+1])
//
// where the first of two equals counts, and the first of a pair with NaN. dst is rows×n, src is
// rows×2n. dst must not overlap src. It panics if the shapes do not agree.
func (k Impl) MaxoutRows(dst, src Matrix) {
	if !dst.valid() || !src.hasShape(dst.Rows, 2*dst.Cols) {
		panic(badMaxoutRows)
	}
	k.eachRow(eachRowTask{op: rowMaxout, a: dst, b: src}, dst.Rows, CostMove*src.Cols)
}

// MaxoutBackwardRows is the backward pass of MaxoutRows for the gradient ddst of dst. It replaces
// src with its gradient: ddst[i][j] at the element of each pair that counts, 0 at the other. It
// panics if the shapes do not agree.
func (k Impl) MaxoutBackwardRows(src, ddst Matrix) {
	if !ddst.valid() || !src.hasShape(ddst.Rows, 2*ddst.Cols) {
		panic(badMaxoutBackwardRows)
	}
	k.eachRow(eachRowTask{op: rowMaxoutBackward, a: src, b: ddst}, ddst.Rows, CostMove*src.Cols)
}

// maxoutStep is the number of pairs that assembly takes at a time. Rows pad their last pairs in a
// buffer.
const maxoutStep = 16

func (k Impl) maxoutRow(dst, src []float32) {
	readsVector(src)
	writesVector(dst)
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

func (k Impl) maxoutBackwardRow(src, ddst []float32) {
	readsVector(ddst)
	writesVector(src)
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
