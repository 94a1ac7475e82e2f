package elementwise

import "github.com/softsearch-go/softsearch/gen/decl"

// Vector generates sums and products of vectors.
func Vector[R, V any](t Target[R, V]) {
	add(t)
	mul(t)
	scale(t)
	dot(t)
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

// dot sums the products in 16 lanes.
func dot[R, V any](t Target[R, V]) {
	t.Begin(decl.Dot)
	x, y, n := t.Arg("x"), t.Arg("y"), t.Arg("n")
	t.Return(t.Sum(t.Reduce(n, zero, func(s Span[R, V], sum V) {
		t.Comment("sum += x·y")
		t.MulAdd(s.Load(y), s.Load(x), sum)
	})))
	t.End()
}
