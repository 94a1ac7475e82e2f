package kernels

import (
	"math"

	"github.com/softsearch-go/softsearch/asm"
)

const (
	badAdadelta = "kernels: UpdateAdadelta: lengths differ"
	badAdd      = "kernels: Add: len(dst) != len(src)"
)

// Adadelta holds the settings of the update rule of Zeiler (2012).
type Adadelta struct {
	Rho     float32 // decay of both running averages
	Epsilon float32 // added to both before the square roots
	Scale   float32 // factor on the gradient: the clipping
}

// UpdateAdadelta takes one step of Adadelta: with s = Scale·g[i],
//
//	g2[i] = Rho·g2[i] + (1-Rho)·s²
//	d     = √((dx2[i]+Epsilon) / (g2[i]+Epsilon)) · s
//	x[i]  = x[i] - d
//	dx2[i] = Rho·dx2[i] + (1-Rho)·d²
//
// where averages below 2⁻¹⁰⁰ count as 0. It panics if the lengths differ.
func (k Impl) UpdateAdadelta(a Adadelta, x, g, g2, dx2 []float32) {
	if len(g) != len(x) || len(g2) != len(x) || len(dx2) != len(x) {
		panic(badAdadelta)
	}
	t, n := k.team, blocks(len(x))
	u := adadeltaStep{a, x, g, g2, dx2}
	if !t.divides(CostFunction*len(x), n) {
		u.Run(k, 0, n)
		return
	}
	t.adadelta = u
	t.do(k, &t.adadelta, n)
}

// An adadeltaStep is the operands of UpdateAdadelta.
type adadeltaStep struct {
	rule          Adadelta
	x, g, g2, dx2 []float32
}

// Run takes the step for a range of blocks.
func (u *adadeltaStep) Run(k Impl, from, to int) {
	for b := from; b < to; b++ {
		i, end := b*block, min((b+1)*block, len(u.x))
		k.adadelta(u.rule, u.x[i:end], u.g[i:end], u.g2[i:end], u.dx2[i:end])
	}
}

// blocks returns the number of blocks that hold n values.
func blocks(n int) int { return (n + block - 1) / block }

// SumSquares returns Σ x[i]²: float32 in 16 lanes within each block of 4096, float64 over
// the blocks in ascending order.
func (k Impl) SumSquares(x []float32) float64 {
	t := k.team
	if !t.divides(CostMove*len(x), blocks(len(x))) {
		return k.dots(x, x)
	}
	sum := 0.0
	for len(x) > 0 {
		part := x[:min(len(x), squaredBlocks*block)]
		n := blocks(len(part))
		t.squares.x = part
		k.Divide(&t.squares, n, CostMove*len(part))
		for _, s := range t.squares.sums[:n] {
			sum += float64(s)
		}
		x = x[len(part):]
	}
	return sum
}

// squaredBlocks is the number of blocks of which a team holds the sums.
const squaredBlocks = 1024

// squares is a vector and the sums of the squares of its blocks.
type squares struct {
	x    []float32
	sums [squaredBlocks]float32
}

func (s *squares) Run(k Impl, from, to int) {
	for b := from; b < to; b++ {
		part := s.x[b*block : min((b+1)*block, len(s.x))]
		s.sums[b] = k.dot(part, part)
	}
}

// Add sets dst[i] += src[i]. It panics if the lengths differ.
func (k Impl) Add(dst, src []float32) {
	if len(dst) != len(src) {
		panic(badAdd)
	}
	for len(src) > 0 {
		n := min(len(src), block)
		k.add(dst[:n], src[:n])
		dst, src = dst[n:], src[n:]
	}
}

// Clear sets x to zeros.
func (k Impl) Clear(x []float32) {
	t := k.team
	if !t.divides(CostMove*len(x), blocks(len(x))) {
		clear(x)
		return
	}
	t.zeros.x = x
	t.do(k, &t.zeros, blocks(len(x)))
}

// zeroing is the operand of Clear.
type zeroing struct{ x []float32 }

func (z *zeroing) Run(_ Impl, from, to int) {
	clear(z.x[from*block : min(to*block, len(z.x))])
}

func adadeltaGo(a Adadelta, x, g, g2, dx2 []float32) {
	keep := 1 - a.Rho
	for i := range x {
		s := float32(a.Scale * g[i])
		e := meanSquare(a.Rho, keep, g2[i], s)
		ratio := float32(dx2[i]+a.Epsilon) / float32(e+a.Epsilon)
		d := float32(float32(math.Sqrt(float64(ratio))) * s)
		x[i] -= d
		g2[i] = e
		dx2[i] = meanSquare(a.Rho, keep, dx2[i], d)
	}
}

// meanSquare returns the running average of squares after one more value: decay·mean + keep·x².
func meanSquare(decay, keep, mean, x float32) float32 {
	return atLeastFloor(fma(decay, mean, float32(keep*float32(x*x))))
}

func atLeastFloor(x float32) float32 {
	if x < asm.AverageFloor {
		return 0
	}
	return x
}

func addGo(dst, src []float32) {
	for i, v := range src {
		dst[i] += v
	}
}
