package neon

import (
	"github.com/softsearch-go/softsearch/gen/a64"
	"github.com/softsearch-go/softsearch/gen/decl"
)

// Gather writes the copy of columns into panels.
func Gather(file *a64.File) {
	e := newEmitter(file)
	e.function(decl.Gather)
	dst, size, src, stride := e.Arg("dst"), e.inBytes("size"), e.Arg("src"), e.inBytes("stride")
	rows, panels := e.Arg("rows"), e.Arg("panels")
	single, done := e.NewLabel("single"), e.NewLabel("done")
	copyRows := func(count int) {
		panel := []a64.R{dst}
		for p := 1; p < count; p++ {
			next := e.General()
			e.ADD(size, panel[p-1], next)
			panel = append(panel, next)
		}
		e.times(rows, func() {
			for p, to := range panel {
				for v := 0; v < panelBytes; v += 2 * vectorBytes {
					x, y := e.Vector(), e.Vector()
					e.FLDPQ(src, p*panelBytes+v, x, y)
					e.FSTPQ(x, y, to, v)
				}
				e.ADDI(panelBytes, to, to)
			}
			e.ADD(stride, src, src)
		})
	}
	e.CMPI(1, panels)
	e.BEQ(single)
	copyRows(3)
	e.B(done)
	e.Label(single)
	copyRows(1)
	e.Label(done)
	e.end()
}
