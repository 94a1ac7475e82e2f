package kernels

import (
	"math/rand/v2"
	"testing"
	"time"
)

// teamRun computes one call of everything that a team divides.
func teamRun(k Impl) [][]float32 {
	const rows, out, in = 37, 333, 257
	r := rand.New(rand.NewPCG(7, 7))
	draw := func(n int) []float32 {
		x := make([]float32, n)
		for i := range x {
			x[i] = float32(r.NormFloat64())
		}
		return x
	}
	w := NewPacked(make([]float32, PackedLen(out, in)), out, in)
	k.Pack(w, 0, View(draw(out*in), out, in))
	turned := NewPacked(make([]float32, PackedLen(in, out)), in, out)
	x, y, bias := View(draw(rows*in), rows, in), View(draw(rows*out), rows, out), draw(out)
	sum := View(make([]float32, rows*out), rows, out)
	copy(sum.Data, y.Data)

	k.GemmAdd(sum, w, x, Sigmoid)
	k.GemmGrad(w, y, x, make([]float32, GradScratch(in)))
	k.Gemm(y, w, x, bias, Tanh)
	k.Transpose(turned, w)
	wide := NewPacked(draw(PackedLen(2*panel*100, 100)), 2*panel*100, 100)
	single := draw(wide.Out)
	k.Gemv(single, wide, draw(wide.In), nil, Identity)
	p, g, g2, dx2 := draw(worthwhile+5), draw(worthwhile+5), make([]float32, worthwhile+5), make([]float32, worthwhile+5)
	k.Update(Adadelta{Rho: 0.95, Epsilon: 1e-6, Scale: 0.5}, p, g, g2, dx2)
	return [][]float32{sum.Data, w.Data, y.Data, turned.Data, single, p, g2, dx2}
}

func TestTeamBits(t *testing.T) {
	for _, k := range Available() {
		want := teamRun(k)
		for _, threads := range []int{1, 2, 3, 8} {
			team := NewTeam(threads)
			got := teamRun(k.With(team))
			team.Close()
			for i := range want {
				for j := range want[i] {
					if want[i][j] != got[i][j] {
						t.Fatalf("%v, %d threads, result %d: [%d] is %v, alone %v", k, threads, i, j, got[i][j], want[i][j])
					}
				}
			}
		}
	}
}

// Between jobs workers fall asleep; a job that comes then must wake them.
func TestTeamSleeps(t *testing.T) {
	team := NewTeam(3)
	defer team.Close()
	k := Best().With(team)
	want := teamRun(Best())
	for range 3 {
		for team.sleeping.Load() < 2 {
			time.Sleep(time.Millisecond)
		}
		got := teamRun(k)
		for i := range want {
			for j := range want[i] {
				if want[i][j] != got[i][j] {
					t.Fatalf("result %d: [%d] is %v, alone %v", i, j, got[i][j], want[i][j])
				}
			}
		}
	}
}

func TestTeamAllocates(t *testing.T) {
	team := NewTeam(2)
	defer team.Close()
	k := Best().With(team)
	w := NewPacked(make([]float32, PackedLen(512, 512)), 512, 512)
	x, y := View(make([]float32, 16*512), 16, 512), View(make([]float32, 16*512), 16, 512)
	scratch := make([]float32, GradScratch(512))
	if n := testing.AllocsPerRun(20, func() {
		k.Gemm(y, w, x, nil, Identity)
		k.GemmGrad(w, y, x, scratch)
	}); n != 0 {
		t.Errorf("%v allocations, want 0", n)
	}
}

func TestTeamPanics(t *testing.T) {
	defer func() {
		if r := recover(); r != badTeam {
			t.Errorf("got %v, want %q", r, badTeam)
		}
	}()
	NewTeam(0)
}
