package kernels

import (
	"math"

	"github.com/softsearch-go/softsearch/asm"
)

// Exp sets dst[i] = exp(src[i]), with gradual underflow to 0 and overflow to +Inf. NaN gives NaN. The
// error is at most 1 ULP.
// dst may be src, and must not overlap it otherwise. It panics if the lengths differ.
func (k Impl) Exp(dst, src []float32) {
	k.pointwise(opExp, dst, src, src, "kernels: Exp: len(dst) != len(src)")
}

// Tanh sets dst[i] = tanh(src[i]). It is exactly odd, and NaN gives NaN. The error is at most 1.5 ULP.
// dst may be src, and must not overlap it otherwise. It panics if the lengths differ.
func (k Impl) Tanh(dst, src []float32) {
	k.pointwise(opTanh, dst, src, src, "kernels: Tanh: len(dst) != len(src)")
}

// Sigmoid sets dst[i] = 1/(1+exp(-src[i])), with src[i] clamped to [-87.3, 88]. NaN gives NaN. The
// error is at most 2.5 ULP.
// dst may be src, and must not overlap it otherwise. It panics if the lengths differ.
func (k Impl) Sigmoid(dst, src []float32) {
	k.pointwise(opSigmoid, dst, src, src, "kernels: Sigmoid: len(dst) != len(src)")
}

// ReLU sets dst[i] = max(src[i], 0), where the zero is +0. NaN gives NaN.
// dst may be src, and must not overlap it otherwise. It panics if the lengths differ.
func (k Impl) ReLU(dst, src []float32) {
	k.pointwise(opReLU, dst, src, src, "kernels: ReLU: len(dst) != len(src)")
}

// TanhBackward sets dx[i] = dy[i]·(1-y[i]²), the gradient of x in y = tanh(x). dx may be dy.
// It panics if the lengths differ.
func (k Impl) TanhBackward(dx, y, dy []float32) {
	k.pointwise(opTanhBackward, dx, y, dy, "kernels: TanhBackward: lengths differ")
}

// A pointwiseOp is a kernel whose element i depends on elements i of its operands alone.
type pointwiseOp int

const (
	opExp pointwiseOp = iota
	opTanh
	opSigmoid
	opReLU
	opTanhBackward
	opAdd
	opMul
)

// pointwise runs op in blocks. Kernels of one operand get it twice. It panics with message if the lengths differ.
func (k Impl) pointwise(op pointwiseOp, dst, x, y []float32, message string) {
	if len(x) != len(dst) || len(y) != len(dst) {
		panic(message)
	}
	for i := 0; i < len(dst); i += block {
		to := min(i+block, len(dst))
		switch d, a := dst[i:to], x[i:to]; op {
		case opExp:
			k.exp(d, a)
		case opTanh:
			k.tanh(d, a)
		case opSigmoid:
			k.sigmoid(d, a)
		case opReLU:
			k.relu(d, a)
		case opTanhBackward:
			k.tanhBackward(d, a, y[i:to])
		case opAdd:
			k.add(d, a)
		case opMul:
			k.mul(d, a, y[i:to])
		}
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

func sigmoidGo(dst, src []float32) {
	for i, x := range src {
		dst[i] = sigmoid(x)
	}
}

func reluGo(dst, src []float32) {
	for i, x := range src {
		dst[i] = relu(x)
	}
}

func tanhBackwardGo(dx, y, dy []float32) {
	for i, v := range y {
		dx[i] = dy[i] * fma(-v, v, 1)
	}
}

// The functions below compute in f32: float32 where the compiler fuses x*y + z, and float64 where it does not.
// Either way fmaSum(x*y+z, x, y, z) is rounded once, and float32(…) rounds every other operation.

// exp carries the rounding error of 1 + r along, and scales by 2ⁿ in two steps, of which only the
// second can leave the normal numbers.
func exp(x float32) float32 {
	if asm.ExpOver < x {
		x = asm.ExpOver
	}
	if asm.ExpUnder > x {
		x = asm.ExpUnder
	}
	n, r := expReduce(f32(x))
	sum := 1 + float32(r)
	lost := float32(r) - (sum - 1)
	e := sum + float32(expm1(r, f32(lost)))
	half := f32(int32(n) >> 1)
	return float32(e*float32(pow2(half))) * float32(pow2(n-half))
}

// expTerm returns exp(x), or 0 if that is subnormal, for x ≤ 0 or NaN.
func expTerm(x float32) float32 {
	if x < asm.ExpLow {
		return 0
	}
	n, r := expReduce(f32(x))
	k, p := pow2(n), expm1(r, r)
	return float32(fmaSum(p*k+k, p, k, k))
}

// tanh returns 1 - 2/(exp(2|x|)+1) with the sign of x for large |x|, with ln 2 as one constant: the
// division makes its error small. For small |x| it is a polynomial.
func tanh(x float32) float32 {
	a := math.Float32frombits(math.Float32bits(x) &^ asm.SignBit)
	var y float32
	if a < asm.TanhSplit {
		y = tanhSmall(f32(a))
	} else {
		if asm.TanhClamp < a {
			a = asm.TanhClamp
		}
		b := f32(2 * a)
		n := fmaSum(b*asm.Log2E+asm.RoundInt, b, asm.Log2E, asm.RoundInt) - asm.RoundInt
		r := fmaSum(-n*asm.Ln2+b, -n, asm.Ln2, b)
		y = 1 - 2/expDenominator(n, expm1(r, r))
	}
	return math.Float32frombits(math.Float32bits(y) | math.Float32bits(x)&asm.SignBit)
}

func tanhSmall(a f32) float32 {
	z := f32(float32(a * a))
	t := fmaSum(z*asm.TanhC11+asm.TanhC9, z, asm.TanhC11, asm.TanhC9)
	t = fmaSum(z*t+asm.TanhC7, z, t, asm.TanhC7)
	t = fmaSum(z*t+asm.TanhC5, z, t, asm.TanhC5)
	t = fmaSum(z*t+asm.TanhC3, z, t, asm.TanhC3)
	cube := f32(float32(z * a))
	return float32(fmaSum(t*cube+a, t, cube, a))
}

func sigmoid(x float32) float32 {
	if asm.SigmoidHigh < x {
		x = asm.SigmoidHigh
	}
	if asm.SigmoidLow > x {
		x = asm.SigmoidLow
	}
	n, r := expReduce(-f32(x))
	return 1 / expDenominator(n, expm1(r, r))
}

func relu(x float32) float32 {
	if x <= 0 {
		return 0
	}
	return x
}

// expReduce returns the integer n nearest to x·log₂e and r = x - n·ln 2, for |x| ≤ 104.
func expReduce(x f32) (n, r f32) {
	n = fmaSum(x*asm.Log2E+asm.RoundInt, x, asm.Log2E, asm.RoundInt) - asm.RoundInt
	r = fmaSum(-n*asm.Ln2High+x, -n, asm.Ln2High, x)
	return n, fmaSum(-n*asm.Ln2Low+r, -n, asm.Ln2Low, r)
}

// expm1 returns base + r²·q(r), for |r| ≤ ln 2 / 2: exp(r) - 1 where base is r.
func expm1(r, base f32) f32 {
	q := fmaSum(r*asm.ExpC6+asm.ExpC5, r, asm.ExpC6, asm.ExpC5)
	q = fmaSum(r*q+asm.ExpC4, r, q, asm.ExpC4)
	q = fmaSum(r*q+asm.ExpC3, r, q, asm.ExpC3)
	q = fmaSum(r*q+asm.ExpC2, r, q, asm.ExpC2)
	square := f32(float32(r * r))
	return fmaSum(square*q+base, square, q, base)
}

// pow2 returns 2ⁿ for the integers -126 ≤ n ≤ 127.
func pow2(n f32) f32 {
	return f32(math.Float32frombits(uint32(int32(n)+asm.ExponentBias) << asm.ExponentLSB))
}

// expDenominator returns 1 + 2ⁿ·(1+p).
func expDenominator(n, p f32) float32 {
	k := pow2(n)
	one := f32(float32(k + 1))
	return float32(fmaSum(p*k+one, p, k, one))
}
