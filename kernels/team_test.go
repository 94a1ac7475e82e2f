package kernels

import (
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"time"
)

// eagerTeam returns a team that divides work of any size.
func eagerTeam(t *testing.T, threads int) *Team {
	team := NewTeam(threads)
	team.minSize = 1
	t.Cleanup(team.Close)
	return team
}

// dividedKernels returns all kernels at shapes with a part for each of eight threads, in parts of
// different sizes.
func dividedKernels() []kernel {
	return slices.Concat(
		vectorKernels(8*block+5),
		attentionKernels(9, 133, 135), rowKernels(17, 133, 135),
		productKernels(1, 333, 70), productKernels(37, 333, 257), productKernels(261, 129, 130),
		productKernels(150, 129, 50), weightKernels(133, 139),
		int8Kernels(1, 333, 70), int8Kernels(37, 333, 257), int8Kernels(261, 129, 130),
	)
}

// undivided are the kernels that a team does not divide, whatever their shape.
var undivided = map[string]bool{
	"Exp": true, "Tanh": true, "Sigmoid": true, "ReLU": true, "GELU": true, "TanhBackward": true,
	"Add": true, "Mul": true, "Scale": true, "Axpy": true, "Dot": true, "Norm": true, "Max": true, "TopK": true, "Decay": true,
	"Softmax": true, "SoftmaxBackward": true, "LogSumExp": true, "CrossEntropy": true,
	"Scores": true, "ScoresBackward": true, "WeightedSum": true, "WeightedSumAdd": true, "Pack": true, "Unpack": true,
	"Quantize": true, "PackInt8": true, "DotInt8": true,
}

func TestTeamBits(t *testing.T) {
	kernelsOf, teams := dividedKernels(), []int{1, 2, 3, 8}
	if testing.Short() {
		teams = []int{3}
	}
	eachImpl(t, func(t *testing.T, k Impl) {
		for _, threads := range teams {
			team := eagerTeam(t, threads)
			for _, kn := range kernelsOf {
				want := operands(kn, fills[0], 5)
				got := clone(want)
				before := team.round()
				kn.run(k, want)
				kn.run(k.With(team), got)
				if divided := team.round() != before; divided != (threads > 1 && !undivided[kn.name]) {
					t.Errorf("%s %s %s, %d threads: divided: %t", k, kn.name, kn.shape, threads, divided)
				}
				for i, a := range kn.args {
					if at := differs(got[i], want[i]); at >= 0 && a.use != works {
						t.Fatalf("%s %s %s, %d threads: %s[%d] = %g, alone %g", k, kn.name, kn.shape, threads, a.name, at, got[i][at], want[i][at])
					}
				}
			}
		}
	})
}

func TestTeamAllocations(t *testing.T) {
	k := Best().With(eagerTeam(t, 2))
	for _, kn := range dividedKernels() {
		values := operands(kn, fills[0], 1)
		if n := testing.AllocsPerRun(3, func() { kn.run(k, values) }); n != 0 {
			t.Errorf("%s %s: %g allocations, want 0", kn.name, kn.shape, n)
		}
	}
}

// A counting task counts how often each item is done. All parts but the first are slow.
type counting struct {
	done  []int32
	parts atomic.Int32
	wait  time.Duration
}

func (c *counting) Run(k Impl, from, to int) {
	if c.parts.Add(1) > 1 {
		time.Sleep(c.wait)
	}
	if k.team != nil && (from != 0 || to != len(c.done)) {
		panic("a part has a team")
	}
	for i := from; i < to; i++ {
		c.done[i]++
	}
}

func TestDivide(t *testing.T) {
	for _, threads := range []int{1, 2, 3, 8} {
		team := NewTeam(threads)
		for _, n := range []int{0, 1, 2, 3, 7, 8, 9, 100} {
			for _, size := range []int{0, minDivided - 1, minDivided} {
				c := counting{done: make([]int32, n), wait: time.Millisecond}
				Best().With(team).Divide(&c, n, size)
				for i, times := range c.done {
					if times != 1 {
						t.Errorf("%d threads, size %d: item %d of %d done %d times", threads, size, i, n, times)
					}
				}
				want := 1
				if size >= minDivided && n >= threads {
					want = threads
				}
				if got := int(c.parts.Load()); got != want {
					t.Errorf("%d threads, size %d: %d items in %d parts, want %d", threads, size, n, got, want)
				}
			}
		}
		team.Close()
	}
}

// TestTeamSleeps waits until the workers sleep; the next task must wake them.
func TestTeamSleeps(t *testing.T) {
	team := eagerTeam(t, 3)
	for range 3 {
		for team.sleeping.Load() < 2 {
			time.Sleep(time.Millisecond)
		}
		c := counting{done: make([]int32, 5)}
		Best().With(team).Divide(&c, len(c.done), minDivided)
		if slices.Contains(c.done, 0) || c.parts.Load() != 3 {
			t.Errorf("items done %d times in %d parts", c.done, c.parts.Load())
		}
	}
}

// TestTeamCloses: no goroutine of a team outlives Close, whether it sleeps, spins or has never worked.
func TestTeamCloses(t *testing.T) {
	before := runtime.NumGoroutine()
	for _, pause := range []time.Duration{0, 0, time.Millisecond, 20 * time.Millisecond} {
		team := NewTeam(8)
		time.Sleep(pause)
		c := counting{done: make([]int32, 80)}
		Best().With(team).Divide(&c, len(c.done), minDivided)
		time.Sleep(pause)
		team.Close()
		NewTeam(3).Close()
	}
	for deadline := time.Now().Add(5 * time.Second); runtime.NumGoroutine() > before; {
		if time.Now().After(deadline) {
			t.Fatalf("%d goroutines, %d before the teams", runtime.NumGoroutine(), before)
		}
		time.Sleep(time.Millisecond)
	}
}

func TestTeamPanics(t *testing.T) {
	if got := panics(func() { NewTeam(0) }); got != badTeam {
		t.Errorf("got %v, want %q", got, badTeam)
	}
}

// TestSumOfLongVectors has more blocks than a sumSquaresTask holds sums.
func TestSumOfLongVectors(t *testing.T) {
	x := random(newRand(1), sumBlocks*block+3*block+5)
	k := Best()
	if got, want := k.With(eagerTeam(t, 3)).SumSquares(x), k.SumSquares(x); got != want {
		t.Errorf("3 threads: %v, alone %v", got, want)
	}
}
