package text

import (
	"cmp"
	"math"
	"slices"

	"github.com/softsearch-go/softsearch/model/internal/portable"
)

const (
	badCorpus   = "text: nil corpus"
	badEncode   = "text: Examples: nil vocabulary"
	badBatch    = "text: batch size < 1"
	badWords    = "text: limit of words < 0"
	badSeek     = "text: Seek: batch out of range"
	badExamples = "text: no examples, or more than 2³²-1"
)

// groupBatches is the number of batches sorted by length together. Appendix B.2 of Bahdanau et al.
// (2014) fetches 1,600 pairs, sorts them by length and splits them into 20 batches.
const groupBatches = 20

// An Example is a pair of sentences as ids, each ending with EOS.
type Example struct {
	Source, Target []int32

	// Links align words for guided alignment (see the recipe of package model): each is the position of a
	// target word and then the position of a source word, both from 0. They ascend. nil for a pair without any.
	Links []int32
}

// Examples encodes pairs with the vocabularies. It panics if one of them is nil.
func Examples(pairs []Pair, source, target *Vocabulary) []Example {
	if source == nil || target == nil {
		panic(badEncode)
	}
	examples := make([]Example, len(pairs))
	for i, p := range pairs {
		examples[i] = Example{Source: source.Encode(p.Source), Target: target.Encode(p.Target)}
	}
	return examples
}

// length is the sort key of examples: the length of the longer side.
func (e Example) length() int { return max(len(e.Source), len(e.Target)) }

// A Corpus holds examples that may be read from a file as they are needed.
type Corpus interface {
	Len() int

	// Length returns the length of the longer side of example i, EOS included.
	Length(i int) int

	// Example returns example i. It may append its ids to memory, and returns the memory with them.
	Example(i int, memory []int32) (Example, []int32, error)
}

// inMemory is the corpus of a slice.
type inMemory []Example

func (c inMemory) Len() int         { return len(c) }
func (c inMemory) Length(i int) int { return c[i].length() }
func (c inMemory) Example(i int, memory []int32) (Example, []int32, error) {
	return c[i], memory, nil
}

// A Batcher returns batches of examples for training, epoch after epoch without end.
//
// At the start of an epoch it shuffles all examples. It then takes groups of 20 batches, sorts
// each group by the length of the longer side, splits it, and returns its batches in random order.
// The last group of an epoch has the remaining examples, so one of its batches may be smaller. No
// batch contains examples of two epochs. With a limit of words, a group is split into more batches,
// see [NewCorpusBatcher].
//
// The authors of the paper shuffle once, before the first epoch. Here the order of each epoch
// depends on the seed and the number of the epoch.
type Batcher struct {
	corpus Corpus
	batch  int // largest size of a batch
	words  int // largest number of words of a batch, 0 for no limit
	seed   uint64

	random  portable.Generator
	epoch   int
	order   []uint32 // indices of the examples in the order of this epoch
	drawn   bool     // whether order belongs to this epoch
	batches int      // in this epoch, once order is drawn
	next    int      // start of the next group in order

	group      []uint32 // the current group, sorted by length: a part of order
	starts     []int    // of the batches in group, and its length
	batchOrder []int    // the batches of the group in the order of their return
	nextBatch  int      // index in batchOrder

	buffer []Example // the batch that Next returned
	memory []int32   // its ids, of a corpus that does not hold them
	err    error     // of the corpus
}

// NewBatcher returns a Batcher with batches of batch examples. It keeps examples, which must not
// change afterwards. It panics if examples is empty or batch < 1.
func NewBatcher(examples []Example, batch int, seed uint64) *Batcher {
	return NewCorpusBatcher(inMemory(examples), batch, 0, seed)
}

// NewCorpusBatcher returns a Batcher with batches of batch examples, which it reads from the corpus
// when their turn comes; of each other one it keeps 4 bytes. Unless words is 0, batches of more than
// that many words have fewer examples, but at least one: an example counts as many words as its
// longer side has, EOS included. NewCorpusBatcher panics if the corpus is nil or has no examples or more
// than 2³²-1, batch < 1 or words < 0.
func NewCorpusBatcher(corpus Corpus, batch, words int, seed uint64) *Batcher {
	if corpus == nil {
		panic(badCorpus)
	}
	n := corpus.Len()
	if n == 0 || uint64(n) > math.MaxUint32 {
		panic(badExamples)
	}
	if batch < 1 {
		panic(badBatch)
	}
	if words < 0 {
		panic(badWords)
	}
	batch = min(batch, n)
	return &Batcher{
		corpus: corpus, batch: batch, words: words, seed: seed,
		order:      make([]uint32, n),
		starts:     make([]int, 0, groupBatches+1),
		batchOrder: make([]int, 0, groupBatches),
		buffer:     make([]Example, 0, batch),
	}
}

// Next returns the next batch, sorted by length, or nil if the corpus could not be read: then
// [Batcher.Err] has the error, and so for all later calls. The slice is valid until the next call, and
// so are its examples, except those of NewBatcher, with which it shares memory. Next does not allocate
// once its memory has the size of the longest batch.
func (b *Batcher) Next() []Example {
	group := b.advance()
	b.buffer, b.memory = b.buffer[:0], b.memory[:0]
	for _, i := range group {
		var e Example
		if b.err == nil {
			e, b.memory, b.err = b.corpus.Example(int(i), b.memory)
		}
		if b.err != nil {
			return nil
		}
		b.buffer = append(b.buffer, e)
	}
	return b.buffer
}

// Err returns the error of the corpus that ended the batches, or nil.
func (b *Batcher) Err() error { return b.err }

// advance returns the indices of the next batch and moves beyond it.
func (b *Batcher) advance() []uint32 {
	if b.nextBatch == len(b.batchOrder) {
		b.fetch()
	}
	i := b.batchOrder[b.nextBatch]
	b.nextBatch++
	if b.nextBatch == len(b.batchOrder) && b.next == len(b.order) {
		b.epoch++
		b.next, b.drawn = 0, false
	}
	return b.group[b.starts[i]:b.starts[i+1]]
}

// Seek sets the batch that Next returns next, by its epoch and its index in the epoch, both from 0.
// It panics if the epoch has no such batch.
func (b *Batcher) Seek(epoch, batch int) {
	if epoch < 0 || batch < 0 {
		panic(badSeek)
	}
	b.epoch, b.drawn, b.next, b.nextBatch, b.batchOrder = epoch, false, 0, 0, b.batchOrder[:0]
	if batch >= b.BatchesPerEpoch() {
		panic(badSeek)
	}
	for range batch {
		b.advance()
	}
}

// Epoch returns the number of complete passes over the examples. A pass is complete when Next has
// returned its last batch.
func (b *Batcher) Epoch() int { return b.epoch }

// BatchesPerEpoch returns the number of batches in one pass over the examples. With a limit of words
// that is the number in the current pass, which Epoch returns.
func (b *Batcher) BatchesPerEpoch() int {
	if b.words == 0 {
		return (len(b.order)-1)/b.batch + 1
	}
	b.draw()
	return b.batches
}

// Varies reports whether the number of batches may differ from epoch to epoch.
func (b *Batcher) Varies() bool { return b.words > 0 }

// fetch takes the next group and draws the order of its batches.
func (b *Batcher) fetch() {
	b.draw()
	b.group = b.groupAt(b.next)
	b.next += len(b.group)
	b.sort(b.group)
	b.split(b.group)
	n := len(b.starts) - 1
	b.batchOrder = ascending(slices.Grow(b.batchOrder[:0], n)[:n])
	portable.Shuffle(&b.random, b.batchOrder)
	b.nextBatch = 0
}

// groupAt returns the group that starts at an index in order.
func (b *Batcher) groupAt(start int) []uint32 {
	return b.order[start:min(start+groupBatches*b.batch, len(b.order))]
}

// draw draws the order of this epoch, once. With a limit of words it counts the batches.
func (b *Batcher) draw() {
	if b.drawn {
		return
	}
	b.drawn = true
	b.random.Seed(b.seed, uint64(b.epoch))
	portable.Shuffle(&b.random, ascending(b.order))
	if b.words == 0 {
		return
	}
	b.batches = 0
	for start := 0; start < len(b.order); {
		group := b.groupAt(start)
		start += len(group)
		b.sort(group)
		b.split(group)
		b.batches += len(b.starts) - 1
	}
}

func (b *Batcher) sort(group []uint32) {
	slices.SortStableFunc(group, func(i, j uint32) int {
		return cmp.Compare(b.corpus.Length(int(i)), b.corpus.Length(int(j)))
	})
}

// split sets starts to the beginnings of the batches of a sorted group.
func (b *Batcher) split(group []uint32) {
	b.starts = b.starts[:0]
	sentences, words := b.batch, 0 // the first example begins a batch
	for i, example := range group {
		length := 0
		if b.words > 0 {
			length = b.corpus.Length(int(example))
		}
		if sentences == b.batch || b.words > 0 && words+length > b.words && sentences > 0 {
			b.starts = append(b.starts, i)
			sentences, words = 0, 0
		}
		sentences++
		words += length
	}
	b.starts = append(b.starts, len(group))
}

// ascending sets s to 0, 1, 2 and so on.
func ascending[T int | uint32](s []T) []T {
	for i := range s {
		s[i] = T(i)
	}
	return s
}

// SortedBatches returns all examples once, in batches of batch examples, sorted by the length of
// the longer side. The sort is stable, and the last batch may be smaller. SortedBatches does not
// modify examples. It panics if batch < 1.
func SortedBatches(examples []Example, batch int) [][]Example {
	if batch < 1 {
		panic(badBatch)
	}
	sorted := slices.Clone(examples)
	slices.SortStableFunc(sorted, func(a, b Example) int {
		return cmp.Compare(a.length(), b.length())
	})
	return slices.Collect(slices.Chunk(sorted, batch))
}
