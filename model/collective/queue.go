package collective

import (
	"time"

	"github.com/softsearch-go/softsearch/kernels"
)

// A Queue performs operations of a group one after the other, on goroutines of its own, while the caller
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
	running    bool
	waiting    int // operations that have begun and that Wait has not returned for
}

// queueLen is the number of operations that can begin before Wait.
const queueLen = 64

const (
	badQueue = "collective: NewQueue: nil group"
	badState = "collective: queue is running, is not, or has too many or too few operations"
)

// An operation is a ReduceScatter, an AllGather or the end.
type operation struct {
	gather, end bool
	values      []float32
}

// NewQueue returns a queue for the operations of g. It adds with k, which must have no team. NewQueue panics if g
// is nil; the methods panic where Start and Stop, or an operation and its Wait, do not alternate.
func NewQueue(g *Group, k kernels.Impl) *Queue {
	if g == nil {
		panic(badQueue)
	}
	q := &Queue{group: *g, owner: g, kernels: k, operations: make(chan operation, queueLen), results: make(chan error, queueLen)}
	q.group.adder = &adder{make(chan addTask, 1), make(chan struct{}, 1)}
	return q
}

// Start starts the goroutines, which run until Stop.
func (q *Queue) Start() {
	q.check(!q.running)
	q.running, q.group.traffic, q.err = true, Traffic{}, nil
	go q.run()
	go q.group.adder.run(q.kernels)
}

func (q *Queue) check(ok bool) {
	if !ok {
		panic(badState)
	}
}

// run performs operations up to the end. After an error it performs no more.
func (q *Queue) run() {
	var err error
	for o := range q.operations {
		switch {
		case o.end:
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

// ReduceScatter begins Group.ReduceScatter. At most 64 operations may have begun for
// which Wait has not returned.
func (q *Queue) ReduceScatter(values []float32) { q.begin(operation{values: values}) }

// AllGather begins Group.AllGather in the same way.
func (q *Queue) AllGather(values []float32) { q.begin(operation{gather: true, values: values}) }

func (q *Queue) begin(o operation) {
	q.check(q.running && q.waiting < queueLen)
	q.waiting++
	q.operations <- o
}

// Wait waits for the oldest operation that it has not waited for. After an error the values of this and of
// all further operations are of no use.
func (q *Queue) Wait() error {
	q.check(q.waiting > 0)
	q.waiting--
	start := time.Now()
	if err := <-q.results; q.err == nil {
		q.err = err
	}
	q.owner.traffic.Time += time.Since(start)
	return q.err
}

// Stop ends the goroutines when all operations that have begun are complete. The caller must have waited for
// them. It adds what they sent to the traffic of the group, whose Time has what Wait took.
func (q *Queue) Stop() {
	q.check(q.running && q.waiting == 0)
	q.running = false
	q.operations <- operation{end: true}
	<-q.results
	q.group.adder.tasks <- addTask{}
	<-q.group.adder.done
	q.owner.traffic.Sent += q.group.traffic.Sent
}
