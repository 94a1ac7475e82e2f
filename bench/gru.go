package bench

// A GRU is a gated recurrent unit. Wz, Wr and W are hidden×input, Uz, Ur and U are
// hidden×hidden, all row-major; Bz, Br and B have hidden values.
type GRU struct {
	Wz, Wr, W, Uz, Ur, U []float32
	Bz, Br, B            []float32

	zero                        []float32 // hidden zeros, the bias of the recurrent products
	z, r, candidate, rh, update []float32 // scratch, rows×hidden
}

// NewGRU returns a GRU of zero weights, with scratch for a step of that many rows.
func NewGRU(input, hidden, rows int) *GRU {
	values := func(n int) []float32 { return make([]float32, n) }
	return &GRU{
		Wz: values(hidden * input), Wr: values(hidden * input), W: values(hidden * input),
		Uz: values(hidden * hidden), Ur: values(hidden * hidden), U: values(hidden * hidden),
		Bz: values(hidden), Br: values(hidden), B: values(hidden),
		zero: values(hidden),
		z:    values(rows * hidden), r: values(rows * hidden), candidate: values(rows * hidden),
		rh: values(rows * hidden), update: values(rows * hidden),
	}
}

// Step computes the next states of the previous ones, for rows of input x:
//
//	z = σ(Wz·x + Uz·h + bz)    r = σ(Wr·x + Ur·h + br)
//	h̃ = tanh(W·x + U·(r∘h) + b)
//	next = (1-z)∘h + z∘h̃
//
// x is rows×input, h and next are rows×hidden. rows is at least 1 and at
// most that of NewGRU.
func (g *GRU) Step(next, h, x []float32, rows int) {
	z, r, c, rh := g.z[:len(h)], g.r[:len(h)], g.candidate[:len(h)], g.rh[:len(h)]
	g.gate(z, g.Wz, g.Uz, g.Bz, x, h, rows)
	Sigmoid(z, z)
	g.gate(r, g.Wr, g.Ur, g.Br, x, h, rows)
	Sigmoid(r, r)
	for i, v := range h {
		rh[i] = r[i] * v
	}
	g.gate(c, g.W, g.U, g.B, x, rh, rows)
	Tanh(c, c)
	next = next[:len(h)]
	for i, v := range h {
		next[i] = (1-z[i])*v + z[i]*c[i]
	}
}

// gate computes y = W·x + U·h + b for every row.
func (g *GRU) gate(y, w, u, b, x, h []float32, rows int) {
	update := g.update[:len(y)]
	Gemm(y, w, x, b, rows)
	Gemm(update, u, h, g.zero, rows)
	for i, v := range update {
		y[i] += v
	}
}
