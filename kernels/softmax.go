package kernels

import "math"

const (
	badSoftmax         = "kernels: Softmax: len(dst) != len(src)"
	badCrossEntropy    = "kernels: CrossEntropy: target out of range"
	badSoftmaxBackward = "kernels: SoftmaxBackward: lengths differ"
)

// Softmax sets dst[i] = exp(src[i]-max) / Σ_j exp(src[j]-max). Terms below 2⁻¹²⁶ count as 0.
// A row of -Inf only gives zeros; a row with +Inf or NaN gives NaN.
// dst may be src, and must not overlap it otherwise. It panics if the lengths differ.
func (k Impl) Softmax(dst, src []float32) {
	if len(dst) != len(src) {
		panic(badSoftmax)
	}
	m := k.Max(src)
	if emptyRow(m, src) {
		clear(dst)
		return
	}
	k.scale(dst, float32(1/k.expSums(dst, src, m)))
}

// LogSumExp returns log Σ_i exp(x[i]): -Inf for an empty row or one of -Inf only, NaN for a
// row with +Inf or NaN.
func (k Impl) LogSumExp(x []float32) float32 {
	m := k.Max(x)
	if emptyRow(m, x) {
		return m
	}
	return float32(float64(m) + logarithm(k.sumExps(x, m)))
}

// CrossEntropy returns the loss -log softmax(x)[target] and replaces x by its gradient,
// softmax(x) with 1 subtracted at target. -Inf in a row with a finite element is a probability
// of 0, and a loss of +Inf at the target. A row of -Inf only or one with +Inf or NaN gives NaN
// as the loss and throughout the gradient. It panics if target is out of range.
func (k Impl) CrossEntropy(x []float32, target int) float32 {
	if target < 0 || target >= len(x) {
		panic(badCrossEntropy)
	}
	m := k.Max(x)
	at := x[target]
	sum := k.expSums(x, x, m)
	k.scale(x, float32(1/sum))
	x[target]--
	return float32(float64(m) + logarithm(sum) - float64(at))
}

// SoftmaxBackward sets dx[i] = y[i] * (dy[i] - Σ_j y[j]·dy[j]), the gradient through
// y = softmax(x), the sum in 16 lanes within each block of 4096, the blocks in float64.
// dx may be dy. It panics if the lengths differ.
func (k Impl) SoftmaxBackward(dx, y, dy []float32) {
	if len(dx) != len(y) || len(dy) != len(y) {
		panic(badSoftmaxBackward)
	}
	sum := float32(k.dots(y, dy))
	for i := 0; i < len(y); i += block {
		to := min(i+block, len(y))
		k.softmaxGradient(dx[i:to], y[i:to], dy[i:to], sum)
	}
}

// emptyRow reports whether the row x of maximum m has no finite term and no NaN.
func emptyRow(m float32, x []float32) bool {
	if m != float32(math.Inf(-1)) {
		return false
	}
	for _, v := range x {
		if v != v {
			return false
		}
	}
	return true
}

// expSums sets dst[i] = exp(src[i]-m) and returns the sum: 16 lanes within each block,
// the blocks in ascending order.
func (k Impl) expSums(dst, src []float32, m float32) float64 {
	sum := 0.0
	for len(src) > 0 {
		n := min(len(src), block)
		sum += float64(k.expSum(dst[:n], src[:n], m))
		dst, src = dst[n:], src[n:]
	}
	return sum
}

// sumExps returns the sum of expSums without storing its terms.
func (k Impl) sumExps(x []float32, m float32) float64 {
	sum := 0.0
	for len(x) > 0 {
		n := min(len(x), block)
		sum += float64(k.sumExp(x[:n], m))
		x = x[n:]
	}
	return sum
}

// scale multiplies x by a.
func (k Impl) scale(x []float32, a float32) {
	for len(x) > 0 {
		n := min(len(x), block)
		k.scaleBlock(x[:n], a)
		x = x[n:]
	}
}

func expSumGo(dst, src []float32, m float32) float32 {
	var lane [lanes]float32
	for i, v := range src {
		e := expTerm(v - m)
		dst[i] = e
		lane[i%lanes] += e
	}
	return treeSum(&lane)
}

func sumExpGo(x []float32, m float32) float32 {
	var lane [lanes]float32
	for i, v := range x {
		lane[i%lanes] += expTerm(v - m)
	}
	return treeSum(&lane)
}

func scaleGo(x []float32, a float32) {
	for i, v := range x {
		x[i] = a * v
	}
}

func softmaxGradientGo(dx, y, dy []float32, sum float32) {
	for i, v := range y {
		dx[i] = v * (dy[i] - sum)
	}
}
