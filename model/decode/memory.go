package decode

import (
	"fmt"
	"math"
	"math/bits"
	"reflect"
	"slices"
	"sync"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/internal/buffers"
)

const (
	// batchRows is the number of hypotheses of a beam; more do not raise the throughput.
	batchRows = 96
	// batchLength is the number of ids of the sources for which a beam has room on average.
	batchLength = 64
	// joiningWords is the number of ids of all sources that are encoded at one step.
	joiningWords = 512
	// lengthStep is the number that the lengths of beams for longer sentences are multiples of.
	lengthStep = 64
)

// A capacity is the room of a beam, or what one task takes of it.
type capacity struct {
	sentences    int
	rows         int // hypotheses of all sentences
	joining      int // ids of the sources that are encoded at one step
	words        int // ids of all sources
	backpointers int // hypotheses of all steps of all sentences
	weights      int // α of all backpointers
}

// need returns the capacity for a search of that width for a source and translations of up to target
// ids. Sizes that overflow are math.MaxInt.
func need(width, source, target int, aligned bool) capacity {
	c := capacity{sentences: 1, rows: width, joining: source, words: source, backpointers: times(width, target)}
	if aligned {
		c.weights = times(c.backpointers, source)
	}
	return c
}

// times returns a·b, or math.MaxInt if that is less, for a, b ≥ 0.
func times(a, b int) int {
	if high, low := bits.Mul(uint(a), uint(b)); high == 0 && low <= math.MaxInt {
		return int(low)
	}
	return math.MaxInt
}

// plus returns the capacity for both c and d.
func (c capacity) plus(d capacity) capacity {
	return capacity{c.sentences + d.sentences, c.rows + d.rows, c.joining + d.joining, c.words + d.words, c.backpointers + d.backpointers, c.weights + d.weights}
}

// minus returns the capacity that is left of c without d.
func (c capacity) minus(d capacity) capacity {
	return capacity{c.sentences - d.sentences, c.rows - d.rows, c.joining - d.joining, c.words - d.words, c.backpointers - d.backpointers, c.weights - d.weights}
}

func (c capacity) within(d capacity) bool {
	return c.sentences <= d.sentences && c.rows <= d.rows && c.joining <= d.joining && c.words <= d.words && c.backpointers <= d.backpointers && c.weights <= d.weights
}

// steps returns the most steps of a search with that need.
func (c capacity) steps() int { return c.backpointers / c.rows }

// A ledger stands in for make where beams are made. A nil one allocates; any other adds up bytes, so that what a
// capacity costs follows from the constructors. The sum is a float64, which no size overflows.
type ledger struct{ bytes float64 }

// room returns n zeros.
func room[T any](l *ledger, n int) []T {
	if l == nil {
		return make([]T, n)
	}
	l.bytes += float64(float64(n) * float64(reflect.TypeFor[T]().Size()))
	return nil
}

func (l *ledger) floats(rows, cols int) []float32 {
	if l == nil {
		return kernels.Alloc(rows * cols)
	}
	l.bytes += float64(4 * float64(rows) * float64(cols))
	return nil
}

func (l *ledger) spans(n, size int) *buffers.Spans {
	if l == nil {
		return buffers.NewSpans(n, size)
	}
	l.bytes += float64(buffers.SpanBytes * float64(n))
	return nil
}

// bytes returns the size of a beam of that capacity.
func (t *Translator) bytes(c capacity) float64 {
	l := &ledger{}
	newBeam(l, t.options, t.models, c)
	return l.bytes
}

// aligns reports whether searches keep alignments where there is memory.
func (t *Translator) aligns() bool {
	return (!t.options.NoAlignments || t.options.ReplaceUNK) && slices.ContainsFunc(t.models, (*model.Model).HasAlignments)
}

// ordinaryCapacity returns the capacity of the beams for all sentences but long ones: batchRows hypotheses, or what
// the share of a worker in the memory has room for, possibly none.
func (t *Translator) ordinaryCapacity() capacity {
	width := t.options.Beam
	one := need(width, batchLength, t.options.maxLength(batchLength), t.aligns())
	for n := max(1, batchRows/width); n > 0; n-- {
		rows, words := times(n, width), n*batchLength
		c := capacity{
			sentences: rows, rows: rows, joining: min(words, joiningWords), words: words,
			backpointers: times(n, one.backpointers), weights: times(n, one.weights),
		}
		if t.bytes(c) <= t.share() {
			return c
		}
	}
	return capacity{}
}

// share returns the bytes of memory for each worker.
func (t *Translator) share() float64 { return float64(t.options.Memory) / float64(t.options.Threads) }

// capacityFor returns the need of a search for a source of that many ids and translations of up to
// target ids, and the capacity of the beams for it. If the sentence is too long for ordinary ones,
// that is a beam with room for it beside the others or, if that exceeds the share of a worker, for it
// alone. The error wraps ErrCapacity if the latter exceeds the memory, without alignments that nobody but
// ReplaceUNK wants.
func (t *Translator) capacityFor(width, source, target int) (search, beam capacity, err error) {
	search, beam, err = t.capacityWith(width, source, target, t.aligns())
	if err != nil && t.options.NoAlignments {
		return t.capacityWith(width, source, target, false)
	}
	return search, beam, err
}

// capacityWith is capacityFor with or without alignments.
func (t *Translator) capacityWith(width, source, target int, aligned bool) (search, beam capacity, err error) {
	search = need(width, source, target, aligned)
	if search.within(t.ordinary) {
		return search, t.ordinary, nil
	}
	beam = need(width, roundUp(source), roundUp(target), aligned)
	if memory := float64(t.options.Memory); t.bytes(beam) > memory {
		return search, beam, fmt.Errorf("source of %d words, beam of %d and translation of up to %d words take %.1f MiB: %w of %.1f MiB",
			source, width, target, t.bytes(beam)/(1<<20), model.ErrCapacity, memory/(1<<20))
	}
	all := beam.plus(t.ordinary)
	all.joining = max(beam.joining, t.ordinary.joining)
	if t.bytes(all) <= t.share() {
		beam = all
	}
	return search, beam, nil
}

// roundUp returns the smallest multiple of lengthStep that is at least n, for n ≥ 1, if it does not
// overflow.
func roundUp(n int) int {
	n = min(n, math.MaxInt-lengthStep)
	return n + (lengthStep - 1) - (n-1)%lengthStep
}

// A store lends beams to workers and keeps idle ones for reuse, within a limit of bytes.
type store struct {
	mutex   sync.Mutex
	changed sync.Cond
	limit   float64
	used    float64 // by all beams, lent or idle
	idle    []*beam // least recently used first
	next    int     // ticket of the next call of borrow
	served  int     // tickets that have been served
}

// borrow returns an idle beam of the capacity, or nil if the caller is to make one, for which it has
// reserved its size. If there is not enough memory, it reports false or waits until other workers restore theirs. Calls
// that wait are served in order, so that a large beam does not wait forever.
func (s *store) borrow(want capacity, size func(capacity) float64, wait bool) (b *beam, ok bool) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if !wait && s.next != s.served {
		return nil, false
	}
	ticket := s.next
	s.next++
	for ticket != s.served {
		s.changed.Wait()
	}
	defer func() {
		s.served++
		s.changed.Broadcast()
	}()
	for {
		if i := slices.IndexFunc(s.idle, func(b *beam) bool { return b.capacity == want }); i >= 0 {
			b := s.idle[i]
			s.idle = slices.Delete(s.idle, i, i+1)
			return b, true
		}
		bytes := size(want)
		for len(s.idle) > 0 && s.used+bytes > s.limit {
			s.drop()
		}
		if s.used+bytes <= s.limit {
			s.used += bytes
			return nil, true
		}
		if !wait {
			return nil, false
		}
		s.changed.Wait()
	}
}

// wanted reports whether a call of borrow waits for memory.
func (s *store) wanted() bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.next != s.served
}

// drop frees the least recently used idle beam.
func (s *store) drop() {
	s.used -= s.idle[0].bytes
	s.idle = slices.Delete(s.idle, 0, 1)
}

// restore takes a beam back and keeps at most maxIdle idle ones.
func (s *store) restore(b *beam, maxIdle int) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.idle = append(s.idle, b)
	if len(s.idle) > maxIdle {
		s.drop()
	}
	s.changed.Broadcast()
}
