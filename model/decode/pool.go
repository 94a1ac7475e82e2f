package decode

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model"
)

// A Pool translates lists of sentences on several threads, each with a Translator of its
// own. The list may have any number of sentences in any order: it is divided into batches
// within the capacity, of sentences of about the same length.
//
// A pool belongs to one goroutine, which is one of its threads. The others are goroutines
// that Translate starts and that end before it returns.
type Pool struct {
	capacity model.Capacity
	config   model.Config
	workers  []*worker

	ctx     context.Context
	list    []Sentence
	order   []int        // of list, by falling length of the source
	threads int          // that have sentences
	rounds  int          // in which they get one each
	groups  int          // of rounds; a thread's sentences of a group are a batch
	next    atomic.Int64 // batch
	running sync.WaitGroup

	mutex sync.Mutex
	f     func(i int, best []Translation) // called with the mutex held
	err   error                           // the last one, with the mutex held
}

// A worker is a thread of a pool.
type worker struct {
	translator *Beam
	places     []int // in the list, of the sentences of the batch
	batch      []Sentence
	run        func() // translates batches until none is left
}

// NewPool returns a pool of that many threads, each with a [NewBeam] of the other
// arguments. A team of k has no part in it. The error wraps ErrConfig.
func NewPool(k kernels.Impl, d Options, capacity model.Capacity, threads int, models ...*model.Model) (*Pool, error) {
	if threads < 1 {
		return nil, fmt.Errorf("model: %w: pool of %d threads, expected at least 1", model.ErrConfig, threads)
	}
	p := &Pool{capacity: capacity}
	for range threads {
		t, err := NewBeam(k.With(nil), d, capacity, models...)
		if err != nil {
			return nil, err
		}
		w := &worker{translator: t, places: make([]int, 0, capacity.Sentences), batch: make([]Sentence, 0, capacity.Sentences)}
		w.run = func() {
			defer p.running.Done()
			p.work(w)
		}
		p.workers = append(p.workers, w)
	}
	p.config = models[0].Config
	return p, nil
}

// Translate calls f with the translations of each sentence, list[i], which are what
// [Beam.Translate] makes of it. They are valid until f returns. The calls come in any
// order and from any thread, one at a time.
//
// It allocates only where a list is longer than all before. The error wraps ErrExample or
// ErrCapacity, in which case f has not been called, or another error of [Beam.Translate],
// in which case some sentences have no translations.
func (p *Pool) Translate(ctx context.Context, list []Sentence, f func(i int, best []Translation)) error {
	if err := p.check(list); err != nil {
		return err
	}
	if len(list) == 0 {
		return nil
	}
	p.divide(list)
	p.ctx, p.f, p.err = ctx, f, nil
	p.run()
	return p.err
}

// check returns an error for the first sentence that cannot be translated.
func (p *Pool) check(list []Sentence) error {
	for i, s := range list {
		if err := checkMaxLength(i, s, p.capacity); err != nil {
			return err
		}
		if err := p.config.CheckSource(i, s.Source, p.capacity.SourceLength); err != nil {
			return err
		}
	}
	return nil
}

// divide orders the sentences, the longest first, and forms groups of neighbours, as few as
// the capacity allows.
func (p *Pool) divide(list []Sentence) {
	p.list, p.order = list, p.order[:0]
	for i := range list {
		p.order = append(p.order, i)
	}
	slices.SortFunc(p.order, func(i, j int) int { return cmp.Compare(len(list[j].Source), len(list[i].Source)) })
	p.threads = min(len(p.workers), len(list))
	p.rounds = (len(list) + p.threads - 1) / p.threads
	p.groups = (p.rounds + p.capacity.Sentences - 1) / p.capacity.Sentences
	p.next.Store(0)
}

// run translates all batches.
func (p *Pool) run() {
	p.running.Add(p.threads - 1)
	defer p.running.Wait()
	for _, w := range p.workers[1:p.threads] {
		go w.run()
	}
	p.work(p.workers[0])
}

// work translates batches until none is left or one fails.
func (p *Pool) work(w *worker) {
	for p.take(w, int(p.next.Add(1))-1) {
		lists, err := w.translator.TranslateBatch(p.ctx, w.batch)
		if p.deliver(w.places, lists, err); err != nil {
			return
		}
	}
}

// take makes batch n the worker's and reports whether there is one. The sentences of a group
// are dealt out to its batches one by one, so that these take about the same time.
func (p *Pool) take(w *worker, n int) bool {
	group, first := n/p.threads, n%p.threads
	from, to := p.rounds*group/p.groups, p.rounds*(group+1)/p.groups
	w.places, w.batch = w.places[:0], w.batch[:0]
	for i := from*p.threads + first; i < min(to*p.threads, len(p.order)); i += p.threads {
		w.places = append(w.places, p.order[i])
		w.batch = append(w.batch, p.list[p.order[i]])
	}
	return len(w.batch) > 0
}

// deliver passes translations of the sentences at those places on.
func (p *Pool) deliver(places []int, lists [][]Translation, err error) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if err != nil {
		p.err = err
		return
	}
	for i, best := range lists {
		p.f(places[i], best)
	}
}
