package kernels

import (
	"math"

	"github.com/softsearch-go/softsearch/asm"
)

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

// expReduce returns the integer n nearest to x·log₂e and r = x - n·ln 2, for |x| ≤ 104.
func expReduce(x float32) (n, r float32) {
	n = fma(x, asm.Log2E, asm.RoundInt) - asm.RoundInt
	r = fma(-n, asm.Ln2High, x)
	return n, fma(-n, asm.Ln2Low, r)
}

// expSeries returns q with exp(r) = 1 + r + r²·q, for |r| ≤ ln 2 / 2.
func expSeries(r float32) float32 {
	q := fma(r, asm.ExpC6, asm.ExpC5)
	q = fma(r, q, asm.ExpC4)
	q = fma(r, q, asm.ExpC3)
	return fma(r, q, asm.ExpC2)
}

// expm1 returns exp(r) - 1, for |r| ≤ ln 2 / 2.
func expm1(r float32) float32 {
	return fma(float32(r*r), expSeries(r), r)
}

// pow2 returns 2ⁿ for the integers -126 ≤ n ≤ 127.
func pow2(n float32) float32 {
	return math.Float32frombits(uint32(int32(n)+asm.ExponentBias) << asm.ExponentLSB)
}

// exp adds 1 and r with their rounding error, and scales in two steps, so that only the
// second one can leave the normal numbers.
func exp(x float32) float32 {
	if asm.ExpOver < x {
		x = asm.ExpOver
	}
	if asm.ExpUnder > x {
		x = asm.ExpUnder
	}
	n, r := expReduce(x)
	sum := 1 + r
	lost := r - (sum - 1)
	e := sum + fma(float32(r*r), expSeries(r), lost)
	half := float32(int32(n) >> 1)
	return float32(e*pow2(half)) * pow2(n-half)
}

// tanh takes exp(2|x|) with ln 2 as one constant, whose error the division makes small.
func tanh(x float32) float32 {
	a := math.Float32frombits(math.Float32bits(x) &^ asm.SignBit)
	y := a
	if a < asm.TanhSplit {
		y = tanhSmall(a)
	} else {
		if asm.TanhClamp < a {
			a = asm.TanhClamp
		}
		n := fma(2*a, asm.Log2E, asm.RoundInt) - asm.RoundInt
		k := pow2(n)
		y = 1 - 2/fma(expm1(fma(-n, asm.Ln2, 2*a)), k, k+1)
	}
	return math.Float32frombits(math.Float32bits(y) | math.Float32bits(x)&asm.SignBit)
}

func tanhSmall(a float32) float32 {
	z := float32(a * a)
	t := fma(z, asm.TanhC11, asm.TanhC9)
	t = fma(z, t, asm.TanhC7)
	t = fma(z, t, asm.TanhC5)
	t = fma(z, t, asm.TanhC3)
	return fma(t, float32(z*a), a)
}

func sigmoid(x float32) float32 {
	if asm.SigmoidHigh < x {
		x = asm.SigmoidHigh
	}
	if asm.SigmoidLow > x {
		x = asm.SigmoidLow
	}
	n, r := expReduce(-x)
	k := pow2(n)
	return 1 / fma(expm1(r), k, k+1)
}
