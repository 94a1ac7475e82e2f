package kernels

import "math"

const badCrossEntropyRows = "kernels: CrossEntropyRows: lengths of losses and targets are not x.Rows, or target out of range"

// Softmax sets dst[i] = exp(src[i]-max) / Σ_j exp(src[j]-max). Terms below 2⁻¹²⁶ count as 0.
// If every element is -Inf, the result is zeros; if one is +Inf or NaN, it is NaN throughout.
// dst may be src, and must not overlap it otherwise. It panics if the lengths differ.
func (k Impl) Softmax(dst, src []float32) {
	if len(dst) != len(src) {
		panic("kernels: Softmax: len(dst) != len(src)")
	}
	m := k.Max(src)
	if emptyRow(m, src) {
		clear(dst)
		return
	}
	k.Scale(dst, float32(1/k.expSums(dst, src, m)))
}

// SoftmaxRows is Softmax for every row of src. dst may be src, and must not overlap it otherwise. It panics
// if the shapes differ.
func (k Impl) SoftmaxRows(dst, src Matrix) {
	if !dst.valid() || !src.hasShape(dst.Rows, dst.Cols) {
		panic("kernels: SoftmaxRows: shapes of dst and src differ")
	}
	k.eachRow(eachRowTask{op: rowSoftmax, a: dst, b: src}, dst.Rows, CostFunction*dst.Cols)
}

// LogSumExp returns log Σ_i exp(x[i]). It is -Inf if x is empty or every element is -Inf, and NaN if
// one is +Inf or NaN.
func (k Impl) LogSumExp(x []float32) float32 {
	m := k.Max(x)
	if emptyRow(m, x) {
		return m
	}
	return float32(float64(m) + logarithm(k.sumExps(x, m)))
}

// CrossEntropy returns the loss -log softmax(x)[target] and replaces x with the gradient of the
// loss, softmax(x) with 1 subtracted at target. An element of -Inf has probability 0; at the target
// it makes the loss +Inf. If every element is -Inf, or one is +Inf or NaN, the loss and the gradient
// are NaN. It panics if target is out of range.
func (k Impl) CrossEntropy(x []float32, target int) float32 {
	if target < 0 || target >= len(x) {
		panic("kernels: CrossEntropy: target out of range")
	}
	m := k.Max(x)
	at := x[target]
	sum := k.expSums(x, x, m)
	k.Scale(x, float32(1/sum))
	x[target]--
	return float32(float64(m) + logarithm(sum) - float64(at))
}

// CrossEntropyRows is CrossEntropy for every row of x: row i has target targets[i] and loss
// losses[i]. It panics if len(losses) or len(targets) is not x.Rows or a target is out of range.
func (k Impl) CrossEntropyRows(losses []float32, x Matrix, targets []int32) {
	if !x.valid() || len(losses) != x.Rows || len(targets) != x.Rows {
		panic(badCrossEntropyRows)
	}
	for _, t := range targets {
		if t < 0 || int(t) >= x.Cols {
			panic(badCrossEntropyRows)
		}
	}
	k.eachRow(eachRowTask{op: rowCrossEntropy, a: x, values: losses, index: targets}, x.Rows, CostFunction*x.Cols)
}

// SoftmaxBackward sets dx[i] = y[i]·(dy[i] - Σ_j y[j]·dy[j]), the gradient of x in y = softmax(x).
// The sum is as in Dot. dx may be dy. It panics if the lengths differ.
func (k Impl) SoftmaxBackward(dx, y, dy []float32) {
	if len(dx) != len(y) || len(dy) != len(y) {
		panic("kernels: SoftmaxBackward: lengths differ")
	}
	sum := float32(k.blockDots(y, dy))
	for i := 0; i < len(y); i += block {
		to := min(i+block, len(y))
		k.softmaxGradient(dx[i:to], y[i:to], dy[i:to], sum)
	}
}

// emptyRow reports whether every element of x is -Inf, where m is Max(x).
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

func expSumGo(dst, src []float32, m float32) float32 {
	var lane [lanes]float32
	for i, v := range src {
		e := expTerm(v - m)
		dst[i] = e
		lane[i%lanes] += e
	}
	return treeSum(lane[:])
}

func sumExpGo(x []float32, m float32) float32 {
	var lane [lanes]float32
	for i, v := range x {
		lane[i%lanes] += expTerm(v - m)
	}
	return treeSum(lane[:])
}

func softmaxGradientGo(dx, y, dy []float32, sum float32) {
	for i, v := range y {
		dx[i] = v * (dy[i] - sum)
	}
}

// logarithm returns the natural logarithm of x ≥ 0, the same bits on every architecture
// (math.Log is assembly on some of them).
//
// x = 2ᵉ·m with √½ ≤ m < √2, and log m = 2·artanh(s) = 2s + 2s³/3 + 2s⁵/5 + … for
// s = (m-1)/(m+1), |s| ≤ 0.1716, whose series is cut after s²¹ (error below 2⁻⁵⁵).
func logarithm(x float64) float64 {
	if x == 0 {
		return math.Inf(-1)
	}
	if x-x != 0 {
		return x
	}
	m, e := math.Frexp(x)
	if m < math.Sqrt2/2 {
		m *= 2
		e--
	}
	s := float64(m-1) / float64(m+1)
	z := float64(s * s)
	t := 0.0
	for n := 21; n > 1; n -= 2 {
		t = float64((t + 1/float64(n)) * z)
	}
	return float64(float64(e)*math.Ln2) + float64(2*s) + float64(2*s*t)
}
