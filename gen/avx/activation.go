package avx

import (
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/reg"

	"github.com/softsearch-go/softsearch/asm"
	"github.com/softsearch-go/softsearch/gen/decl"
)

// Activation writes ReLU and GELU.
func Activation(c *build.Context, isa ISA) {
	e := newEmitter(c, isa)
	e.elementwise(decl.ReLU, pace{2, 1}, pace{2, 1}, e.relu)
	e.elementwise(decl.GELU, pace{2, 3}, pace{2, 14}, e.gelu)
}

// relu returns x where x > 0 or x is NaN, and +0 elsewhere. VMAXPS would return one of two
// zeros, or the number beside NaN, by the order of its operands.
func (e *emitter) relu(x reg.VecVirtual) reg.VecVirtual {
	e.clip(e.compare(notLessEqual, x, e.float("zero", 0)), x)
	return x
}

// gelu returns x/(1+exp(-u)) with u = x·(GELUC1 + GELUC3·x²), and +0 where x < GELULow. x² may
// overflow: u is infinite then, and the sigmoid's bounds apply. It overwrites x.
func (e *emitter) gelu(x reg.VecVirtual) reg.VecVirtual {
	u := e.squared(x)
	slope := e.loaded(e.float("geluC1", asm.GELUC1))
	e.VFMADD231PS(e.float("geluC3", asm.GELUC3), u, slope)
	e.VMULPS(slope, x, u)
	d := e.sigmoidDenominator(u)
	e.VDIVPS(d, x, d)
	e.zeroBelow(d, x, e.float("geluLow", asm.GELULow))
	return d
}
