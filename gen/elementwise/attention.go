package elementwise

import (
	"github.com/softsearch-go/softsearch/asm"
	"github.com/softsearch-go/softsearch/gen/decl"
)

// Attention generates the additive alignment model, its backward pass, and the weighted sum of rows.
func Attention[R, V any](t Target[R, V]) {
	scores(t)
	scoresBackward(t)
	weightedSum(t)
}

func scores[R, V any](t Target[R, V]) {
	t.Begin(decl.Scores)
	e, q, keys, stride := t.Arg("e"), t.Arg("q"), t.Arg("keys"), t.InBytes("stride")
	count, v, n := t.Arg("count"), t.Arg("v"), t.Arg("n")
	t.Times(count, func() {
		t.Comment("row j: e[j] = Σ v·tanh(q + keys[j])")
		lanes := t.Reduce(n, 1, asm.Lanes, zero, func(s Span[R, V], sum []V) {
			x := s.Load(keys)
			t.Add(s.Load(q), x, x)
			u := t.Tanh(x)
			t.Comment("sum += v·tanh(q + key)")
			t.MulAdd(u, s.Load(v), sum[0])
		})
		t.StoreSums(n, lanes, e)
		t.AdvanceBy(stride, keys)
	})
	t.End()
}

// scoresBackward goes through the columns in vectors and, for each, through the rows: dq and dv
// are sums over the rows and stay in registers.
func scoresBackward[R, V any](t Target[R, V]) {
	t.Begin(decl.ScoresBackward)
	dq, dkeys, dv, q, keys := t.Arg("dq"), t.Arg("dkeys"), t.Arg("dv"), t.Arg("q"), t.Arg("keys")
	v, n := t.Arg("v"), t.Arg("n")
	t.Each(n, func(s Span[R, V]) {
		query, dQuery, dWeight, weight := s.Load(q), s.Load(dq), s.Load(dv), s.Load(v)
		de, stride, count := t.Arg("de"), t.InBytes("stride"), t.Arg("count")
		row := s.Rows(keys, dkeys)
		t.Times(count, func() {
			t.Comment("row j: u = tanh(q + keys[j])")
			x := row.Load(keys)
			t.Add(query, x, x)
			u := t.Tanh(x)
			t.Comment("dv += de[j]·u")
			d, g := t.BroadcastAt(de), t.New(one)
			t.MulAdd(u, d, dWeight)
			t.Comment("g = de[j]·v·(1 - u²), dq += g, dkeys[j] += g")
			t.Mul(weight, d, d)
			t.MulSub(u, u, g)
			t.Mul(g, d, g)
			t.Add(g, dQuery, dQuery)
			old := row.Load(dkeys)
			t.Add(g, old, old)
			row.Store(old, dkeys)
			t.Advance(4, de)
			row.Next(stride)
		})
		s.Store(dQuery, dq)
		s.Store(dWeight, dv)
	})
	t.End()
}

// weightedSum keeps sums in registers while it goes through the rows: of as many columns as there are registers
// for, then of one vector.
func weightedSum[R, V any](t Target[R, V]) {
	t.Begin(decl.WeightedSum)
	dst, n, rows, stride := t.Arg("dst"), t.Arg("n"), t.Arg("rows"), t.InBytes("stride")
	t.SumBlocks(dst, n, rows, stride)
	t.Comment("the remaining columns, one vector at a time")
	t.Each(n, func(s Span[R, V]) {
		sum := s.Load(dst)
		a, count := t.Arg("a"), t.Arg("count")
		row := s.Rows(rows)
		t.Times(count, func() {
			t.MulAdd(row.Load(rows), t.BroadcastAt(a), sum)
			t.Advance(4, a)
			row.Next(stride)
		})
		s.Store(sum, dst)
	})
	t.End()
}
