package neon

import (
	"github.com/softsearch-go/softsearch/asm"
	"github.com/softsearch-go/softsearch/gen/a64"
	"github.com/softsearch-go/softsearch/gen/decl"
)

// Activation writes the activations and the backward pass of tanh.
func Activation(file *a64.File) {
	e := newEmitter(file)
	e.elementwise(decl.Tanh, 3, e.tanh)
	e.elementwise(decl.Sigmoid, 3, e.sigmoid)
	e.elementwise(decl.ReLU, 2, e.relu)
	e.elementwise(decl.GELU, 3, e.gelu)
	e.tanhBackward()
}

func (e *emitter) elementwise(d decl.Func, inFlight int, f func(x a64.V) a64.V) {
	e.function(d)
	e.inFlight = inFlight
	dst, src, n := e.Arg("dst"), e.Arg("src"), e.Arg("n")
	e.eachInFlight(n, func(s span) {
		s.store(f(s.load(src)), dst)
	})
	e.end()
}

// tanh returns 1 - 2/(1+exp(2|x|)), or below TanhSplit an odd polynomial, with the sign of x.
func (e *emitter) tanh(x a64.V) a64.V {
	a, r := e.Vector(), e.Vector()
	e.VFABS(x, a)
	e.VFADD(a, a, r)
	e.VFMIN(e.float("tanhClamp2", 2*asm.TanhClamp), r, r)
	k := e.reduce1(r)
	y := e.tanhLarge(e.expm1(r), k)
	small := e.larger(e.float("tanhSplit", asm.TanhSplit), a)
	e.VBIT(small, e.tanhSmall(a), y)
	e.VBIT(e.bits("signBit", asm.SignBit), x, y)
	return y
}

// reduce1 replaces x by r = x - n·ln 2, with ln 2 as one constant, and returns 2ⁿ.
func (e *emitter) reduce1(x a64.V) a64.V {
	n, k := e.round(x, asm.ExponentBias)
	e.VFMLS(e.float("ln2", asm.Ln2), n, x)
	e.pow2(k)
	return k
}

// tanhLarge returns 1 - 2/(1 + k + k·p).
func (e *emitter) tanhLarge(p, k a64.V) a64.V {
	one, y := e.float("one", 1), e.Vector()
	e.VFADD(k, one, y)
	e.VFMLA(p, k, y)
	e.VFDIV(y, e.float("two", 2), y)
	e.VFSUB(y, one, y)
	return y
}

// tanhSmall returns the odd polynomial at a. It overwrites a.
func (e *emitter) tanhSmall(a a64.V) a64.V {
	z := e.squared(a)
	t := e.horner(z, tanhName, tanhC)
	e.VFMUL(a, z, z)
	e.VFMLA(t, z, a)
	return a
}

// sigmoid returns 1/(1+exp(-x)) with x between its bounds. It overwrites x.
func (e *emitter) sigmoid(x a64.V) a64.V {
	d := e.sigmoidDenominator(x)
	e.VFDIV(d, e.float("one", 1), d)
	return d
}

// sigmoidDenominator returns 1+exp(-x) with x between the bounds of sigmoid. It overwrites x.
func (e *emitter) sigmoidDenominator(x a64.V) a64.V {
	e.VFMIN(e.float("sigmoidHigh", asm.SigmoidHigh), x, x)
	e.VFMAX(e.float("sigmoidLow", asm.SigmoidLow), x, x)
	e.VFNEG(x, x)
	n, k := e.round(x, asm.ExponentBias)
	e.reduce2(n, x)
	d := e.expm1(x)
	e.pow2(k)
	y, one := e.Vector(), e.float("one", 1)
	e.VFADD(k, one, y)
	e.VFMLA(d, k, y)
	return y
}

// relu returns x where x > 0 or x is NaN, and +0 elsewhere: FMAX takes +0 as larger than -0.
// It overwrites x.
func (e *emitter) relu(x a64.V) a64.V {
	e.VFMAX(e.float("zero", 0), x, x)
	return x
}

// gelu returns x/(1+exp(-u)) with u = x·(GELUC1 + GELUC3·x²), and +0 where x < GELULow. x² may
// overflow: u is infinite then, and the sigmoid's bounds apply.
func (e *emitter) gelu(x a64.V) a64.V {
	slope := e.loaded("geluC1", asm.GELUC1)
	e.VFMLA(e.float("geluC3", asm.GELUC3), e.squared(x), slope)
	u := e.Vector()
	e.VFMUL(slope, x, u)
	d := e.sigmoidDenominator(u)
	e.VFDIV(d, x, d)
	e.clear(e.larger(e.float("geluLow", asm.GELULow), x), d)
	return d
}

func (e *emitter) tanhBackward() {
	e.function(decl.TanhBackward)
	dx, y, dy, n := e.Arg("dx"), e.Arg("y"), e.Arg("dy"), e.Arg("n")
	e.eachInFlight(n, func(s span) {
		v, slope := s.load(y), e.loaded("one", 1)
		e.VFMLS(v, v, slope)
		e.VFMUL(s.load(dy), slope, slope)
		s.store(slope, dx)
	})
	e.end()
}
