package decode

import (
	"cmp"
	"fmt"
	"slices"
	"sync"
)

// Encoding a sentence reads weights as often as the sentence has words, however many sentences are
// encoded together. Tasks therefore join the hypotheses of a beam when theirs are at least
// 1/joinShare of them, and otherwise wait for others, joinSteps steps at most. With the sizes of the
// paper, 64 clients and greedy search, that raises the throughput by a tenth or more.
const (
	joinShare = 4
	joinSteps = 4
)

// A queue holds the tasks of calls until workers take them. Calls take turns in the order of their
// arrival, one task at a time, so that a short call does not wait for all of a long one.
type queue struct {
	mutex   sync.Mutex
	filled  sync.Cond
	calls   []*call // those with tasks; it is the turn of the first
	tasks   int     // in all calls
	rows    int     // hypotheses of these tasks
	idle    int     // workers that wait for a task
	open    int     // beams that tasks can join
	running int     // rows of these beams
	closed  bool
}

// A call is what no worker has taken yet of the tasks of one caller, the longest first.
type call struct{ tasks []*task }

func newCall(tasks []*task) *call {
	slices.SortStableFunc(tasks, func(a, b *task) int { return cmp.Compare(b.length, a.length) })
	return &call{tasks}
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
	q.calls = append(q.calls, c)
	q.tasks += n
	for _, k := range c.tasks {
		q.rows += k.need.rows
	}
	for range min(n, q.idle) {
		q.filled.Signal()
	}
	return nil
}

func (q *queue) remove(c *call) {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	if i := slices.Index(q.calls, c); i >= 0 {
		q.calls = slices.Delete(q.calls, i, i+1)
	}
	q.tasks -= len(c.tasks)
	for _, k := range c.tasks {
		q.rows -= k.need.rows
	}
	c.tasks = nil
}

// next waits for a task and returns it. After close, it returns nil when no tasks are left.
func (q *queue) next() *task {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	q.idle++
	for len(q.calls) == 0 && !q.closed {
		q.filled.Wait()
	}
	q.idle--
	if len(q.calls) == 0 {
		return nil
	}
	return q.pop(0)
}

// pop removes the next task of a call, whose next turn comes after all others.
func (q *queue) pop(i int) *task {
	c := q.calls[i]
	k := c.tasks[0]
	c.tasks = c.tasks[1:]
	if q.calls = slices.Delete(q.calls, i, i+1); len(c.tasks) > 0 {
		q.calls = append(q.calls, c)
	}
	q.tasks--
	q.rows -= k.need.rows
	return k
}

func (q *queue) enter(b *beam) {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	q.open++
	q.count(b)
}

func (q *queue) leave(b *beam) {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	q.open--
	q.running -= b.counted
	b.counted = 0
}

func (q *queue) count(b *beam) {
	q.running += b.used.rows - b.counted
	b.counted = b.used.rows
}

// join lets tasks join a beam, in turn, while there is room and an open one has less than a fair share of
// all rows. If the next task needs another beam, however empty this one is, join returns it, and the beam closes.
// Tasks behind one that must wait, and those for a closed beam, join if they end no later than the searches that run:
// one long sentence holds up no other call, and nobody delays it.
func (q *queue) join(b *beam, open bool) (other *task) {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	share := b.capacity.rows
	if open {
		q.count(b)
		defer q.count(b)
		beams := q.open + q.idle
		share = (q.running + q.rows + beams - 1) / beams
		joining := min(q.rows, min(share, b.capacity.rows)-b.used.rows)
		if joining*joinShare < b.used.rows && b.waited < joinSteps {
			b.waited++
			return nil
		}
		b.waited = 0
	}
	left := b.left()
	for i := 0; i < min(len(q.calls), batchRows) && b.used.rows < share; {
		switch k := q.calls[i].tasks[0]; {
		case (open || k.need.steps() <= left) && b.admit(k):
			q.pop(i)
		case open && !k.need.within(b.capacity):
			open, other = false, q.pop(i)
		default:
			open = false
			i++
		}
	}
	return other
}

// close refuses further calls and ends the workers when the queue is empty.
func (q *queue) close() {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	q.closed = true
	q.filled.Broadcast()
}

// work serves tasks until the queue is closed and empty.
func (t *Translator) work() {
	defer t.workers.Done()
	k := t.queue.next()
	for k != nil {
		if k = t.serve(k); k == nil {
			k = t.queue.next()
		}
	}
}

// serve runs a task and those that join it, until none is left. It returns a task that needs another
// beam, if there is one: this beam closes then, and when another worker waits for memory.
// Between two steps, callers that have results run, and those that send the next sentence.
func (t *Translator) serve(k *task) (other *task) {
	b := t.beamFor(k)
	defer t.beams.restore(b, 2*t.options.Threads)
	b.admit(k)
	t.queue.enter(b)
	for open := true; ; b.step() {
		pause()
		if next := t.queue.join(b, open); open {
			other = next
			if open = other == nil && !t.beams.wanted(); !open {
				t.queue.leave(b)
			}
		}
		if b.join(); b.used.rows == 0 {
			if open {
				t.queue.leave(b)
			}
			return other
		}
	}
}

// beamFor returns a beam for the task and others. It waits until there is enough memory.
func (t *Translator) beamFor(k *task) *beam {
	bytes := t.bytes(k.beam)
	b := t.beams.borrow(k.beam, bytes)
	if b == nil {
		b = newBeam(nil, t.options, t.models, k.beam)
		b.bytes = bytes
	}
	return b
}
