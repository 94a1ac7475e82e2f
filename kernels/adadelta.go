package kernels

import (
	"math"

	"github.com/softsearch-go/softsearch/asm"
)

const (
	badAdadelta = "kernels: Adadelta: lengths differ"
	badAdd      = "kernels: Add: len(dst) != len(src)"
)

// Adadelta holds the settings of the update rule of Zeiler (2012).
type Adadelta struct {
	Rho     float32 // decay of both running averages
	Epsilon float32 // added to both before the square roots
	Scale   float32 // factor on the gradient: the clipping
}

// Update takes one step of Adadelta: with s = Scale·g[i],
//
//	g2[i] = Rho·g2[i] + (1-Rho)·s²
//	d     = √((dx2[i]+Epsilon) / (g2[i]+Epsilon)) · s
//	x[i]  = x[i] - d
//	dx2[i] = Rho·dx2[i] + (1-Rho)·d²
//
// where averages below 2⁻¹⁰⁰ count as 0. It panics if the lengths differ.
func (k Impl) Update(a Adadelta, x, g, g2, dx2 []float32) {
	if len(g) != len(x) || len(g2) != len(x) || len(dx2) != len(x) {
		panic(badAdadelta)
	}
	n := (len(x) + block - 1) / block
	if k.team.divides(len(x), n) {
		k.team.do(job{run: updatePart, kernels: k, rule: a, vectors: [4][]float32{x, g, g2, dx2}})
		return
	}
	k.updateBlocks(a, x, g, g2, dx2, 0, n)
}

func updatePart(k Impl, j *job, part, parts int) {
	v := &j.vectors
	first, end := share((len(v[0])+block-1)/block, part, parts)
	k.updateBlocks(j.rule, v[0], v[1], v[2], v[3], first, end)
}

// updateBlocks takes the step for blocks first to end-1.
func (k Impl) updateBlocks(a Adadelta, x, g, g2, dx2 []float32, first, end int) {
	for b := first; b < end; b++ {
		i, to := b*block, min((b+1)*block, len(x))
		k.adadelta(a, x[i:to], g[i:to], g2[i:to], dx2[i:to])
	}
}

// SumSquares returns Σ x[i]²: float32 in 16 lanes within each block of 4096, float64 over
// the blocks in ascending order.
func (k Impl) SumSquares(x []float32) float64 {
	return k.dots(x, x)
}

// Norm returns the Euclidean norm of x.
func (k Impl) Norm(x []float32) float32 {
	return float32(math.Sqrt(k.SumSquares(x)))
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

func adadeltaGo(a Adadelta, x, g, g2, dx2 []float32) {
	keep := 1 - a.Rho
	for i := range x {
		s := float32(a.Scale * g[i])
		e := atLeastFloor(fma(a.Rho, g2[i], float32(keep*float32(s*s))))
		ratio := float32(dx2[i]+a.Epsilon) / float32(e+a.Epsilon)
		d := float32(float32(math.Sqrt(float64(ratio))) * s)
		x[i] -= d
		g2[i] = e
		dx2[i] = atLeastFloor(fma(a.Rho, dx2[i], float32(keep*float32(d*d))))
	}
}

func atLeastFloor(x float32) float32 {
	if x < asm.AdadeltaFloor {
		return 0
	}
	return x
}

func addGo(dst, src []float32) {
	for i, v := range src {
		dst[i] += v
	}
}
