package avx

import (
	"github.com/mmcloughlin/avo/build"

	"github.com/softsearch-go/softsearch/asm"
	"github.com/softsearch-go/softsearch/gen/decl"
)

// Adam writes the update rule.
func Adam(c *build.Context, isa ISA) {
	e := newEmitter(c, isa)
	e.function(decl.Adam)
	x, g, m, v, n := e.arg("x"), e.arg("gradient"), e.arg("m"), e.arg("v"), e.arg("n")
	beta1, keep1 := e.broadcastArg("beta1"), e.broadcastArg("keep1")
	beta2, keep2 := e.broadcastArg("beta2"), e.broadcastArg("keep2")
	epsilon, rate, scale := e.broadcastArg("epsilon"), e.broadcastArg("rate"), e.broadcastArg("scale")
	e.each(n, func(s span) {
		d := s.load(g)
		e.VMULPS(scale, d, d)
		root := e.meanSquare(beta2, keep2, s.load(v), d)
		s.store(root, v)
		e.VSQRTPS(root, root)
		e.VADDPS(epsilon, root, root)
		e.VMULPS(keep1, d, d)
		e.VFMADD231PS(s.load(m), beta1, d)
		size := e.vec()
		e.VANDPS(e.bits("absBits", ^uint32(asm.SignBit)), d, size)
		e.zeroBelow(d, size, e.averageFloor())
		s.store(d, m)
		e.VMULPS(rate, d, d)
		e.VDIVPS(root, d, d)
		p := s.load(x)
		e.VSUBPS(d, p, p)
		s.store(p, x)
	})
	e.end()
}
