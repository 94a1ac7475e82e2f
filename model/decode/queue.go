package decode

import (
	"cmp"
	"fmt"
	"slices"
	"sync"
)

// A queue holds the tasks of calls until a worker takes them. Calls take turns in the order in
// which they came, a chunk each, so that none waits for the whole of another.
type queue struct {
	mutex  sync.Mutex
	filled sync.Cond
	calls  []*call // those with chunks left; the first has its turn
	tasks  int     // of all chunks
	free   int     // workers that wait
	closed bool
}

// A call is the tasks that one caller has not got a worker for.
type call struct{ chunks []chunk }

// A chunk is tasks of the same shape and of similar length, at most as many as fit into a batch.
type chunk struct {
	shape shape
	tasks []*task
}

// newCall divides tasks into chunks for that many workers, the longest tasks first. The chunks of
// a shape come in groups of one for each worker, as few as the shape allows. The tasks of a group
// are dealt out one by one, so that its chunks take about the same time.
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

// add appends a call. It returns ErrClosed after close.
func (q *queue) add(c *call) error {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	if q.closed {
		return ErrClosed
	}
	if len(c.chunks) > 0 {
		q.calls = append(q.calls, c)
	}
	for _, k := range c.chunks {
		q.tasks += len(k.tasks)
	}
	q.filled.Broadcast()
	return nil
}

// remove takes away what is left of a call.
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

// take waits for tasks and returns a batch: the next chunk of the call whose turn it is, and as
// many chunks of the same shape, of any call, as the shape has room for, less what other waiting
// workers can take. It returns no tasks after close, when none are left.
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

// close lets workers end once the queue is empty, and refuses further calls.
func (q *queue) close() {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	q.closed = true
	q.filled.Broadcast()
}

// work is a worker: it runs batches until the queue is closed and empty.
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

// runBatch runs the tasks of a batch whose contexts have not ended.
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
			k.done(k, fmt.Errorf("decode: %w", err))
		}
		return err != nil
	})
	if len(batch.tasks) > 0 {
		b.run(batch.tasks)
	}
}
