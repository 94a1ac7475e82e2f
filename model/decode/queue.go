package decode

import (
	"cmp"
	"fmt"
	"slices"
	"sync"
)

// A queue holds the tasks of calls until workers take them. Calls take turns in the order of their
// arrival, one chunk at a time, so that a short call does not wait for all of a long one.
type queue struct {
	mutex  sync.Mutex
	filled sync.Cond
	calls  []*call // those with chunks; it is the turn of the first
	tasks  int     // in all chunks
	free   int     // workers that are waiting
	closed bool
}

// A call is what no worker has taken yet of the tasks of one caller.
type call struct{ chunks []chunk }

// A chunk is up to shape.sentences tasks of the same shape and similar length.
type chunk struct {
	shape shape
	tasks []*task
}

// newCall sorts tasks, the longest first, and divides them into chunks for that many workers. The
// chunks of a shape form groups with one chunk for each worker, as few groups as possible. The tasks
// of a group are dealt out in turn, so that its chunks take about the same time.
func newCall(tasks []*task, workers int) *call {
	slices.SortStableFunc(tasks, func(a, b *task) int {
		return cmp.Or(cmp.Compare(b.shape.source, a.shape.source), cmp.Compare(b.shape.target, a.shape.target), cmp.Compare(b.steps(), a.steps()))
	})
	c := &call{}
	for len(tasks) > 0 {
		shape, n := tasks[0].shape, 1
		for n < len(tasks) && tasks[n].shape == shape {
			n++
		}
		c.divide(shape, tasks[:n], workers)
		tasks = tasks[n:]
	}
	return c
}

// steps returns the length by which tasks of the same shape are sorted.
func (t *task) steps() int {
	if t.target != nil {
		return len(t.target)
	}
	return len(t.source)
}

// divide adds the chunks of tasks of one shape.
func (c *call) divide(s shape, tasks []*task, workers int) {
	workers = min(workers, len(tasks))
	rounds := (len(tasks) + workers - 1) / workers // in which each worker gets one task
	groups := (rounds + s.sentences - 1) / s.sentences
	for group := range groups {
		from, to := rounds*group/groups*workers, min(rounds*(group+1)/groups*workers, len(tasks))
		for first := from; first < min(from+workers, to); first++ {
			var list []*task
			for i := first; i < to; i += workers {
				list = append(list, tasks[i])
			}
			c.chunks = append(c.chunks, chunk{s, list})
		}
	}
}

// add appends a call. It returns ErrClosed after close, and ErrBusy if some tasks wait and those of c
// would make them more than limit, unless that is 0.
func (q *queue) add(c *call, limit int) error {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	n := 0
	for _, k := range c.chunks {
		n += len(k.tasks)
	}
	switch {
	case q.closed:
		return ErrClosed
	case limit > 0 && q.tasks > 0 && n > limit-q.tasks:
		return fmt.Errorf("%w: %d sentences wait, expected up to %d with the %d of this call", ErrBusy, q.tasks, limit, n)
	case n > 0:
		q.calls = append(q.calls, c)
		q.tasks += n
	}
	q.filled.Broadcast()
	return nil
}

// remove removes a call.
func (q *queue) remove(c *call) {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	if i := slices.Index(q.calls, c); i >= 0 {
		q.calls = slices.Delete(q.calls, i, i+1)
	}
	for _, k := range c.chunks {
		q.tasks -= len(k.tasks)
	}
	c.chunks = nil
}

// take waits for tasks and returns a batch: the next chunk of the call whose turn it is, and further
// chunks of the same shape from any call, up to shape.sentences tasks, or to a fair share if other
// workers are waiting. After close, it returns an empty batch when no tasks are left.
func (q *queue) take() chunk {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	q.free++
	for len(q.calls) == 0 && !q.closed {
		q.filled.Wait()
	}
	q.free--
	if len(q.calls) == 0 {
		return chunk{}
	}
	share := (q.tasks + q.free) / (q.free + 1)
	first := q.calls[0]
	batch := q.pop(first)
	limit := min(share, batch.shape.sentences)
	for _, c := range slices.Clone(q.calls) {
		for len(c.chunks) > 0 && c.chunks[0].shape == batch.shape && len(batch.tasks)+len(c.chunks[0].tasks) <= limit {
			batch.tasks = append(batch.tasks, q.pop(c).tasks...)
		}
	}
	q.calls = slices.DeleteFunc(q.calls, func(c *call) bool { return len(c.chunks) == 0 })
	if len(q.calls) > 0 && q.calls[0] == first {
		q.calls = append(q.calls[1:], first)
	}
	return batch
}

// pop removes the next chunk of a call.
func (q *queue) pop(c *call) chunk {
	k := c.chunks[0]
	c.chunks = c.chunks[1:]
	q.tasks -= len(k.tasks)
	return k
}

// close refuses further calls and ends the workers when the queue is empty.
func (q *queue) close() {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	q.closed = true
	q.filled.Broadcast()
}

// work runs batches until the queue is closed and empty.
func (t *Translator) work() {
	defer t.workers.Done()
	for {
		batch := t.queue.take()
		if len(batch.tasks) == 0 {
			return
		}
		t.runBatch(batch)
	}
}

// runBatch runs a batch, except tasks whose contexts have ended.
func (t *Translator) runBatch(batch chunk) {
	bytes := t.bytes(batch.shape)
	b := t.beams.borrow(batch.shape, bytes)
	if b == nil {
		b = newBeam(t.options, t.models, batch.shape)
		b.bytes = bytes
	}
	defer t.beams.restore(b, 2*t.options.Threads)
	batch.tasks = slices.DeleteFunc(batch.tasks, func(k *task) bool {
		err := k.ctx.Err()
		if err != nil {
			k.done(k, err)
		}
		return err != nil
	})
	if len(batch.tasks) > 0 {
		b.run(batch.tasks)
	}
}
