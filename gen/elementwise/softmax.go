package elementwise

import (
	"github.com/softsearch-go/softsearch/asm"
	"github.com/softsearch-go/softsearch/gen/decl"
)

// Softmax generates the passes of softmax over its input, and its backward pass.
func Softmax[R, V any](t Target[R, V]) {
	largest(t)
	expSum(t, decl.ExpSum, true)
	expSum(t, decl.SumExp, false)
	softmaxGradient(t)
}

func largest[R, V any](t Target[R, V]) {
	t.Begin(decl.Max)
	x, n := t.Arg("x"), t.Arg("n")
	t.Return(t.Largest(t.Reduce(n, 1, asm.Lanes, negativeInfinity, func(s Span[R, V], most []V) {
		t.Comment("max(x, most); -Inf past the end")
		t.Max(s.LoadOr(x, negativeInfinity), most[0], most[0])
	})[0]))
	t.End()
}

// expSum generates the sum of exponentials, with or without storing them. Elements past the end are -Inf and add
// exp(-Inf) = 0.
func expSum[R, V any](t Target[R, V], d decl.Func, store bool) {
	t.Begin(d)
	var dst R
	if store {
		dst = t.Arg("dst")
	}
	src, n, top := t.Arg("src"), t.Arg("n"), t.Broadcast("max")
	t.Return(t.Sum(n, t.Reduce(n, 1, asm.Lanes, zero, func(s Span[R, V], sum []V) {
		t.Comment("x = src - max")
		x := s.LoadOr(src, negativeInfinity)
		t.Sub(top, x, x)
		y := expTerm(t, x)
		t.Comment("sum += exp(x)")
		if store {
			s.Store(y, dst)
		}
		t.Add(y, sum[0], sum[0])
	})[0]))
	t.End()
}

func softmaxGradient[R, V any](t Target[R, V]) {
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
