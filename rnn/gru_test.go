package rnn

import (
	"fmt"
	"math"
	"testing"

	"github.com/softsearch-go/softsearch/kernels"
)

// sizes are numbers of hidden units and inputs around the widths of vectors and panels.
var sizes = [][2]int{{1, 1}, {1, 5}, {2, 3}, {7, 9}, {8, 8}, {9, 7}, {15, 16}, {16, 15}, {17, 17}, {33, 20}, {40, 1}}

// TestStep compares a step with the equations in float64. A value is the result of fewer
// than 100 additions of magnitudes below 4, each with a relative rounding of 2⁻²⁴.
func TestStep(t *testing.T) {
	const tolerance = 2e-6
	eachImpl(t, func(t *testing.T, k kernels.Impl) {
		for _, size := range sizes {
			h, e := size[0], size[1]
			for _, rows := range [][2]int{{1, 1}, {1, 0}, {5, 5}, {6, 3}, {4, 0}, {20, 13}} {
				n, continued := rows[0], rows[1]
				r := newRand(uint64(100*h + n))
				g := newReference(r, h, e)
				p := g.pack(k)
				x, state := random(r, n*e, 1), random(r, continued*h, 0.5)
				gates, rh, next := zeros(n, 3*h), zeros(n, h), zeros(n, h)
				p.Project(k, gates, matrix(x, n, e))
				p.Step(k, gates, rh, next, matrix(state, continued, h))
				if p.Hidden() != h {
					t.Errorf("Hidden: got %d, want %d", p.Hidden(), h)
				}
				for b := range n {
					before := make([]float64, h)
					if b < continued {
						before = state[b*h : (b+1)*h]
					}
					want, z, reset, candidate := g.step(x[b*e:(b+1)*e], before)
					what := fmt.Sprintf("%s h=%d e=%d row %d of %d, %d continued: ", k, h, e, b, n, continued)
					near(t, what+"state", wide(next.Row(b)), want, tolerance)
					near(t, what+"z", wide(gates.Row(b)[:h]), z, tolerance)
					near(t, what+"r", wide(gates.Row(b)[h:2*h]), reset, tolerance)
					near(t, what+"candidate", wide(gates.Row(b)[2*h:]), candidate, tolerance)
					product := make([]float64, h)
					for i := range product {
						product[i] = reset[i] * before[i]
					}
					near(t, what+"r∘h", wide(rh.Row(b)), product, tolerance)
				}
			}
		}
	})
}

func zeros(rows, cols int) kernels.Matrix {
	return kernels.NewMatrix(rows, cols)
}

// TestStepGates checks what the gates mean: z = 0 keeps the state, z = 1 takes the candidate, and
// r = 0 removes the state from the candidate before the product with U.
func TestStepGates(t *testing.T) {
	const h, e = 3, 2
	eachImpl(t, func(t *testing.T, k kernels.Impl) {
		for _, c := range []struct{ bz, br float64 }{{-80, 80}, {80, 80}, {80, -200}} {
			g := newReference(newRand(3), h, e)
			for i := range h {
				g.bz[i], g.br[i] = c.bz, c.br
			}
			x, state := []float64{0.5, -1}, []float64{0.25, -0.5, 1}
			want := make([]float64, h)
			for i := range want {
				switch {
				case c.bz < 0:
					want[i] = state[i]
				case c.br < 0:
					want[i] = math.Tanh(row(g.w, i, x) + g.b[i])
				default:
					want[i] = math.Tanh(row(g.w, i, x) + row(g.u, i, state) + g.b[i])
				}
			}
			gates, rh, next := zeros(1, 3*h), zeros(1, h), zeros(1, h)
			p := g.pack(k)
			p.Project(k, gates, matrix(x, 1, e))
			p.Step(k, gates, rh, next, matrix(state, 1, h))
			// Saturated gates are within 2⁻²⁴ of 0 and 1.
			near(t, fmt.Sprintf("%s bz=%v br=%v: state", k, c.bz, c.br), wide(next.Row(0)), want, 1e-6)
		}
	})
}
