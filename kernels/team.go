package kernels

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// maxThreads bounds a team: pending and state count its parts.
const maxThreads = 1 << 16

// A Team is a fixed number of threads that share the work of kernels and tasks. Each thread
// computes different outputs, so that results depend neither on the number of threads nor on
// their timing.
//
// A team serves one call at a time, and the caller is one of the threads. Give each goroutine a team
// of its own, or none. A call that has work to divide panics if the team is in use, by another
// goroutine or by the task that makes the call, or closed.
//
// A panic of a task on any thread, or its runtime.Goexit, is carried to the caller after the other
// threads have finished: the call panics with the value of the first part that
// panics, and the next call finds the team in order. The stack of the panic is lost if the thread was
// not the caller's; without a team, it is always the caller's.
type Team struct {
	threads  int
	minSize  int64 // of work worth dividing
	spins    int   // polls before a thread sleeps
	use      atomic.Int32
	impl     Impl
	task     Task
	items    int
	failure  failure       // of the workers, guarded by mutex until no part is pending
	state    atomic.Uint64 // high half: the round, which numbers the tasks; low half: how many parts are taken
	pending  atomic.Int32  // parts of the task that are not done
	sleeping atomic.Int32  // workers
	mutex    sync.Mutex
	wake     sync.Cond   // sleeping workers wait here for the next round
	waiting  atomic.Bool // the caller sleeps until pending is 0
	finished sync.Cond
	workers  sync.WaitGroup
	slots    []Task // one task of each type that divide has run, without operands between calls
}

// The states of a team.
const (
	idle int32 = iota
	busy
	closed
)

// A failure is the panic of a part, or its runtime.Goexit, which has no value.
type failure struct {
	part  int
	value any
}

// NewTeam returns a team of that many threads, the caller's included. The others run until Close.
// It panics if threads < 1 or threads > 65536.
func NewTeam(threads int) *Team {
	if threads < 1 || threads > maxThreads {
		panic("kernels: NewTeam: threads < 1 or > 65536")
	}
	t := &Team{threads: threads, minSize: minDivided, spins: maxSpins}
	t.wake.L, t.finished.L = &t.mutex, &t.mutex
	if threads > runtime.GOMAXPROCS(0) {
		t.spins = 0
	}
	for range threads - 1 {
		t.workers.Go(t.work)
	}
	return t
}

// Close stops the team's goroutines and waits for them to end. The team must not be used
// afterwards; to close it again does nothing. Close panics if the team is in use.
func (t *Team) Close() {
	switch {
	case t.use.CompareAndSwap(idle, closed):
		t.start()
	case t.use.Load() != closed:
		panic("kernels: Team.Close while the team is in use")
	}
	t.workers.Wait()
}

// With returns the same implementation working with team t, or with the calling thread alone if t
// is nil. An Impl with a team, and every copy of it, must not be used by two goroutines at once;
// an Impl without one may.
func (k Impl) With(t *Team) Impl {
	k.team = t
	return k
}

// A Task is work on numbered items that can be done in any order, because each item writes
// results of its own.
type Task interface {
	// Run does items from to to-1. k has neither team nor scratch if a team divides the task. Run must
	// not use the team that runs it.
	Run(k Impl, from, to int)
}

// Parallel runs a task of n items: k's team runs one range of consecutive items per thread. The
// caller's thread runs them all where k has no team, there are fewer items than threads, or the
// task is too short to gain from threads. size estimates the whole task as the number of
// multiplications in a product that takes as long; see [CostMove] and [CostFunction]. Tasks from
// 2¹⁸ on, about 4 µs, are divided. Parallel panics if task is nil.
func (k Impl) Parallel(task Task, n, size int) {
	if task == nil {
		panic("kernels: Parallel: nil task")
	}
	t := k.team
	if !t.divides(int64(size), n) {
		task.Run(k, 0, n)
		return
	}
	t.begin()
	defer t.end()
	t.run(k, task, n)
}

// The cost of one value in the size of a task.
const (
	CostMove     = 8  // to copy, add, square or clear it
	CostFunction = 64 // to take its exponential, tanh or square root
)

// minDivided is the smallest size that a team divides: about 4 µs of work, against less than 1 µs
// for starting the threads and waiting for them.
const minDivided = 1 << 18

// divides reports whether the team divides work of that size, which may overflow int, and number of items.
func (t *Team) divides(size int64, items int) bool {
	return t != nil && t.threads > 1 && size >= t.minSize && items >= t.threads
}

// begin takes the team for one call, which must end it, also if it panics.
func (t *Team) begin() {
	if t.use.CompareAndSwap(idle, busy) {
		return
	}
	if t.use.Load() == closed {
		panic("kernels: Team used after Close")
	}
	panic("kernels: Team in use by another goroutine or by the calling task")
}

func (t *Team) end() { t.use.Store(idle) }

// A taskOf is a pointer to the operands T of a task.
type taskOf[T any] interface {
	*T
	Task
}

// divided runs a kernel's task of n items on the team, or returns false if that does not divide work of this size.
// Then callers call Run themselves: as a Task it would escape to the heap, and kernels do not allocate.
func divided[T any, P taskOf[T]](k Impl, task T, size int64, n int) bool {
	if !k.team.divides(size, n) {
		return false
	}
	divide[T, P](k, task, n)
	return true
}

// divide runs a kernel's task on the team.
func divide[T any, P taskOf[T]](k Impl, task T, n int) {
	t := k.team
	t.begin()
	slot := slotOf[T, P](t)
	defer func() {
		var none T
		*slot = none // the slot would keep the operands reachable
		t.end()
	}()
	*slot = task
	t.run(k, slot, n)
}

// slotOf returns the one task of type T that a team has. The first call for a type allocates it.
func slotOf[T any, P taskOf[T]](t *Team) P {
	for _, s := range t.slots {
		if slot, ok := s.(P); ok {
			return slot
		}
	}
	slot := P(new(T))
	t.slots = append(t.slots, slot)
	return slot
}

// run divides the n items of a task among all threads. It returns or panics once no thread works.
func (t *Team) run(k Impl, task Task, n int) {
	k.team, k.scratch = nil, nil
	t.impl, t.task, t.items, t.failure = k, task, n, failure{part: t.threads}
	t.pending.Store(int32(t.threads))
	round := t.start()
	part, working := t.take(round)
	defer func() {
		if working { // the task panics or exits
			t.finish()
			t.drop(round)
		}
		t.join()
		t.task = nil
		t.carry(part)
	}()
	for ; working; part, working = t.take(round) {
		t.runPart(part)
		t.finish()
	}
}

func (t *Team) runPart(part int) {
	from, to := share(t.items, part, t.threads)
	t.task.Run(t.impl, from, to)
}

// drop leaves out the parts of a round that no thread has taken.
func (t *Team) drop(round uint32) {
	for _, ok := t.take(round); ok; _, ok = t.take(round) {
		t.finish()
	}
}

// carry fails as a worker did, if that was in a part before the one given.
func (t *Team) carry(part int) {
	if t.failure.part >= part {
		return
	}
	if t.failure.value == nil {
		runtime.Goexit()
	}
	panic(t.failure.value)
}

// start announces a new round to the workers and returns it.
func (t *Team) start() (round uint32) {
	round = t.round() + 1
	t.state.Store(uint64(round) << 32)
	if t.sleeping.Load() > 0 {
		t.mutex.Lock() // by now, a worker that saw the previous round waits
		t.wake.Broadcast()
		t.mutex.Unlock()
	}
	return round
}

func (t *Team) round() uint32 { return uint32(t.state.Load() >> 32) }

// take claims the next part of a round. If none is left or the round is over, it returns false and the
// number of parts. Nobody waits for a worker that the system does not schedule: it takes none.
func (t *Team) take(round uint32) (part int, ok bool) {
	for {
		state := t.state.Load()
		part = int(uint32(state))
		if uint32(state>>32) != round || part == t.threads {
			return t.threads, false
		}
		if t.state.CompareAndSwap(state, state+1) {
			return part, true
		}
	}
}

// finish records that a part is done.
func (t *Team) finish() {
	if t.pending.Add(-1) == 0 && t.waiting.Load() {
		t.mutex.Lock() // by now, a caller that saw the part pending waits
		t.finished.Signal()
		t.mutex.Unlock()
	}
}

// join waits until no part of the task is pending.
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
		if t.use.Load() == closed {
			return
		}
		for part, ok := t.take(round); ok; part, ok = t.take(round) {
			t.attempt(part)
		}
	}
}

// attempt runs one part on a worker and keeps its failure for the caller. runtime.Goexit ends the
// worker, whose place another one takes.
func (t *Team) attempt(part int) {
	returned := false
	defer func() {
		if !returned {
			value := recover()
			t.fail(part, value)
			if value == nil {
				t.workers.Go(t.work)
			}
		}
		t.finish()
	}()
	t.runPart(part)
	returned = true
}

// fail keeps the failure of the first part.
func (t *Team) fail(part int, value any) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if part < t.failure.part {
		t.failure = failure{part, value}
	}
}

// maxSpins bounds busy waiting to about 100 µs. Then a thread sleeps, which frees its processor
// for the threads that it waits for. A team of more threads than processors never waits busily.
const maxSpins = 100_000

// await waits for a round other than seen and returns it.
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

// share returns the range of n items that one of the parts has: n·part/parts to n·(part+1)/parts, for
// n·parts that may overflow int.
func share(n, part, parts int) (from, to int) {
	size, rest, count, last := n/parts, int64(n%parts), int64(parts), int64(part)
	return size*part + int(rest*last/count), size*(part+1) + int(rest*(last+1)/count)
}
