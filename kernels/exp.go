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

// Exp sets dst[i] = exp(src[i]), with gradual underflow to 0 and overflow to +Inf.
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

// Tanh sets dst[i] = tanh(src[i]); it is exactly odd.
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

// expParts returns n and p with exp(x) = 2ⁿ(1+p), for |x| ≤ 104.
func expParts(x float32) (n int32, p float32) {
	z := fma(x, asm.Log2E, asm.RoundInt)
	m := z - asm.RoundInt
	r := fma(-m, asm.Ln2High, x)
	r = fma(-m, asm.Ln2Low, r)
	q := fma(r, asm.ExpC6, asm.ExpC5)
	q = fma(r, q, asm.ExpC4)
	q = fma(r, q, asm.ExpC3)
	q = fma(r, q, asm.ExpC2)
	return int32(math.Float32bits(z) - math.Float32bits(asm.RoundInt)), fma(float32(r*r), q, r)
}

// pow2 returns 2ⁿ for -126 ≤ n ≤ 127 and 0 for n = -127.
func pow2(n int32) float32 {
	return math.Float32frombits(uint32(n)<<asm.ExponentLSB + asm.OneBits)
}

// expNormal returns exp(x) for x whose result is a normal number.
func expNormal(x float32) float32 {
	n, p := expParts(x)
	k := pow2(n)
	return fma(p, k, k)
}

// exp scales in two steps, so that only the second one can leave the normal numbers.
func exp(x float32) float32 {
	if asm.ExpOver < x {
		x = asm.ExpOver
	}
	if asm.ExpUnder > x {
		x = asm.ExpUnder
	}
	n, p := expParts(x)
	half := n >> 1
	k := pow2(half)
	return float32(fma(p, k, k) * pow2(n-half))
}

func tanh(x float32) float32 {
	sign := math.Float32bits(x) & asm.SignBit
	a := math.Float32frombits(math.Float32bits(x) &^ asm.SignBit)
	c := a
	if asm.TanhClamp < c {
		c = asm.TanhClamp
	}
	y := 1 - float32(2/(1+expNormal(c+c)))
	if a < asm.TanhSplit {
		z := float32(a * a)
		t := fma(z, asm.TanhC11, asm.TanhC9)
		t = fma(z, t, asm.TanhC7)
		t = fma(z, t, asm.TanhC5)
		t = fma(z, t, asm.TanhC3)
		y = fma(float32(t*z), a, a)
	}
	return math.Float32frombits(math.Float32bits(y) | sign)
}

func sigmoid(x float32) float32 {
	if asm.SigmoidHigh < x {
		x = asm.SigmoidHigh
	}
	if asm.SigmoidLow > x {
		x = asm.SigmoidLow
	}
	return 1 / (1 + expNormal(-x))
}
