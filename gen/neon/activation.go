package neon

import (
	"github.com/softsearch-go/softsearch/asm"
	"github.com/softsearch-go/softsearch/gen/a64"
	"github.com/softsearch-go/softsearch/gen/decl"
)

// Activation writes ReLU and GELU.
func Activation(file *a64.File) {
	e := newEmitter(file)
	e.elementwise(decl.ReLU, 2, e.relu)
	e.elementwise(decl.GELU, 3, e.gelu)
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
