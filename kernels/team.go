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

// A Team shares the work of kernels and tasks among goroutines: every part of it computes other
// outputs, so that results do not depend on who does it, nor on the number of threads. A team
// serves one caller at a time, who is one of its threads.
type Team struct {
	threads  int
	least    int // the size that is worth dividing
	spins    int // busy waiting before sleeping
	kernels  Impl
	task     Task
	items    int
	state    atomic.Uint64 // the round, which is the number of the task, and how many of its parts are taken
	pending  atomic.Int32  // parts of the task that are not done
	sleeping atomic.Int32
	closed   atomic.Bool
	mutex    sync.Mutex
	wake     sync.Cond   // a sleeping worker waits for the next round
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
	adadelta  adadeltaStep
	adam      adamStep
	average   averageStep
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
	for range threads - 1 {
		t.workers.Go(t.work)
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
// there are fewer items than threads, or all of the work is worth fewer than some 4 µs.
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

// worthwhile is the least size that a team divides: some 4 µs of work, against less than 1 µs
// for starting the threads and waiting for them.
const worthwhile = 1 << 18

// divides reports whether work of that size with so many items is for the team.
func (t *Team) divides(size, items int) bool {
	return t != nil && t.threads > 1 && size >= t.least && items >= t.threads
}

// do does the n items of a task on all threads.
func (t *Team) do(k Impl, task Task, n int) {
	k.team = nil
	t.kernels, t.task, t.items = k, task, n
	t.pending.Store(int32(t.threads))
	t.help(t.start())
	t.join()
}

// start lets the workers see a new round and returns it.
func (t *Team) start() (round uint32) {
	round = t.round() + 1
	t.state.Store(uint64(round) << 32)
	if t.sleeping.Load() > 0 {
		t.mutex.Lock() // a worker that saw the round before waits by now
		t.wake.Broadcast()
		t.mutex.Unlock()
	}
	return round
}

func (t *Team) round() uint32 { return uint32(t.state.Load() >> 32) }

// help does parts of a round until all of them are taken. A worker that the system keeps from
// running takes none, and nobody waits for it.
func (t *Team) help(round uint32) {
	for part, ok := t.take(round); ok; part, ok = t.take(round) {
		from, to := share(t.items, part, t.threads)
		t.task.Run(t.kernels, from, to)
		t.finish()
	}
}

// take takes a part of a round, if there is one left and the round has not ended.
func (t *Team) take(round uint32) (part int, ok bool) {
	for {
		state := t.state.Load()
		part = int(uint32(state))
		if uint32(state>>32) != round || part == t.threads {
			return 0, false
		}
		if t.state.CompareAndSwap(state, state+1) {
			return part, true
		}
	}
}

// finish ends a part.
func (t *Team) finish() {
	if t.pending.Add(-1) == 0 && t.waiting.Load() {
		t.mutex.Lock() // a caller that saw the part pending waits by now
		t.finished.Signal()
		t.mutex.Unlock()
	}
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

// work is the loop of a worker.
func (t *Team) work() {
	for round := uint32(0); ; {
		round = t.await(round)
		if t.closed.Load() {
			return
		}
		t.help(round)
	}
}

// spinLimit bounds busy waiting to about 100 µs, after which a thread sleeps: the processor is
// then free for one that it waits for. A team of more threads than processors does not wait
// busily at all.
const spinLimit = 100_000

// await returns the round once it is not the given one.
func (t *Team) await(seen uint32) uint32 {
	for range t.spins {
		if round := t.round(); round != seen {
			return round
		}
	}
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.sleeping.Add(1)
	defer t.sleeping.Add(-1)
	for t.round() == seen {
		t.wake.Wait()
	}
	return t.round()
}

// share returns the range of n items that belongs to a part.
func share(n, part, parts int) (from, to int) {
	return n * part / parts, n * (part + 1) / parts
}
