package model

import (
	"cmp"
	"errors"
	"slices"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model/collective"
)

var errUnfinished = errors.New("the last update is not finished, expected Finish on all ranks")

// An overlap exchanges the dense gradients of one of several ranks while it computes. Each part of them is
// added among the ranks as soon as the backward pass of this rank has completed it. A rank then has the
// sums of its share, which suffice for the norm. It gets the others, and takes the step with them, in the next
// update, part by part before the layer of the forward pass that needs the weights.
//
// Methods that the passes call do nothing for nil.
type overlap struct {
	trainer  *Trainer
	group    *collective.Group
	queue    *collective.Queue
	gradient []float32 // dense
	parts    []part    // in the order of need
	next     int       // of parts: the first one without its step
	ready    layer     // the first one whose weights are not those of the last update
	adding   bool      // the shard in hand is the last one of this rank
	squares  []float32 // sums of squares of all blocks
	task     squaresOfBlocks
	err      error // of the transport
}

// A part is a range of the dense gradients, from one block of collective.Block values to another.
type part struct {
	from, to int
	need     layer // the first one of the forward pass that reads its weights
	complete layer // the last one of the backward pass that adds to it
	begun    bool  // its sum over the ranks
}

// backwardOrder is the order in which the backward pass completes the gradients of layers.
var backwardOrder = [layers]layer{outputLayer, readoutLayer, decoderLayer, memoryLayer, encoderForward, encoderBackward}

// completesAfter reports whether the backward pass completes l after other.
func (l layer) completesAfter(other layer) bool {
	return slices.Index(backwardOrder[:], l) > slices.Index(backwardOrder[:], other)
}

// newOverlap returns the overlap of a rank, or nil if there is only one.
func newOverlap(t *Trainer, g *collective.Group) *overlap {
	if g.Size() == 1 {
		return nil
	}
	dense := t.gradients.dense()
	o := &overlap{
		trainer: t, group: g, queue: collective.NewQueue(g, t.kernels.With(nil)), gradient: dense,
		parts: partsOf(t.model.Config, len(dense)), squares: make([]float32, (len(dense)-1)/collective.Block+1),
	}
	o.discard()
	return o
}

// partsOf divides that many dense values. A block with values of several layers belongs to those that are
// needed first and complete last.
func partsOf(c Config, dense int) (parts []part) {
	for from := 0; from < dense; from += collective.Block {
		parts = append(parts, part{from: from, to: min(from+collective.Block, dense), need: outputLayer, complete: outputLayer})
	}
	a, tables := &arena{}, 0
	(*Parameters)(nil).each(c, nil, func(q parameter) {
		from := a.used - tables
		if a.next(q); q.table != nil {
			tables = a.used
			return
		}
		for i := from / collective.Block; i <= (a.used-tables-1)/collective.Block; i++ {
			p := &parts[i]
			if p.need = min(p.need, q.layer); q.layer.completesAfter(p.complete) {
				p.complete = q.layer
			}
		}
	})
	merged := parts[:1]
	for _, p := range parts[1:] {
		if last := &merged[len(merged)-1]; last.need == p.need && last.complete == p.complete {
			last.to = p.to
		} else {
			merged = append(merged, p)
		}
	}
	slices.SortStableFunc(merged, func(a, b part) int { return cmp.Compare(a.need, b.need) })
	return merged
}

// begin starts the exchanges of an update with what the last one has left.
func (o *overlap) begin() {
	if o == nil {
		return
	}
	o.queue.Start()
	for i := range o.parts {
		p := &o.parts[i]
		p.begun = false
		if i >= o.next {
			o.queue.AllGather(o.gradient[p.from:p.to])
		}
	}
}

// last says whether the next shard is the last one of this rank.
func (o *overlap) last(is bool) {
	if o != nil {
		o.adding = is
	}
}

// pending reports whether the last update is not finished.
func (o *overlap) pending() bool { return o != nil && o.ready < layers }

// discard forgets what the last update has left.
func (o *overlap) discard() {
	if o != nil {
		o.next, o.ready = len(o.parts), layers
	}
}

// need finishes the last update for the weights of a layer and those before it.
func (o *overlap) need(l layer) { o.finish(l, true) }

// finish is need that also sets the gradients to 0 for the next ones, if clear is set.
func (o *overlap) finish(l layer, clear bool) {
	if o == nil || o.ready > l {
		return
	}
	t := o.trainer
	for ; o.next < len(o.parts) && o.parts[o.next].need <= l; o.next++ {
		p := o.parts[o.next]
		if o.err = cmp.Or(o.err, o.queue.Wait()); o.err != nil {
			continue
		}
		t.step(p.from, p.to)
		if clear {
			t.kernels.Clear(o.gradient[p.from:p.to])
		}
	}
	t.prepare(o.ready, l)
	o.ready = l + 1
}

// complete begins to add the parts whose gradients are complete with those of that layer, if the shard is
// the last one.
func (o *overlap) complete(l layer) {
	if o == nil || !o.adding {
		return
	}
	for i := range o.parts {
		if p := &o.parts[i]; p.complete == l && !p.begun {
			p.begun = true
			v := o.gradient[p.from:p.to]
			for _, left := range o.trainer.shards.sums {
				o.group.Add(o.trainer.kernels, v, left.vector[p.from:p.to])
			}
			o.queue.ReduceScatter(v)
		}
	}
}

// end adds what remains, the rows of embeddings last, and waits for all sums.
func (o *overlap) end(rows []float32) error {
	for _, l := range backwardOrder { // in a shard without sentences there was no backward pass
		o.complete(l)
	}
	waits := len(o.parts)
	if len(rows) > 0 {
		o.queue.ReduceScatter(rows)
		o.queue.AllGather(rows)
		waits += 2
	}
	for range waits {
		o.err = cmp.Or(o.err, o.queue.Wait())
	}
	o.queue.Stop()
	return o.err
}

// sumSquares returns the sum of squares of the dense gradients, added as kernels.Impl.SumSquares adds it.
// Each rank computes that of the blocks in its share.
func (o *overlap) sumSquares(k kernels.Impl) (sum float64, err error) {
	clear(o.squares)
	for _, p := range o.parts {
		from, to := o.group.Share(p.to - p.from)
		first := (p.from + from) / collective.Block
		o.task = squaresOfBlocks{o.gradient[p.from+from : p.from+to], o.squares[first:]}
		k.Divide(&o.task, (to-from+collective.Block-1)/collective.Block, kernels.CostMove*(to-from))
	}
	if err := o.group.AllReduce(k, o.squares); err != nil {
		o.err = err
		return 0, err
	}
	for _, s := range o.squares {
		sum += float64(s)
	}
	return sum, nil
}

// A squaresOfBlocks is a task on blocks of values.
type squaresOfBlocks struct{ values, sums []float32 }

func (t *squaresOfBlocks) Run(k kernels.Impl, from, to int) {
	for i := from; i < to; i++ {
		block := t.values[i*collective.Block : min((i+1)*collective.Block, len(t.values))]
		t.sums[i] = float32(k.SumSquares(block))
	}
}

// Finish completes the last update of a trainer that has joined a group. Update leaves the exchange of most
// gradients, and the step with them, to the next Update. All ranks must call Finish before one of them
// uses the model or calls Save. Without a group, and after Finish, there is nothing to do. The error is one of
// the transport.
func (t *Trainer) Finish() error {
	o := t.gradients.overlap
	if o.pending() && o.err == nil {
		o.begin()
		o.finish(outputLayer, false)
		o.queue.Stop()
	}
	return t.checkFinished()
}

// checkFinished returns the error of an update that is not finished.
func (t *Trainer) checkFinished() error {
	o := t.gradients.overlap
	switch {
	case o == nil:
		return nil
	case o.err == nil && o.pending():
		return errUnfinished
	}
	return o.err
}
