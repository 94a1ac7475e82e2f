package elementwise

import (
	"github.com/softsearch-go/softsearch/asm"
	"github.com/softsearch-go/softsearch/gen/decl"
)

// Vector generates sums and products of vectors.
func Vector[R, V any](t Target[R, V]) {
	add(t)
	mul(t)
	scale(t)
	dot(t)
	rowDots(t)
}

func add[R, V any](t Target[R, V]) {
	t.Begin(decl.Add)
	dst, src, n := t.Arg("dst"), t.Arg("src"), t.Arg("n")
	t.Each(n, func(s Span[R, V]) {
		t.Comment("dst = dst + src")
		v := s.Load(dst)
		t.Add(s.Load(src), v, v)
		s.Store(v, dst)
	})
	t.End()
}

func mul[R, V any](t Target[R, V]) {
	t.Begin(decl.Mul)
	dst, x, y, n := t.Arg("dst"), t.Arg("x"), t.Arg("y"), t.Arg("n")
	t.Each(n, func(s Span[R, V]) {
		t.Comment("dst = x·y")
		v := s.Load(x)
		t.Mul(s.Load(y), v, v)
		s.Store(v, dst)
	})
	t.End()
}

func scale[R, V any](t Target[R, V]) {
	t.Begin(decl.Scale)
	x, n, a := t.Arg("x"), t.Arg("n"), t.Broadcast("a")
	t.Each(n, func(s Span[R, V]) {
		t.Comment("x = a·x")
		v := s.Load(x)
		t.Mul(a, v, v)
		s.Store(v, x)
	})
	t.End()
}

func dot[R, V any](t Target[R, V]) {
	t.Begin(decl.Dot)
	x, y, n := t.Arg("x"), t.Arg("y"), t.Arg("n")
	t.Return(t.Sum(n, t.Reduce(n, 1, asm.DotLanes, zero, func(s Span[R, V], sum []V) {
		t.Comment("sum += x·y")
		s.MulAdd(x, s.Load(y), sum[0])
	})[0]))
	t.End()
}

func rowDots[R, V any](t Target[R, V]) {
	t.Begin(decl.RowDots)
	dst, first, stride := t.Arg("dst"), t.Arg("rows"), t.InBytes("stride")
	count, x, n := t.Arg("count"), t.Arg("x"), t.Arg("n")
	t.Tiles(count, func(size int) {
		rows := t.Rows(first, stride, size)
		sums := t.Reduce(n, size, asm.DotLanes, zero, func(s Span[R, V], lanes []V) {
			t.Comment("sums += x·rows")
			v := s.Load(x)
			for i, row := range rows {
				s.MulAdd(row, v, lanes[i])
			}
		})
		t.StoreSums(n, sums, dst)
		t.AdvanceRows(first, stride, size)
	})
	t.End()
}
