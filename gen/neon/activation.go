package neon

import (
	"github.com/softsearch-go/softsearch/asm"
	"github.com/softsearch-go/softsearch/gen/a64"
	"github.com/softsearch-go/softsearch/gen/decl"
	"github.com/softsearch-go/softsearch/gen/elementwise"
)

// Activation generates the activations and the backward pass of tanh.
func Activation(file *a64.File) {
	e := newEmitter(file)
	e.elementwise(decl.Tanh, 3, e.tanh)
	e.elementwise(decl.Sigmoid, 3, e.sigmoid)
	e.elementwise(decl.ReLU, 2, e.relu)
	elementwise.TanhBackward(target{e})
}

// elementwise generates the kernel dst[i] = f(src[i]).
func (e *emitter) elementwise(d decl.Func, inFlight int, f func(x a64.V) a64.V) {
	e.function(d)
	e.inFlight = inFlight
	dst, src, n := e.Arg("dst"), e.Arg("src"), e.Arg("n")
	e.eachInFlight(n, func(s span) {
		s.Store(f(s.Load(src)), dst)
	})
	e.RET()
}

// tanh returns tanh(x), evaluated at a = |x| and given the sign of x:
//
//	a + a³·p(a²)        where a < TanhSplit
//	1 - 2/(1+exp(2a))   elsewhere
func (e *emitter) tanh(x a64.V) a64.V {
	e.Comment("tanh(x): a = |x|, r = min(2a, 2·TanhClamp)")
	a, r := e.Vector(), e.Vector()
	e.VFABS(x, a)
	e.VFADD(a, a, r)
	e.VFMIN(e.float("tanhClamp2", 2*asm.TanhClamp), r, r)
	k := e.reduce1(r)
	y := e.tanhLarge(e.expm1(r), k)
	small := e.larger(e.float("tanhSplit", asm.TanhSplit), a)
	odd := e.tanhSmall(a)
	e.Comment("the polynomial where a < TanhSplit, the quotient elsewhere, with the sign of x")
	e.VBIT(small, odd, y)
	e.VBIT(e.bits("signBit", asm.SignBit), x, y)
	return y
}

// tanhSmall returns a + a³·p(a²). It overwrites a.
func (e *emitter) tanhSmall(a a64.V) a64.V {
	e.Comment("a + a³·p(a²)")
	z := e.squared(a)
	t := e.horner(z, tanhName, tanhC)
	e.VFMUL(a, z, z)
	e.VFMLA(t, z, a)
	return a
}

// reduce1 replaces x by r = x - n·ln 2, with ln 2 as one constant, and returns k = 2ⁿ.
func (e *emitter) reduce1(x a64.V) a64.V {
	e.Comment("n = round(r/ln 2), r = r - n·ln 2, k = 2ⁿ")
	n, k := e.round(x, asm.ExponentBias)
	e.VFMLS(e.float("ln2", asm.Ln2), n, x)
	e.pow2(k)
	return k
}

// tanhLarge returns 1 - 2/(1 + k + k·p), where exp(2a) = k·(1+p).
func (e *emitter) tanhLarge(p, k a64.V) a64.V {
	e.Comment("1 - 2/(1 + k + k·expm1(r))")
	one, y := e.float("one", 1), e.Vector()
	e.VFADD(k, one, y)
	e.VFMLA(p, k, y)
	e.VFDIV(y, e.float("two", 2), y)
	e.VFSUB(y, one, y)
	return y
}

// sigmoid returns 1/(1+exp(-x)), x clamped to its bounds. It overwrites x.
func (e *emitter) sigmoid(x a64.V) a64.V {
	e.Comment("σ(x): n = round(-x/ln 2), r = -x - n·ln 2, with SigmoidLow ≤ x ≤ SigmoidHigh")
	e.VFMIN(e.float("sigmoidHigh", asm.SigmoidHigh), x, x)
	e.VFMAX(e.float("sigmoidLow", asm.SigmoidLow), x, x)
	e.VFNEG(x, x)
	n, k := e.round(x, asm.ExponentBias)
	e.reduce2(n, x)
	d := e.expm1(x)
	e.Comment("d = 1 + k + k·expm1(r) = 1 + exp(-x), k = 2ⁿ")
	e.pow2(k)
	y, one := e.Vector(), e.float("one", 1)
	e.VFADD(k, one, y)
	e.VFMLA(d, k, y)
	e.Comment("σ(x) = 1/d")
	e.VFDIV(y, one, y)
	return y
}

// relu returns x where x > 0 or x is NaN, and +0 elsewhere: FMAX treats +0 as larger than -0. It
// overwrites x.
func (e *emitter) relu(x a64.V) a64.V {
	e.Comment("ReLU(x): 0 where x ≤ 0")
	e.VFMAX(e.float("zero", 0), x, x)
	return x
}
