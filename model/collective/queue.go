package collective

import (
	"time"

	"github.com/softsearch-go/softsearch/kernels"
)

// A Queue performs operations of a group one after the other, on a goroutine of its own, while the caller
// computes. All ranks begin the same operations in the same order. Between Start and Stop nothing else
// may use the group, and until Wait has returned for an operation nothing else may use its values.
//
// A Queue serves one goroutine at a time, and can be started again.
type Queue struct {
	group      Group // a copy, whose traffic is that of the queue
	owner      *Group
	kernels    kernels.Impl
	operations chan operation
	results    chan error // one for each operation, then one when the goroutine ends
	err        error      // the first one
}

// queueLen is the number of operations that can begin before Wait.
const queueLen = 64

// An operation is a ReduceScatter or an AllGather.
type operation struct {
	gather bool
	values []float32
}

// NewQueue returns a queue for the operations of g. Its goroutine adds with k, which must have no team.
func NewQueue(g *Group, k kernels.Impl) *Queue {
	return &Queue{group: *g, owner: g, kernels: k, operations: make(chan operation, queueLen), results: make(chan error, queueLen)}
}

// Start starts the goroutine, which runs until Stop.
func (q *Queue) Start() {
	q.group.traffic, q.err = Traffic{}, nil
	go q.run()
}

// run performs operations up to one without values. After an error it performs no more.
func (q *Queue) run() {
	var err error
	for o := range q.operations {
		switch {
		case o.values == nil:
			q.results <- err
			return
		case err != nil:
		case o.gather:
			err = q.group.AllGather(o.values)
		default:
			err = q.group.ReduceScatter(q.kernels, o.values)
		}
		q.results <- err
	}
}

// ReduceScatter begins Group.ReduceScatter of at least one value. At most 64 operations may have begun for
// which Wait has not returned.
func (q *Queue) ReduceScatter(values []float32) { q.operations <- operation{false, values} }

// AllGather begins Group.AllGather of at least one value, as ReduceScatter begins its operation.
func (q *Queue) AllGather(values []float32) { q.operations <- operation{true, values} }

// Wait waits for the oldest operation that it has not waited for. After an error the values of this and of
// all further operations are of no use.
func (q *Queue) Wait() error {
	start := time.Now()
	if err := <-q.results; q.err == nil {
		q.err = err
	}
	q.owner.traffic.Time += time.Since(start)
	return q.err
}

// Stop ends the goroutine when all operations that have begun are complete. The caller must have waited for
// them. It adds what they sent to the traffic of the group, whose Time has what Wait took.
func (q *Queue) Stop() {
	q.operations <- operation{}
	<-q.results
	q.owner.traffic.Sent += q.group.traffic.Sent
}
