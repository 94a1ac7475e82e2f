package decode

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"time"
)

// Encoding a sentence reads weights as often as the sentence has words, however many sentences are
// encoded together. Tasks therefore join the hypotheses of a beam when theirs are at least
// 1/joinShare of them, and otherwise wait for others, joinSteps steps at most. With the sizes of the
// paper, 64 clients and greedy search, that raises the throughput by a tenth or more.
const (
	joinShare = 4
	joinSteps = 4
)

// A call is short if the backpointers of its searches are at most shortCall in all, and if of the recent ones its client has
// not had more than all others. Short calls go before long ones, whose beams rest meanwhile: many rows would make each step slow. While
// both wait, beams for short calls take tasks until they have advanced shortTurn times the rows of a step for long ones.
// Workers pause after each step for long calls, but only at the end of a search, or after some time, for short ones: under
// load, a pause can last longer than ten of their steps.
const (
	shortCall  = 4096
	shortTurn  = 16
	recent     = 4 * shortCall
	pauseAfter = 8 * time.Millisecond // little later, the runtime would preempt a worker
)

// A queue holds the tasks of calls until workers take them.
type queue struct {
	mutex       sync.Mutex
	filled      sync.Cond
	short, long turns
	tasks       int // in all calls
	idle        int // workers that wait for a task
	resting     int // beams for long calls
	closed      bool

	backpointers int         // of recent calls, at most recent,
	by           map[any]int // and of those of each client
}

// The calls of one kind take turns in the order of their arrival, one task at a time.
type turns struct {
	calls   []*call // those with tasks; it is the turn of the first
	rows    int     // hypotheses of these tasks
	open    int     // beams that tasks can join
	running int     // rows of these beams
}

func (q *queue) of(long bool) *turns {
	if long {
		return &q.long
	}
	return &q.short
}

// A call is what no worker has taken yet of the tasks of one caller, the longest first.
type call struct {
	tasks  []*task
	client any
	long   bool
}

func newCall(ctx context.Context, tasks []*task) *call {
	slices.SortStableFunc(tasks, func(a, b *task) int { return cmp.Compare(b.length, a.length) })
	return &call{tasks: tasks, client: ctx.Value(clientKey{})}
}

type clientKey struct{}

// WithClient returns a context for calls of a client. While others have calls, the client that has recently had most waits
// for them. It panics if ctx is nil.
func WithClient(ctx context.Context, client string) context.Context {
	check(ctx, true)
	return context.WithValue(ctx, clientKey{}, client)
}

// count adds the backpointers of a call to those of its client, and decides whether it is a long one.
func (q *queue) count(c *call) {
	n := 0
	for _, k := range c.tasks {
		n = min(n+min(k.need.backpointers, recent), recent)
	}
	q.backpointers += n
	q.by[c.client] += n
	c.long = n > shortCall || q.by[c.client] > q.backpointers/2 && q.by[c.client] < q.backpointers
	for _, k := range c.tasks {
		k.long = c.long
	}
	for q.backpointers > recent {
		q.backpointers = 0
		for client, n := range q.by {
			if q.by[client] = n / 2; n < 2 {
				delete(q.by, client)
			}
			q.backpointers += n / 2
		}
	}
}

// add appends a call. It returns ErrClosed after close, and ErrBusy if some tasks wait and c's
// would make them more than limit, unless that is 0.
func (q *queue) add(c *call, limit int) error {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	n := len(c.tasks)
	switch {
	case q.closed:
		return ErrClosed
	case limit > 0 && q.tasks > 0 && n > limit-q.tasks:
		return fmt.Errorf("%w: %d sentences wait, expected up to %d with the %d of this call", ErrBusy, q.tasks, limit, n)
	case n == 0:
		return nil
	}
	q.count(c)
	kind := q.of(c.long)
	kind.calls = append(kind.calls, c)
	q.tasks += n
	for _, k := range c.tasks {
		kind.rows += k.need.rows
	}
	for range min(n, q.idle) {
		q.filled.Signal()
	}
	return nil
}

func (q *queue) remove(c *call) {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	kind := q.of(c.long)
	if i := slices.Index(kind.calls, c); i >= 0 {
		kind.calls = slices.Delete(kind.calls, i, i+1)
	}
	q.tasks -= len(c.tasks)
	for _, k := range c.tasks {
		kind.rows -= k.need.rows
	}
	c.tasks = nil
}

// next waits for a task and returns it. After close, it returns nil when no tasks are left.
func (q *queue) next() *task {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	q.idle++
	for q.tasks == 0 && !q.closed {
		q.filled.Wait()
	}
	q.idle--
	if q.tasks == 0 {
		return nil
	}
	return q.pop(len(q.short.calls) == 0, 0)
}

// nextShort returns the next task of a short call, nil if there is none or no room for it.
func (q *queue) nextShort(room func(*task) bool) *task {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	if len(q.short.calls) == 0 || !room(q.short.calls[0].tasks[0]) {
		return nil
	}
	return q.pop(false, 0)
}

// pop removes the next task of a call, whose next turn comes after all others.
func (q *queue) pop(long bool, i int) *task {
	kind := q.of(long)
	c := kind.calls[i]
	k := c.tasks[0]
	c.tasks = c.tasks[1:]
	if kind.calls = slices.Delete(kind.calls, i, i+1); len(c.tasks) > 0 {
		kind.calls = append(kind.calls, c)
	}
	q.tasks--
	kind.rows -= k.need.rows
	return k
}

func (q *queue) enter(b *beam) {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	q.of(b.long).open++
	q.countRows(b)
}

func (q *queue) leave(b *beam) {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	kind := q.of(b.long)
	kind.open--
	kind.running -= b.counted
	b.counted = 0
}

func (q *queue) countRows(b *beam) {
	q.of(b.long).running += b.used.rows - b.counted
	b.counted = b.used.rows
}

// join lets tasks join a beam, in turn, while there is room and an open one has less than a fair share of
// all rows. If the next task needs another beam, however empty this one is, or it is the turn of a long call, join
// returns it, and the beam closes, unless another one rests meanwhile.
// Tasks behind one that must wait, and those for a closed beam, join if they end no later than the searches that run:
// one long sentence holds up no other call, and nobody delays it.
func (q *queue) join(b *beam, open bool) (other *task) {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	kind, share := q.of(b.long), b.capacity.rows
	if open {
		q.countRows(b)
		defer q.countRows(b)
		beams := kind.open + q.idle
		if !b.long {
			beams += max(0, q.long.open-q.resting)
		}
		share = (kind.running + kind.rows + beams - 1) / beams
		joining := min(kind.rows, min(share, b.capacity.rows)-b.used.rows)
		if joining*joinShare < b.used.rows && b.waited < joinSteps {
			b.waited++
			return nil
		}
		b.waited = 0
	}
	left := b.left()
	for i := 0; i < min(len(kind.calls), batchRows) && b.used.rows < share; {
		switch k := kind.calls[i].tasks[0]; {
		case (open || k.need.steps() <= left) && b.admit(k):
			q.pop(b.long, i)
		case open && !b.hurried && !k.need.within(b.capacity):
			open, other = false, q.pop(b.long, i)
		default:
			open = false
			i++
		}
	}
	if open && !b.long && !b.hurried && b.turn <= 0 && len(q.long.calls) > 0 {
		other = q.pop(true, 0)
	}
	return other
}

// rest adds n to the beams that rest.
func (q *queue) rest(n int) {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	q.resting += n
}

// close refuses further calls and ends the workers when the queue is empty.
func (q *queue) close() {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	q.closed = true
	q.filled.Broadcast()
}

// pause lets other goroutines run, and JavaScript where it has the thread.
var pause = runtime.Gosched

// work serves tasks until the queue is closed and empty.
func (t *Translator) work() {
	defer t.workers.Done()
	k := t.queue.next()
	for k != nil {
		if k = t.serve(k, t.beamFor(k, true), nil); k == nil {
			k = t.queue.next()
		}
	}
}

// serve runs a task and those that join it in a beam, until none is left, while another one may rest. It returns a task
// that needs another beam, if there is one: this beam closes then, and when another worker waits for memory.
// While it pauses, callers that have results run, and callers that send the next sentence.
func (t *Translator) serve(k *task, b, resting *beam) (other *task) {
	defer t.beams.restore(b, 2*t.options.Threads)
	b.long, b.turn, b.hurried, b.paused = k.long, shortTurn*batchRows, resting != nil, time.Now()
	b.admit(k)
	t.queue.enter(b)
	for open := true; ; b.step() {
		if b.long || time.Since(b.paused) >= pauseAfter {
			pause()
			b.paused = time.Now()
		}
		stuck := b.long && !t.rest(b)
		if next := t.queue.join(b, open); open {
			other = next
			if open = other == nil && !stuck && (!b.hurried || resting.turn > 0) && !t.beams.wanted(); !open {
				t.queue.leave(b)
			}
		}
		if b.join(); b.used.rows == 0 {
			if open {
				t.queue.leave(b)
			}
			return other
		}
		if b.turn -= b.used.rows; b.hurried {
			resting.turn -= b.used.rows
		}
	}
}

// rest serves short calls before the next step of a beam for long ones. It reports false if one needs memory.
func (t *Translator) rest(b *beam) bool {
	b.turn = shortTurn * b.used.rows
	for b.turn > 0 {
		var short *beam
		found := false
		k := t.queue.nextShort(func(k *task) bool {
			found, short = true, t.beamFor(k, false)
			return short != nil
		})
		if k == nil {
			return !found
		}
		t.queue.rest(1)
		t.serve(k, short, b)
		t.queue.rest(-1)
	}
	return true
}

// beamFor returns a beam for the task and others. If there is not enough memory, it waits, or returns nil.
func (t *Translator) beamFor(k *task, wait bool) *beam {
	b, ok := t.beams.borrow(k.beam, t.bytes, wait)
	if ok && b == nil {
		b = newBeam(nil, t.options, t.models, k.beam)
		b.bytes = t.bytes(k.beam)
	}
	return b
}
