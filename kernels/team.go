package kernels

import (
	"runtime"
	"sync"
	"sync/atomic"
)

const badTeam = "kernels: NewTeam: threads < 1"

// A Team shares the work of products, transposes and updates among goroutines: every one
// computes other outputs, so that results do not depend on their number. A team serves one
// caller at a time, who is one of its threads.
type Team struct {
	threads  int
	spins    int // busy waiting before sleeping or yielding
	job      job
	round    atomic.Uint32 // counts jobs; a change starts the workers
	pending  atomic.Int32  // workers that have not finished the job
	sleeping atomic.Int32
	closed   atomic.Bool
	wake     chan struct{}
	workers  sync.WaitGroup
}

// NewTeam returns a team of that many threads, the caller's included. The others run until
// Close. It panics if threads < 1.
func NewTeam(threads int) *Team {
	if threads < 1 {
		panic(badTeam)
	}
	t := &Team{threads: threads, spins: spinLimit, wake: make(chan struct{}, threads)}
	if threads > runtime.GOMAXPROCS(0) {
		t.spins = 0
	}
	for part := 1; part < threads; part++ {
		t.workers.Go(func() { t.work(part) })
	}
	return t
}

// Close ends the team's goroutines. The team must not be used any more.
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

// A job is a kernel call that is divided into parts. Which of the operands it uses is up
// to run.
type job struct {
	run     func(k Impl, j *job, part, parts int)
	kernels Impl
	y, x    Matrix
	w, w2   Packed
	bias    []float32
	act     Activation
	add     bool
	rule    Adadelta
	vectors [4][]float32
}

// worthwhile is the least number of multiplications that a team divides: about 20 µs of
// work, against 1 µs for starting it, or some 10 µs if the workers sleep.
const worthwhile = 1 << 20

// divides reports whether work of that size with so many parts at most is for the team.
func (t *Team) divides(size, parts int) bool {
	return t != nil && t.threads > 1 && size >= worthwhile && parts >= t.threads
}

// do runs a job on all threads and returns when all parts are done.
func (t *Team) do(j job) {
	j.kernels.team = nil
	t.job = j
	t.pending.Store(int32(t.threads - 1))
	t.start()
	t.job.run(t.job.kernels, &t.job, 0, t.threads)
	for spins := 0; t.pending.Load() > 0; spins++ {
		if spins >= t.spins {
			runtime.Gosched()
		}
	}
	t.job = job{}
}

// start lets the workers see a new round.
func (t *Team) start() {
	t.round.Add(1)
	for range t.sleeping.Load() {
		select {
		case t.wake <- struct{}{}:
		default:
		}
	}
}

// work is the loop of a worker.
func (t *Team) work(part int) {
	for seen := uint32(0); ; seen++ {
		t.await(seen)
		if t.closed.Load() {
			return
		}
		t.job.run(t.job.kernels, &t.job, part, t.threads)
		t.pending.Add(-1)
	}
}

// spinLimit bounds busy waiting to about a millisecond, after which a worker sleeps. A team of
// more threads than processors does not wait busily at all.
const spinLimit = 1_000_000

// await returns once round is no longer seen.
func (t *Team) await(seen uint32) {
	for range t.spins {
		if t.round.Load() != seen {
			return
		}
	}
	for t.round.Load() == seen {
		t.sleeping.Add(1)
		if t.round.Load() == seen {
			<-t.wake
		}
		t.sleeping.Add(-1)
	}
}

// share returns the range of n items that belongs to a part.
func share(n, part, parts int) (from, to int) {
	return n * part / parts, n * (part + 1) / parts
}
