package avx

import (
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"

	"github.com/softsearch-go/softsearch/asm"
	"github.com/softsearch-go/softsearch/gen/decl"
)

// gatherAhead is how many rows ahead of their use are asked for.
const gatherAhead = 8

// Gather writes the copy of columns into panels.
func Gather(c *build.Context, isa ISA) {
	e := newEmitter(c, isa)
	e.function(decl.Gather)
	dst, size, src, stride := e.arg("dst"), e.inBytes("size"), e.arg("src"), e.inBytes("stride")
	rows, panels, ahead := e.arg("rows"), e.arg("panels"), e.multiple(stride, gatherAhead)
	single, done := e.label("single"), e.label("done")
	copyRows := func(count int) {
		e.times(rows, func() {
			for p := range count {
				e.PREFETCHT0(operand.Mem{Base: src, Index: ahead, Scale: 1, Disp: p * asm.Panel * 4})
			}
			for v := range count * asm.Panel / e.lanes {
				e.VMOVUPS(e.loaded(at(src, v*e.bytes)), e.inPanel(dst, size, v))
			}
			e.ADDQ(stride, src)
			e.ADDQ(operand.U32(asm.Panel*4), dst)
		})
	}
	e.CMPQ(panels, operand.I8(1))
	e.JEQ(operand.LabelRef(single))
	copyRows(3)
	e.JMP(operand.LabelRef(done))
	e.Label(single)
	copyRows(1)
	e.Label(done)
	e.end()
}
