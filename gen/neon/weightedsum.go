package neon

import (
	"github.com/softsearch-go/softsearch/gen/a64"
	"github.com/softsearch-go/softsearch/gen/decl"
)

// sumBlock is the number of vectors of sums that weightedSum keeps in registers while it goes
// through the rows.
const sumBlock = 16

// WeightedSum generates the weighted sum of rows.
func WeightedSum(file *a64.File) {
	e := newEmitter(file)
	e.function(decl.WeightedSum)
	dst, n, rows, stride := e.Arg("dst"), e.Arg("n"), e.Arg("rows"), e.inBytes("stride")

	e.Label("blocks")
	e.Comment("dst += Σ_j a[j]·rows[j], %d columns at a time", sumBlock*lanes)
	e.CMPI(sumBlock*lanes, n)
	e.BLT("vectors")
	acc := make([]a64.V, sumBlock)
	for i := range acc {
		acc[i] = e.at(dst, i*vectorBytes)
	}
	a, count, p := e.Arg("a"), e.Arg("count"), e.copied(rows)
	e.times(count, func() {
		w := e.Vector()
		e.FMOVSP(a, w)
		for i := 0; i < sumBlock; i += 2 {
			x, y := e.Vector(), e.Vector()
			e.FLDPQ(p, i*vectorBytes, x, y)
			e.VFMLALane(w, 0, x, acc[i])
			e.VFMLALane(w, 0, y, acc[i+1])
		}
		e.ADD(stride, p, p)
	})
	for i := range acc {
		e.STQ(acc[i], dst, i*vectorBytes)
	}
	e.ADDI(sumBlock*vectorBytes, dst, dst)
	e.ADDI(sumBlock*vectorBytes, rows, rows)
	e.SUBI(sumBlock*lanes, n, n)
	e.B("blocks")

	e.Label("vectors")
	e.Comment("the remaining columns, one vector at a time")
	e.each(n, func(s span) {
		sum := s.Load(dst)
		a, count := e.Arg("a"), e.Arg("count")
		row := s.Rows(rows)
		e.times(count, func() {
			w := e.Vector()
			e.FMOVSP(a, w)
			e.VFMLALane(w, 0, row.Load(rows), sum)
			row.Next(stride)
		})
		s.Store(sum, dst)
	})
	e.RET()
}
