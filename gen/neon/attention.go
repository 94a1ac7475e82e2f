package neon

import (
	"github.com/softsearch-go/softsearch/gen/a64"
	"github.com/softsearch-go/softsearch/gen/decl"
)

// Attention generates the additive alignment model, its backward pass, and the weighted sum of
// rows.
func Attention(file *a64.File) {
	e := newEmitter(file)
	e.scores()
	e.scoresBackward()
	e.weightedSum()
}

func (e *emitter) scores() {
	e.function(decl.Scores)
	out, q, keys, stride := e.Arg("e"), e.Arg("q"), e.Arg("keys"), e.inBytes("stride")
	count, v, n := e.Arg("count"), e.Arg("v"), e.Arg("n")
	e.times(count, func() {
		e.Comment("row j: e[j] = Σ v·tanh(q + keys[j])")
		acc := e.accumulators()
		e.reduce(n, acc, func(s span, sum a64.V) {
			x := s.Load(keys)
			e.VFADD(s.Load(q), x, x)
			u := e.tanh(x)
			e.Comment("sum += v·tanh(q + key)")
			e.VFMLA(u, s.Load(v), sum)
		})
		e.STS(e.sumTree(acc), out, 0)
		e.ADDI(4, out, out)
		e.ADD(stride, keys, keys)
	})
	e.RET()
}

// scoresBackward goes through the columns in vectors and, for each, through the rows: dq and dv
// are sums over the rows and stay in registers.
func (e *emitter) scoresBackward() {
	e.function(decl.ScoresBackward)
	dq, dkeys, dv, q, keys := e.Arg("dq"), e.Arg("dkeys"), e.Arg("dv"), e.Arg("q"), e.Arg("keys")
	v, n := e.Arg("v"), e.Arg("n")
	e.each(n, func(s span) {
		query, dQuery, dWeight, weight := s.Load(q), s.Load(dq), s.Load(dv), s.Load(v)
		de, stride, count := e.Arg("de"), e.inBytes("stride"), e.Arg("count")
		row := s.rows(keys, dkeys)
		e.times(count, func() {
			e.Comment("row j: u = tanh(q + keys[j])")
			x := row.Load(keys)
			e.VFADD(query, x, x)
			u := e.tanh(x)
			e.Comment("dv += de[j]·u")
			d, g := e.broadcast(de), e.loaded("one", 1)
			e.VFMLA(u, d, dWeight)
			e.Comment("g = de[j]·v·(1 - u²), dq += g, dkeys[j] += g")
			e.VFMUL(weight, d, d)
			e.VFMLS(u, u, g)
			e.VFMUL(g, d, g)
			e.VFADD(g, dQuery, dQuery)
			old := row.Load(dkeys)
			e.VFADD(g, old, old)
			row.Store(old, dkeys)
			e.ADDI(4, de, de)
			row.pointers.nextRow(stride)
		})
		s.Store(dQuery, dq)
		s.Store(dWeight, dv)
	})
	e.RET()
}

// sumBlock is the number of vectors of sums that weightedSum keeps in registers while it goes
// through the rows.
const sumBlock = 16

func (e *emitter) weightedSum() {
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
		row := s.rows(rows)
		e.times(count, func() {
			w := e.Vector()
			e.FMOVSP(a, w)
			e.VFMLALane(w, 0, row.Load(rows), sum)
			row.pointers.nextRow(stride)
		})
		s.Store(sum, dst)
	})
	e.RET()
}
