package kernels

import (
	"math"
	"slices"
	"testing"

	"github.com/softsearch-go/softsearch/asm"
)

// TestAdadelta follows the rule of Zeiler (2012) in float64 for several steps.
func TestAdadelta(t *testing.T) {
	const steps = 5
	eachImpl(t, func(t *testing.T, k Impl) {
		for _, n := range pointwiseLengths {
			r := newRand(uint64(n))
			x := random(r, n)
			g2, dx2 := make([]float32, n), make([]float32, n)
			exact, mean, step := wider(x), make([]float64, n), make([]float64, n)
			a := Adadelta{Rho: 0.95, Epsilon: 1e-6, Scale: 0.3}
			rho, epsilon := float64(a.Rho), float64(a.Epsilon)
			for range steps {
				g := random(r, n)
				for i, v := range g {
					s := float64(a.Scale) * float64(v)
					mean[i] = rho*mean[i] + (1-rho)*s*s
					d := math.Sqrt((step[i]+epsilon)/(mean[i]+epsilon)) * s
					exact[i] -= d
					step[i] = rho*step[i] + (1-rho)*d*d
				}
				k.UpdateAdadelta(a, x, g, g2, dx2)
			}
			// A step is at most about 0.01 in size here and has some twelve roundings, twice as
			// many through the averages; x, below 8, is rounded once at each step.
			near(t, "UpdateAdadelta x", k, x, exact, steps*(4+0.01*24)*0x1p-24)
			for i := range n {
				for _, c := range []struct {
					name      string
					got, want float64
				}{{"g2", float64(g2[i]), mean[i]}, {"dx2", float64(dx2[i]), step[i]}} {
					if !(math.Abs(c.got-c.want) <= steps*24*0x1p-24*c.want) {
						t.Fatalf("%s UpdateAdadelta n=%d %s[%d] = %g, want %g", k, n, c.name, i, c.got, c.want)
					}
				}
			}
		}
	})
}

// TestAdadeltaDecay: averages that only decay reach 0 and are never denormal.
func TestAdadeltaDecay(t *testing.T) {
	eachImpl(t, func(t *testing.T, k Impl) {
		x, g := []float32{1}, []float32{0}
		g2, dx2 := []float32{1}, []float32{0x1p-90}
		for i := range 2000 {
			k.UpdateAdadelta(settings, x, g, g2, dx2)
			for _, v := range []float32{g2[0], dx2[0]} {
				if v != 0 && v < asm.AverageFloor {
					t.Fatalf("%s step %d: average %g lies below %g", k, i, v, asm.AverageFloor)
				}
			}
		}
		if g2[0] != 0 || dx2[0] != 0 || x[0] != 1 {
			t.Errorf("%s after 2000 steps without gradient: averages %g and %g, want 0; x = %g, want 1", k, g2[0], dx2[0], x[0])
		}
	})
}

func TestSumSquares(t *testing.T) {
	eachImpl(t, func(t *testing.T, k Impl) {
		for _, n := range []int{0, 1, 16, 17, 1000, block, block + 1, 5*block + 77} {
			x := random(newRand(uint64(n)), n)
			want := 0.0
			for _, v := range x {
				want += float64(v) * float64(v)
			}
			// A lane sums at most 256 terms, the tree 4, all positive.
			if got := k.SumSquares(x); !(math.Abs(got-want) <= 260*0x1p-24*want) {
				t.Errorf("%s SumSquares n=%d = %g, want %g", k, n, got, want)
			}
		}
	})
}

// TestSumSquaresOrder holds the order of the additions: 16 lanes and their tree within each
// block of 4096, float64 over the blocks.
func TestSumSquaresOrder(t *testing.T) {
	x := random(newRand(1), 2*block+37)
	want := 0.0
	for part := range slices.Chunk(x, 4096) {
		var lane [16]float32
		for i, v := range part {
			lane[i%16] = exactFMA(v, v, lane[i%16])
		}
		for _, w := range []int{8, 4, 2, 1} {
			for l := range w {
				lane[l] += lane[l+w]
			}
		}
		want += float64(lane[0])
	}
	eachImpl(t, func(t *testing.T, k Impl) {
		if got := k.SumSquares(x); got != want {
			t.Errorf("%s SumSquares n=%d = %b, want %b", k, len(x), got, want)
		}
	})
}

func TestAdd(t *testing.T) {
	eachImpl(t, func(t *testing.T, k Impl) {
		for _, n := range pointwiseLengths {
			r := newRand(uint64(n))
			dst, src := random(r, n), random(r, n)
			want := slices.Clone(dst)
			for i, v := range src {
				want[i] = float32(float64(want[i]) + float64(v)) // a float64 sum rounds to float32 correctly
			}
			k.Add(dst, src)
			if i := differs(dst, want); i >= 0 {
				t.Errorf("%s Add n=%d [%d] = %g, want %g", k, n, i, dst[i], want[i])
			}
		}
	})
}
