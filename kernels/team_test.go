package kernels

import (
	"bytes"
	"reflect"
	"runtime"
	"slices"
	"sync"
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
		bf16Kernels(37, 333, 257), bf16Kernels(261, 129, 130),
	)
}

func TestTeamBits(t *testing.T) {
	kernelsOf, teams := dividedKernels(), []int{1, 2, 3, 8}
	if !full() {
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
	if (k.team != nil || k.scratch != nil) && (from != 0 || to != len(c.done)) {
		panic("a part has a team or a scratch")
	}
	for i := from; i < to; i++ {
		c.done[i]++
	}
}

func TestParallel(t *testing.T) {
	for _, threads := range []int{1, 2, 3, 8} {
		team := NewTeam(threads)
		for _, n := range []int{0, 1, 2, 3, 7, 8, 9, 100} {
			for _, size := range []int{0, minDivided - 1, minDivided} {
				c := counting{done: make([]int32, n), wait: time.Millisecond}
				Best().With(team).Using(&Scratch{}).Parallel(&c, n, size)
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
		Best().With(team).Parallel(&c, len(c.done), minDivided)
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
		Best().With(team).Parallel(&c, len(c.done), minDivided)
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
	for _, threads := range []int{0, -1, maxThreads + 1, 1 << 30} {
		if got := panics(func() { NewTeam(threads) }); got != "kernels: NewTeam: threads < 1 or > 65536" {
			t.Errorf("%d threads: panic %v, want %q", threads, got, "kernels: NewTeam: threads < 1 or > 65536")
		}
	}
}

func goroutine() string {
	var stack [64]byte
	name, _, _ := bytes.Cut(stack[:runtime.Stack(stack[:], false)], []byte(" ["))
	return string(name)
}

// A meeting is a task of one item per thread of a team: each thread waits for the others, so that
// each does one item. Then it calls then.
type meeting struct {
	group  sync.WaitGroup
	then   func(item int)
	active atomic.Int32
	caller string
}

func newMeeting(threads int, then func(item int)) *meeting {
	m := &meeting{then: then, caller: goroutine()}
	m.group.Add(threads)
	return m
}

func (m *meeting) Run(_ Impl, from, to int) {
	m.active.Add(1)
	defer m.active.Add(-1)
	for i := from; i < to; i++ {
		m.group.Done()
		m.group.Wait()
		m.then(i)
	}
}

func (m *meeting) onCaller() bool { return goroutine() == m.caller }

// checkOrder fails unless all threads of a team work and its kernels give the right results.
func checkOrder(t *testing.T, after string, k Impl, threads int) {
	t.Helper()
	k.Parallel(newMeeting(threads, func(int) {}), threads, minDivided)
	for _, kn := range smallKernels() {
		want := operands(kn, fills[0], 7)
		got := clone(want)
		kn.run(Impl{isa: k.isa}, want)
		kn.run(k, got)
		for i, a := range kn.args {
			if at := differs(got[i], want[i]); at >= 0 && a.use != works {
				t.Fatalf("%s: %s %s: %s[%d] = %g, alone %g", after, kn.name, kn.shape, a.name, at, got[i][at], want[i][at])
			}
		}
	}
}

// smallKernels returns the kernels that a team divides, with a part for each of three threads.
func smallKernels() []kernel {
	list := slices.Concat(
		vectorKernels(2*block+5), attentionKernels(5, 40, 40), rowKernels(6, 40, 40),
		productKernels(1, 48, 17), productKernels(3*gemmShare, 40, 17), weightKernels(40, 17),
	)
	return slices.DeleteFunc(list, func(kn kernel) bool { return undivided[kn.name] })
}

// dividing calls f with every kernel that a team divides, and with Parallel.
func dividing(k Impl, f func(name string, call func())) {
	f("Parallel", func() { k.Parallel(&counting{done: make([]int32, 100)}, 100, minDivided) })
	for _, kn := range smallKernels() {
		values := operands(kn, fills[0], 1)
		f(kn.name+" "+kn.shape, func() { kn.run(k, values) })
	}
}

// TestTeamInUse makes every call that divides work while another goroutine's task runs: it panics, and
// the task ends as if alone.
func TestTeamInUse(t *testing.T) {
	const threads = 3
	team := eagerTeam(t, threads)
	k := Best().With(team)
	var working sync.WaitGroup
	var release sync.WaitGroup
	working.Add(threads)
	release.Add(1)
	m := newMeeting(threads, func(int) {
		working.Done()
		release.Wait()
	})
	var caller sync.WaitGroup
	caller.Go(func() { k.Parallel(m, threads, minDivided) })
	working.Wait()
	dividing(k, func(name string, call func()) {
		if got := panics(call); got != "kernels: Team in use by another goroutine or by the calling task" {
			t.Errorf("%s: panic %v, want %q", name, got, "kernels: Team in use by another goroutine or by the calling task")
		}
	})
	if got := panics(team.Close); got != "kernels: Team.Close while the team is in use" {
		t.Errorf("Close: panic %v, want %q", got, "kernels: Team.Close while the team is in use")
	}
	release.Done()
	caller.Wait()
	checkOrder(t, "use by two goroutines", k, threads)
}

// TestTeamLong: products of 2³¹ multiplications are divided, also where int has 32 bits. A team in use panics
// before it computes them.
func TestTeamLong(t *testing.T) {
	const n, in, out = 1300, 8, 1 << 31 / gradRows / 8
	team := NewTeam(2)
	defer team.Close()
	k := Best().With(team).Using(&Scratch{Grad: make([]float32, GradScratch(in))})
	team.begin()
	defer team.end()
	for name, call := range map[string]func(){
		"Gemm": func() { k.Gemm(NewMatrix(n, n), NewPacked(n, n), Matrix{n, n, 0, make([]float32, n)}, nil, Identity) },
		"LinearGrad": func() {
			k.LinearGrad(NewPacked(out, in), Matrix{gradRows, out, 0, make([]float32, out)}, NewMatrix(gradRows, in))
		},
	} {
		if got := panics(call); got != "kernels: Team in use by another goroutine or by the calling task" {
			t.Errorf("%s: panic %v, want %q", name, got, "kernels: Team in use by another goroutine or by the calling task")
		}
	}
}

// TestTeamShared has goroutines that use one team at once: each call gives the right result or panics.
func TestTeamShared(t *testing.T) {
	const goroutines, rows, out, in = 4, 9, 70, 90
	alone := Best()
	k := alone.With(eagerTeam(t, 2))
	_, w := packed(alone, 1, out, in)
	var group sync.WaitGroup
	for g := range goroutines {
		x, want := View(random(newRand(uint64(g)), rows*in), rows, in), NewMatrix(rows, out)
		alone.Gemm(want, w, x, nil, Tanh)
		group.Go(func() {
			for range 200 {
				y := NewMatrix(rows, out)
				got := panics(func() { k.Gemm(y, w, x, nil, Tanh) })
				if at := differs(y.Data, want.Data); got != "kernels: Team in use by another goroutine or by the calling task" && (got != nil || at >= 0) {
					t.Errorf("goroutine %d: panic %v, y.Data[%d] is wrong", g, got, at)
				}
			}
		})
	}
	group.Wait()
	checkOrder(t, "use by many goroutines", k, 2)
}

// TestTeamNested: a task that divides work among its own team panics, on any thread, before it does
// harm.
func TestTeamNested(t *testing.T) {
	const threads = 3
	k := Best().With(eagerTeam(t, threads))
	dividing(k, func(name string, call func()) {
		for part := range threads {
			m := newMeeting(threads, func(item int) {
				if item == part {
					call()
				}
			})
			if got := panics(func() { k.Parallel(m, threads, minDivided) }); got != "kernels: Team in use by another goroutine or by the calling task" {
				t.Errorf("%s in part %d of a task: panic %v, want %q", name, part, got, "kernels: Team in use by another goroutine or by the calling task")
			}
		}
	})
	checkOrder(t, "nested use", k, threads)
}

func TestTeamClosed(t *testing.T) {
	team := NewTeam(2)
	team.minSize = 1
	team.Close()
	team.Close()
	k := Best().With(team)
	dividing(k, func(name string, call func()) {
		if got := panics(call); got != "kernels: Team used after Close" {
			t.Errorf("%s: panic %v, want %q", name, got, "kernels: Team used after Close")
		}
	})
	c := counting{done: make([]int32, 1)}
	if k.Parallel(&c, 1, minDivided); c.done[0] != 1 {
		t.Error("a task that is not divided needs the team")
	}
}

// TestTeamTaskPanics: a panic reaches the caller once no thread works, with the value of the first part
// that panics, whatever thread runs it.
func TestTeamTaskPanics(t *testing.T) {
	for _, threads := range []int{2, 3, 8} {
		team := eagerTeam(t, threads)
		k := Best().With(team)
		for first := range threads {
			for _, last := range []int{first, threads - 1} {
				m := newMeeting(threads, func(item int) {
					if first <= item && item <= last {
						panic(item)
					}
				})
				got := panics(func() { k.Parallel(m, threads, minDivided) })
				if n := m.active.Load(); got != first || n != 0 {
					t.Errorf("%d threads, items %d to %d panic: panic %v, want %d; %d threads work", threads, first, last, got, first, n)
				}
				c := counting{done: make([]int32, 100), wait: time.Millisecond}
				k.Parallel(&c, len(c.done), minDivided)
				if slices.Max(c.done) != 1 || slices.Min(c.done) != 1 {
					t.Errorf("%d threads, after a panic of item %d: items done %d times", threads, first, c.done)
				}
			}
		}
		checkOrder(t, "panics", k, threads)
	}
}

// TestTeamTaskPanicsOn has a panic on the caller's thread, on one worker and on all threads, while the
// others still work.
func TestTeamTaskPanicsOn(t *testing.T) {
	const threads = 3
	k := Best().With(eagerTeam(t, threads))
	for _, where := range []string{"caller", "workers", "all"} {
		for range 20 {
			var m *meeting
			m = newMeeting(threads, func(int) {
				if where == "all" || m.onCaller() == (where == "caller") {
					panic(where)
				}
				time.Sleep(time.Millisecond)
			})
			got := panics(func() { k.Parallel(m, threads, minDivided) })
			if n := m.active.Load(); got != where || n != 0 {
				t.Errorf("panic %v, want %s; %d threads work", got, where, n)
			}
		}
		checkOrder(t, "panic on "+where, k, threads)
	}
}

// TestTeamTaskPanicsEarly panics in the first part before the workers have woken.
func TestTeamTaskPanicsEarly(t *testing.T) {
	team := eagerTeam(t, 8)
	k := Best().With(team)
	for range 5 {
		for team.sleeping.Load() < 7 {
			time.Sleep(time.Millisecond)
		}
		if got := panics(func() { k.Parallel(failing{}, 8, minDivided) }); got != "item 0" {
			t.Errorf("panic %v, want item 0", got)
		}
	}
	checkOrder(t, "early panics", k, 8)
}

// A failing task panics in item 0.
type failing struct{}

func (failing) Run(_ Impl, from, _ int) {
	if from == 0 {
		panic("item 0")
	}
}

// TestTeamTaskExits: runtime.Goexit in a task ends the caller, after every thread has finished, and costs
// the team no thread.
func TestTeamTaskExits(t *testing.T) {
	const threads = 3
	k := Best().With(eagerTeam(t, threads))
	for _, onCaller := range []bool{true, false} {
		var active int32 = -1
		var group sync.WaitGroup
		group.Go(func() {
			var m *meeting
			m = newMeeting(threads, func(int) {
				if m.onCaller() == onCaller {
					runtime.Goexit()
				}
				time.Sleep(time.Millisecond)
			})
			defer func() { active = m.active.Load() }()
			k.Parallel(m, threads, minDivided)
			t.Errorf("on the caller's thread %t: Parallel returns", onCaller)
		})
		group.Wait()
		if active != 0 {
			t.Errorf("on the caller's thread %t: %d threads work", onCaller, active)
		}
		checkOrder(t, "runtime.Goexit", k, threads)
	}
}

// TestTeamSlotsAfterPanic runs the tasks of kernels with operands that have no data, which panic before
// assembly runs.
func TestTeamSlotsAfterPanic(t *testing.T) {
	eachImpl(t, func(t *testing.T, k Impl) {
		team := eagerTeam(t, 3)
		k = k.With(team)
		long, m, w := make([]float32, 3*block), Matrix{99, 99, 99, nil}, Packed{99, 99, nil}
		g := product{y: m, w: Weights{Float32: w}, x: inputs{float32: m}}
		grad := gradient{dw: w, dy: inputs{float32: m}, x: inputs{float32: m}}
		for name, call := range map[string]func(){
			"panels":    func() { divide(k, panelTask{g}, 7) },
			"rows":      func() { divide(k, rowTask{g}, 99) },
			"gather":    func() { divide(k, gatherTask{grad}, 7) },
			"grad":      func() { divide(k, gradTask{grad}, 7) },
			"transpose": func() { divide(k, transposeTask{w, w}, 7) },
			"update":    func() { divide(k, updateTask{x: long}, 3) },
			"gate":      func() { divide(k, gateTask{n: 99, gates: m, y: m}, 99) },
			"rowDots":   func() { divide(k, rowDotsTask{long, m, nil}, 99) },
			"sumRows":   func() { divide(k, sumRowsTask{nil, m}, 7) },
			"eachRow":   func() { divide(k, eachRowTask{a: m, b: m}, 99) },
			"scatter":   func() { divide(k, scatterTask{m, m, make([]int32, 99)}, 7) },
			"clear":     func() { divide(k, clearTask{nil}, 7) },
		} {
			if panics(call) == nil {
				t.Errorf("%s: no panic without data", name)
			}
			checkOrder(t, name, k, 3)
		}
	})
}

// TestTeamForgets: between calls, a team keeps no task and no operands reachable.
func TestTeamForgets(t *testing.T) {
	team := eagerTeam(t, 3)
	k := Best().With(team)
	check := func(name string) {
		t.Helper()
		if team.task != nil {
			t.Errorf("%s: the team keeps the task", name)
		}
		for _, slot := range team.slots {
			if s, ok := slot.(*sumSquaresTask); ok {
				clear(s.sums[:])
			}
			if !reflect.ValueOf(slot).Elem().IsZero() {
				t.Errorf("%s: the team keeps the operands of a %T", name, slot)
			}
		}
	}
	dividing(k, func(name string, call func()) {
		call()
		check(name)
	})
	panics(func() { k.Parallel(failing{}, 3, minDivided) })
	check("panic of a task")
	panics(func() { divide(k, rowDotsTask{x: make([]float32, 3)}, 3) })
	check("panic of a kernel")
}

// TestSumOfLongVectors has more blocks than a sumSquaresTask holds sums.
func TestSumOfLongVectors(t *testing.T) {
	x := random(newRand(1), sumBlocks*block+3*block+5)
	k := Best()
	if got, want := k.With(eagerTeam(t, 3)).SumSquares(x), k.SumSquares(x); got != want {
		t.Errorf("3 threads: %v, alone %v", got, want)
	}
}
