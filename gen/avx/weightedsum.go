package avx

import (
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/softsearch-go/softsearch/gen/decl"
)

// sumBlock is the number of vectors of sums that weightedSum keeps in registers while it goes
// through the rows.
const sumBlock = 8

// WeightedSum generates the weighted sum of rows.
func WeightedSum(c *build.Context, isa ISA) {
	e := newEmitter(c, isa)
	e.function(decl.WeightedSum)
	dst, n, rows, stride := e.arg("dst"), e.arg("n"), e.arg("rows"), e.inBytes("stride")

	e.Label("blocks")
	e.Commentf("dst += Σ_j a[j]·rows[j], %d columns at a time", sumBlock*e.lanes)
	e.CMPQ(n, operand.U32(sumBlock*e.lanes))
	e.JLT(operand.LabelRef("vectors"))
	var acc [sumBlock]reg.VecVirtual
	for i := range acc {
		acc[i] = e.loaded(at(dst, i*e.bytes))
	}
	a, count, p := e.arg("a"), e.arg("count"), e.GP64()
	e.MOVQ(rows, p)
	e.times(count, func() {
		w := e.vec()
		e.VBROADCASTSS(at(a, 0), w)
		for i := range acc {
			e.VFMADD231PS(at(p, i*e.bytes), w, acc[i])
		}
		e.ADDQ(operand.I8(4), a)
		e.ADDQ(stride, p)
	})
	for i := range acc {
		e.VMOVUPS(acc[i], at(dst, i*e.bytes))
	}
	e.ADDQ(operand.U32(sumBlock*e.bytes), dst)
	e.ADDQ(operand.U32(sumBlock*e.bytes), rows)
	e.SUBQ(operand.U32(sumBlock*e.lanes), n)
	e.JMP(operand.LabelRef("blocks"))

	e.Label("vectors")
	e.Comment("the remaining columns, one vector at a time")
	e.each(n, func(s span) {
		sum := s.Load(dst)
		a, count := e.arg("a"), e.arg("count")
		row := s.Rows()
		e.times(count, func() {
			w := e.vec()
			e.VBROADCASTSS(at(a, 0), w)
			e.VFMADD231PS(row.Load(rows), w, sum)
			e.ADDQ(operand.I8(4), a)
			row.Next(stride)
		})
		s.Store(sum, dst)
	})
	e.end()
}
