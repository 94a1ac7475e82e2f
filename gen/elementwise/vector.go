package elementwise

import "github.com/softsearch-go/softsearch/gen/decl"

// Vector generates sums and products of vectors.
func Vector[R, V any](t Target[R, V]) {
	add(t)
	mul(t)
	scale(t)
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

// TanhBackward generates the gradient of tanh.
func TanhBackward[R, V any](t Target[R, V]) {
	t.Begin(decl.TanhBackward)
	dx, y, dy, n := t.Arg("dx"), t.Arg("y"), t.Arg("dy"), t.Arg("n")
	t.Each(n, func(s Span[R, V]) {
		t.Comment("dx = dy·(1 - y²)")
		v, slope := s.Load(y), t.Constant("one", 1)
		t.MulSub(v, v, slope)
		t.Mul(s.Load(dy), slope, slope)
		s.Store(slope, dx)
	})
	t.End()
}

// SoftmaxGradient generates the gradient of softmax.
func SoftmaxGradient[R, V any](t Target[R, V]) {
	t.Begin(decl.SoftmaxGradient)
	dx, y, dy, n, sum := t.Arg("dx"), t.Arg("y"), t.Arg("dy"), t.Arg("n"), t.Broadcast("sum")
	t.Each(n, func(s Span[R, V]) {
		t.Comment("dx = y·(dy - sum)")
		d := s.Load(dy)
		t.Sub(sum, d, d)
		t.Mul(s.Load(y), d, d)
		s.Store(d, dx)
	})
	t.End()
}
