package kernels

import (
	"runtime"
	"sync"
	"sync/atomic"
)

const badTeam = "kernels: NewTeam: threads < 1"

// A Task is work on numbered items, each of which writes results of its own, so that
// threads can take ranges of them.
type Task interface {
	// Run does items from to to-1.
	Run(k Impl, from, to int)
}

// A Team shares the work of kernels and tasks among goroutines: every one computes other
// outputs, so that results do not depend on their number. A team serves one caller at a
// time, who is one of its threads.
type Team struct {
	threads  int
	least    int // the size that is worth dividing
	spins    int // busy waiting before sleeping
	kernels  Impl
	task     Task
	items    int
	round    atomic.Uint32 // counts tasks; a change starts the workers
	pending  atomic.Int32  // workers that have not finished the task
	sleeping atomic.Int32
	closed   atomic.Bool
	mutex    sync.Mutex
	wake     sync.Cond   // a sleeping worker waits for round to change
	waiting  atomic.Bool // the caller sleeps until pending is 0
	finished sync.Cond
	workers  sync.WaitGroup
	tasks
}

// tasks are those of the kernels, each with the operands of its last call.
type tasks struct {
	panels    panelProduct
	rows      rowProduct
	gathering gathering
	gradient  gradient
	turning   transposition
	step      adadeltaStep
	squares   squares
	sum       rowSum
	rowwise   rowwise
	scatter   scattering
	zeros     zeroing
}

// NewTeam returns a team of that many threads, the caller's included. The others run until
// Close. It panics if threads < 1.
func NewTeam(threads int) *Team {
	if threads < 1 {
		panic(badTeam)
	}
	t := &Team{threads: threads, least: worthwhile, spins: spinLimit}
	t.wake.L, t.finished.L = &t.mutex, &t.mutex
	if threads > runtime.GOMAXPROCS(0) {
		t.spins = 0
	}
	for part := 1; part < threads; part++ {
		t.workers.Go(func() { t.work(part) })
	}
	return t
}

// Close ends the team's goroutines and returns when they have ended. The team must not be
// used any more.
func (t *Team) Close() {
	t.closed.Store(true)
	t.start()
	t.workers.Wait()
}

// With returns the same implementation working with a team, or alone for nil.
func (k Impl) With(t *Team) Impl {
	k.team = t
	return k
}

// Divide does the n items of a task: consecutive ranges of them on the threads of k's team,
// with an Impl that works alone, or all of them on the caller's thread where k has no team,
// there are fewer items than threads, or all of the work is worth fewer than some 10 µs.
// size is the number of multiplications in products that would take as long.
func (k Impl) Divide(task Task, n, size int) {
	if k.team.divides(size, n) {
		k.team.do(k, task, n)
		return
	}
	task.Run(k, 0, n)
}

// What a value costs in the size of a task.
const (
	CostMove     = 8  // to copy, add, square or clear it
	CostFunction = 64 // to take exp, tanh or a square root of it
)

// worthwhile is the least size that a team divides, against 1 µs for starting the threads
// and waiting for them, or some 10 µs if they sleep.
const worthwhile = 1 << 22

// divides reports whether work of that size with so many items is for the team.
func (t *Team) divides(size, items int) bool {
	return t != nil && t.threads > 1 && size >= t.least && items >= t.threads
}

// do does the n items of a task on all threads.
func (t *Team) do(k Impl, task Task, n int) {
	k.team = nil
	t.kernels, t.task, t.items = k, task, n
	t.pending.Store(int32(t.threads - 1))
	t.start()
	t.part(0)
	t.join()
}

// join returns once no part of the task is pending.
func (t *Team) join() {
	for range t.spins {
		if t.pending.Load() == 0 {
			return
		}
	}
	t.mutex.Lock()
	t.waiting.Store(true)
	for t.pending.Load() > 0 {
		t.finished.Wait()
	}
	t.waiting.Store(false)
	t.mutex.Unlock()
}

// finish ends a worker's part.
func (t *Team) finish() {
	if t.pending.Add(-1) == 0 && t.waiting.Load() {
		t.mutex.Lock() // a caller that saw the part pending waits by now
		t.finished.Signal()
		t.mutex.Unlock()
	}
}

// part does the items of one thread.
func (t *Team) part(part int) {
	from, to := share(t.items, part, t.threads)
	t.task.Run(t.kernels, from, to)
}

// start lets the workers see a new round.
func (t *Team) start() {
	t.round.Add(1)
	if t.sleeping.Load() > 0 {
		t.mutex.Lock() // a worker that saw the round before waits by now
		t.wake.Broadcast()
		t.mutex.Unlock()
	}
}

// work is the loop of a worker.
func (t *Team) work(part int) {
	for seen := uint32(0); ; seen++ {
		t.await(seen)
		if t.closed.Load() {
			return
		}
		t.part(part)
		t.finish()
	}
}

// spinLimit bounds busy waiting to about 100 µs, after which a thread sleeps: the processor is
// then free for one that it waits for. A team of more threads than processors does not wait
// busily at all.
const spinLimit = 100_000

// await returns once round is no longer seen.
func (t *Team) await(seen uint32) {
	for range t.spins {
		if t.round.Load() != seen {
			return
		}
	}
	t.mutex.Lock()
	t.sleeping.Add(1)
	for t.round.Load() == seen {
		t.wake.Wait()
	}
	t.sleeping.Add(-1)
	t.mutex.Unlock()
}

// share returns the range of n items that belongs to a part.
func share(n, part, parts int) (from, to int) {
	return n * part / parts, n * (part + 1) / parts
}
