package elementwise

import "github.com/softsearch-go/softsearch/gen/decl"

// Optimizer generates the update rules of Adadelta and Adam, and the decay of running averages without a
// gradient.
func Optimizer[R, V any](t Target[R, V]) {
	adadelta(t)
	decay(t)
	adam(t)
}

// adadelta is the rule of Zeiler (arXiv 1212.5701, 2012), algorithm 1.
func adadelta[R, V any](t Target[R, V]) {
	t.Begin(decl.Adadelta)
	x, g, g2, dx2, n := t.Arg("x"), t.Arg("gradient"), t.Arg("g2"), t.Arg("dx2"), t.Arg("n")
	rho, keep := t.Broadcast("rho"), t.Broadcast("keep")
	epsilon, scale := t.Broadcast("epsilon"), t.Broadcast("scale")
	t.Each(n, func(s Span[R, V]) {
		t.Comment("s = scale·gradient")
		d, step := s.Load(g), s.Load(dx2)
		t.Mul(scale, d, d)

		t.Comment("g2 = rho·g2 + keep·s², 0 below AverageFloor")
		mean := meanSquare(t, rho, keep, s.Load(g2), d)
		s.Store(mean, g2)

		t.Comment("d = √((dx2 + epsilon)/(g2 + epsilon))·s")
		t.Add(epsilon, mean, mean)
		t.Add(epsilon, step, step)
		t.Div(mean, step, step)
		t.Sqrt(step, step)
		t.Mul(step, d, d)

		t.Comment("x = x - d")
		p := s.Load(x)
		t.Sub(d, p, p)
		s.Store(p, x)

		t.Comment("dx2 = rho·dx2 + keep·d², 0 below AverageFloor")
		s.Store(meanSquare(t, rho, keep, s.Load(dx2), d), dx2)
	})
	t.End()
}

// meanSquare returns decay·mean + keep·v², the running average of squares after the value v, or 0
// if that is below AverageFloor.
func meanSquare[R, V any](t Target[R, V], decay, keep, mean, v V) V {
	sum := t.Vector()
	t.Mul(v, v, sum)
	t.Mul(sum, keep, sum)
	t.MulAdd(mean, decay, sum)
	return t.ZeroBelow(sum, averageFloor, func() V { return sum })
}

func decay[R, V any](t Target[R, V]) {
	t.Begin(decl.Decay)
	x, n, steps, rho := t.Arg("x"), t.Arg("n"), t.Arg("steps"), t.Broadcast("rho")
	t.Times(steps, func() {
		t.EachInFlight(n, func(s Span[R, V]) {
			t.Comment("x = rho·x, 0 below AverageFloor")
			v := s.Load(x)
			t.Mul(rho, v, v)
			s.Store(t.ZeroBelow(v, averageFloor, func() V { return v }), x)
		})
	})
	t.End()
}

// adam is the rule of Kingma and Ba (arXiv 1412.6980, 2014), algorithm 1; the caller folds the
// bias corrections into rate and epsilon.
func adam[R, V any](t Target[R, V]) {
	t.Begin(decl.Adam)
	x, g, m, v, n := t.Arg("x"), t.Arg("gradient"), t.Arg("m"), t.Arg("v"), t.Arg("n")
	beta1, keep1 := t.Broadcast("beta1"), t.Broadcast("keep1")
	beta2, keep2 := t.Broadcast("beta2"), t.Broadcast("keep2")
	epsilon, rate, scale := t.Broadcast("epsilon"), t.Broadcast("rate"), t.Broadcast("scale")
	t.Each(n, func(s Span[R, V]) {
		t.Comment("s = scale·gradient")
		d := s.Load(g)
		t.Mul(scale, d, d)

		t.Comment("v = beta2·v + keep2·s², 0 below AverageFloor; root = √v + epsilon")
		root := meanSquare(t, beta2, keep2, s.Load(v), d)
		s.Store(root, v)
		t.Sqrt(root, root)
		t.Add(epsilon, root, root)

		t.Comment("m = beta1·m + keep1·s, 0 where |m| < AverageFloor")
		t.Mul(keep1, d, d)
		t.MulAdd(s.Load(m), beta1, d)
		d = t.ZeroBelow(t.Abs(d), averageFloor, func() V { return d })
		s.Store(d, m)

		t.Comment("x = x - rate·m/root")
		t.Mul(rate, d, d)
		t.Div(root, d, d)
		p := s.Load(x)
		t.Sub(d, p, p)
		s.Store(p, x)
	})
	t.End()
}
