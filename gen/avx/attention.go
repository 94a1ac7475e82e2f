package avx

import (
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/softsearch-go/softsearch/gen/decl"
)

// Attention generates the additive alignment model, its backward pass, and the weighted sum of
// rows.
func Attention(c *build.Context, isa ISA) {
	e := newEmitter(c, isa)
	e.scores()
	e.scoresBackward()
	e.weightedSum()
}

func (e *emitter) scores() {
	e.function(decl.Scores)
	e.schedule(schedule{inFlight: 2, constants: 0}, schedule{inFlight: 2, constants: 11})
	out, q, keys, stride := e.arg("e"), e.arg("q"), e.arg("keys"), e.inBytes("stride")
	count, v, n := e.arg("count"), e.arg("v"), e.arg("n")
	e.times(count, func() {
		e.Comment("row j: e[j] = Σ v·tanh(q + keys[j])")
		acc := e.accumulators()
		e.reduce(n, func(s span) {
			x := s.Load(keys)
			e.VADDPS(s.Load(q), x, x)
			u := e.tanh(x)
			e.Comment("sum += v·tanh(q + key)")
			e.VFMADD231PS(u, s.Load(v), acc[s.part])
		})
		e.VMOVSS(e.sumTree(acc).AsX(), at(out, 0))
		e.ADDQ(operand.I8(4), out)
		e.ADDQ(stride, keys)
	})
	e.end()
}

// scoresBackward goes through the columns in vectors and, for each, through the rows: dq and dv
// are sums over the rows and stay in registers.
func (e *emitter) scoresBackward() {
	e.function(decl.ScoresBackward)
	dq, dkeys, dv, q, keys := e.arg("dq"), e.arg("dkeys"), e.arg("dv"), e.arg("q"), e.arg("keys")
	v, n := e.arg("v"), e.arg("n")
	e.each(n, func(s span) {
		query, dQuery, dWeight := s.Load(q), s.Load(dq), s.Load(dv)
		de, stride, count := e.arg("de"), e.inBytes("stride"), e.arg("count")
		row := s.moving()
		e.times(count, func() {
			e.Comment("row j: u = tanh(q + keys[j])")
			x := row.Load(keys)
			e.VADDPS(query, x, x)
			u := e.tanh(x)
			e.Comment("dv += de[j]·u")
			d, g := e.vec(), e.vec()
			e.VBROADCASTSS(at(de, 0), d)
			e.VFMADD231PS(u, d, dWeight)
			e.Comment("g = de[j]·v·(1 - u²), dq += g, dkeys[j] += g")
			e.VMULPS(s.Load(v), d, d)
			e.VMOVUPS(e.float("one", 1), g)
			e.VFNMADD231PS(u, u, g)
			e.VMULPS(g, d, g)
			e.VADDPS(g, dQuery, dQuery)
			old := row.Load(dkeys)
			e.VADDPS(g, old, old)
			row.Store(old, dkeys)
			e.ADDQ(operand.I8(4), de)
			e.ADDQ(stride, row.index)
		})
		s.Store(dQuery, dq)
		s.Store(dWeight, dv)
	})
	e.end()
}

// sumBlock is the number of vectors of sums that weightedSum keeps in registers while it goes
// through the rows.
const sumBlock = 8

func (e *emitter) weightedSum() {
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
		row := s.moving()
		e.times(count, func() {
			w := e.vec()
			e.VBROADCASTSS(at(a, 0), w)
			e.VFMADD231PS(row.Load(rows), w, sum)
			e.ADDQ(operand.I8(4), a)
			e.ADDQ(stride, row.index)
		})
		s.Store(sum, dst)
	})
	e.end()
}
