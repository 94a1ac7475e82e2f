package elementwise

import (
	"github.com/softsearch-go/softsearch/asm"
	"github.com/softsearch-go/softsearch/gen/decl"
)

// Activation generates the exponential, the activations and the backward pass of tanh.
func Activation[R, V any](t Target[R, V]) {
	function(t, decl.Exp, t.Exp)
	function(t, decl.Tanh, t.Tanh)
	function(t, decl.Sigmoid, func(x V) V { return Sigmoid(t, x) })
	function(t, decl.ReLU, t.ReLU)
	tanhBackward(t)
}

// function generates the kernel dst[i] = f(src[i]).
func function[R, V any](t Target[R, V], d decl.Func, f func(x V) V) {
	t.Begin(d)
	dst, src, n := t.Arg("dst"), t.Arg("src"), t.Arg("n")
	t.EachInFlight(n, func(s Span[R, V]) { s.Store(f(s.Load(src)), dst) })
	t.End()
}

// Tanh returns tanh(x), evaluated at a = |x| and given the sign of x:
//
//	a + a³·p(a²)        where a < TanhSplit
//	1 - 2/(1+exp(2a))   elsewhere
//
// It overwrites x.
func Tanh[R, V any](t Target[R, V], x V) V {
	t.Comment("tanh(x): a = |x|, r = min(2a, 2·TanhClamp)")
	a, r := t.Abs(x), t.Vector()
	t.Add(a, a, r)
	t.AtMost(Constant{"tanhClamp2", 2 * asm.TanhClamp}, r)
	k := TanhReduce(t, r)
	y := t.Choose(a, Constant{"tanhSplit", asm.TanhSplit}, func() V {
		t.Comment("a + a³·p(a²)")
		z := squared(t, a)
		p := t.Horner(z, TanhSeries)
		t.Mul(a, z, z)
		return t.Fused(p, z, a)
	}, func() V { return TanhQuotient(t, expm1(t, r), k) })
	t.CopySign(x, y)
	return y
}

// TanhReduce replaces r by r - n·ln 2, with ln 2 as one constant, and returns k = 2ⁿ.
func TanhReduce[R, V any](t Target[R, V], r V) V {
	t.Comment("n = round(r/ln 2), r = r - n·ln 2, k = 2ⁿ")
	n, k := round(t, r, log2E, asm.ExponentBias)
	t.MulSubConstant(ln2, n, r)
	t.ShiftLeft(asm.ExponentLSB, k, k)
	return k
}

// TanhQuotient returns 1 - 2/(1 + k + k·p), where exp(2a) = k·(1+p). It overwrites p.
func TanhQuotient[R, V any](t Target[R, V], p, k V) V {
	t.Comment("1 - 2/(1 + k + k·expm1(r))")
	y := t.Vector()
	t.AddConstant(one, k, y)
	return t.SubFrom(one, t.Quotient(two, t.Fused(p, k, y)))
}

// Sigmoid returns 1/(1+exp(-x)), x clamped to its bounds. It overwrites x.
func Sigmoid[R, V any](t Target[R, V], x V) V {
	t.Comment("σ(x): n = round(-x/ln 2), r = -x - n·ln 2, with SigmoidLow ≤ x ≤ SigmoidHigh")
	t.AtMost(Constant{"sigmoidHigh", asm.SigmoidHigh}, x)
	t.AtLeast(Constant{"sigmoidLow", asm.SigmoidLow}, x)
	n, k := round(t, x, minusLog2E, asm.ExponentBias)
	t.NegMulSubConstant(ln2High, n, x)
	t.MulSubConstant(ln2Low, n, x)
	p := expm1(t, x)
	t.Comment("σ(x) = 1/(1 + k + k·expm1(r)), k = 2ⁿ")
	t.ShiftLeft(asm.ExponentLSB, k, k)
	sum := t.Vector()
	t.AddConstant(one, k, sum)
	return t.Quotient(one, t.Fused(p, k, sum))
}

func tanhBackward[R, V any](t Target[R, V]) {
	t.Begin(decl.TanhBackward)
	dx, y, dy, n := t.Arg("dx"), t.Arg("y"), t.Arg("dy"), t.Arg("n")
	t.Each(n, func(s Span[R, V]) {
		t.Comment("dx = dy·(1 - y²)")
		v, slope := s.Load(y), t.New(one)
		t.MulSub(v, v, slope)
		t.Mul(s.Load(dy), slope, slope)
		s.Store(slope, dx)
	})
	t.End()
}
