package elementwise

import "github.com/softsearch-go/softsearch/gen/decl"

// Dequantize generates the conversion of the sums of products of int8.
func Dequantize[R, V any](t Target[R, V]) {
	t.Begin(decl.Dequantize)
	y, acc, rows, cols := t.Arg("y"), t.Arg("acc"), t.Arg("rows"), t.Arg("cols")
	rowScales, scales, start := t.Arg("rowScales"), t.Arg("scales"), t.Arg("start")
	t.Times(rows, func() {
		row := t.BroadcastAt(rowScales)
		t.Each(cols, func(s Span[R, V]) {
			t.Comment("y = acc·(row scale · scale) + start")
			scale, v := s.Load(scales), s.Load(acc)
			t.Mul(row, scale, scale)
			t.ToFloat(v, v)
			s.Store(t.Fused(v, scale, s.Load(start)), y)
		})
		t.Advance(4, rowScales)
		t.AdvanceBy(t.InBytes("stride"), y)
		t.AdvanceBy(t.InBytes("ld"), acc)
		t.AdvanceBy(t.InBytes("startStride"), start)
	})
	t.Activate(func(f func(a V) V) {
		y, rows, cols := t.Arg("y"), t.Arg("rows"), t.Arg("cols")
		t.Times(rows, func() {
			t.EachInFlight(cols, func(s Span[R, V]) { s.Store(f(s.Load(y)), y) })
			t.AdvanceBy(t.InBytes("stride"), y)
		})
	})
	t.End()
}
