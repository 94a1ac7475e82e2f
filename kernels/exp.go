package kernels

const (
	badExp          = "kernels: Exp: len(dst) != len(src)"
	badTanh         = "kernels: Tanh: len(dst) != len(src)"
	badSigmoid      = "kernels: Sigmoid: len(dst) != len(src)"
	badTanhBackward = "kernels: TanhBackward: lengths differ"
)

// block bounds the elements of one call of assembly, and is the length over which
// reductions keep float32 lanes before they add to a float64 total.
const block = 4096

// Exp sets dst[i] = exp(src[i]), with gradual underflow to 0 and overflow to +Inf. NaN gives NaN.
// dst may be src, and must not overlap it otherwise. It panics if the lengths differ.
func (k Impl) Exp(dst, src []float32) {
	if len(dst) != len(src) {
		panic(badExp)
	}
	for len(src) > 0 {
		n := min(len(src), block)
		k.exp(dst[:n], src[:n])
		dst, src = dst[n:], src[n:]
	}
}

// Tanh sets dst[i] = tanh(src[i]); it is exactly odd. NaN gives NaN.
// dst may be src, and must not overlap it otherwise. It panics if the lengths differ.
func (k Impl) Tanh(dst, src []float32) {
	if len(dst) != len(src) {
		panic(badTanh)
	}
	for len(src) > 0 {
		n := min(len(src), block)
		k.tanh(dst[:n], src[:n])
		dst, src = dst[n:], src[n:]
	}
}

// Sigmoid sets dst[i] = 1/(1+exp(-src[i])), taking src[i] as at least -87.3 and at most 88.
// NaN gives NaN.
// dst may be src, and must not overlap it otherwise. It panics if the lengths differ.
func (k Impl) Sigmoid(dst, src []float32) {
	if len(dst) != len(src) {
		panic(badSigmoid)
	}
	for len(src) > 0 {
		n := min(len(src), block)
		k.sigmoid(dst[:n], src[:n])
		dst, src = dst[n:], src[n:]
	}
}

// TanhBackward sets dx[i] = dy[i]·(1-y[i]²), the gradient through y = tanh(x). dx may be dy.
// It panics if the lengths differ.
func (k Impl) TanhBackward(dx, y, dy []float32) {
	if len(dx) != len(y) || len(dy) != len(y) {
		panic(badTanhBackward)
	}
	for i := 0; i < len(y); i += block {
		to := min(i+block, len(y))
		k.tanhBackward(dx[i:to], y[i:to], dy[i:to])
	}
}

func expGo(dst, src []float32) {
	for i, x := range src {
		dst[i] = exp(x)
	}
}

func tanhGo(dst, src []float32) {
	for i, x := range src {
		dst[i] = tanh(x)
	}
}

func tanhBackwardGo(dx, y, dy []float32) {
	for i, v := range y {
		dx[i] = dy[i] * fma(-v, v, 1)
	}
}

func sigmoidGo(dst, src []float32) {
	for i, x := range src {
		dst[i] = sigmoid(x)
	}
}
