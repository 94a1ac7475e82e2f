package text

import (
	"cmp"
	"slices"

	"github.com/softsearch-go/softsearch/model/internal/random"
)

const (
	badBatch    = "text: batch size < 1"
	badSeek     = "text: Seek: batch out of range"
	badExamples = "text: NewBatcher: no examples"
)

// groupBatches is the number of batches sorted by length together. Appendix B.2 of Bahdanau et al.
// (2014) fetches 1,600 pairs, sorts them by length and splits them into 20 batches.
const groupBatches = 20

// An Example is a pair of sentences as ids, each ending with EOS.
type Example struct{ Source, Target []int32 }

// Examples encodes pairs with the vocabularies.
func Examples(pairs []Pair, source, target *Vocabulary) []Example {
	examples := make([]Example, len(pairs))
	for i, p := range pairs {
		examples[i] = Example{source.Encode(p.Source), target.Encode(p.Target)}
	}
	return examples
}

// length is the sort key of examples: the length of the longer side.
func (e Example) length() int { return max(len(e.Source), len(e.Target)) }

// A Batcher returns batches of examples for training, epoch after epoch without end.
//
// At the start of an epoch it shuffles all examples. It then takes groups of 20 batches, sorts
// each group by the length of the longer side, splits it, and returns its batches in random order.
// The last group of an epoch has the remaining examples, so one of its batches may be smaller. No
// batch contains examples of two epochs.
//
// The authors of the paper shuffle once, before the first epoch. Here the order of each epoch
// depends on the seed and the number of the epoch.
type Batcher struct {
	examples []Example
	batch    int // size of a batch
	seed     uint64

	random random.Generator
	epoch  int
	order  []int // indices of the examples in the order of this epoch
	next   int   // start of the next group in order

	group      []int // the current group, sorted by length: a part of order
	batchOrder []int // the batches of the group in the order of their return
	nextBatch  int   // index in batchOrder

	buffer []Example // the batch that Next returned
}

// NewBatcher returns a Batcher with batches of batch examples. It keeps examples, which must not
// change afterwards. It panics if examples is empty or batch < 1.
func NewBatcher(examples []Example, batch int, seed uint64) *Batcher {
	if len(examples) == 0 {
		panic(badExamples)
	}
	if batch < 1 {
		panic(badBatch)
	}
	batch = min(batch, len(examples))
	return &Batcher{
		examples:   examples,
		batch:      batch,
		seed:       seed,
		order:      make([]int, len(examples)),
		batchOrder: make([]int, 0, groupBatches),
		buffer:     make([]Example, 0, batch),
	}
}

// Next returns the next batch, sorted by length. The slice is valid until the next call; its
// examples share memory with those given to NewBatcher. Next does not allocate.
func (b *Batcher) Next() []Example {
	if b.nextBatch == len(b.batchOrder) {
		b.fetch()
	}
	start := b.batchOrder[b.nextBatch] * b.batch
	b.nextBatch++
	b.buffer = b.buffer[:0]
	for _, i := range b.group[start:min(start+b.batch, len(b.group))] {
		b.buffer = append(b.buffer, b.examples[i])
	}
	if b.nextBatch == len(b.batchOrder) && b.next == len(b.order) {
		b.epoch++
		b.next = 0
	}
	return b.buffer
}

// Seek sets the batch that Next returns next, by its epoch and its index in the epoch, both from 0.
// It panics if the epoch has no such batch.
func (b *Batcher) Seek(epoch, batch int) {
	if epoch < 0 || batch < 0 || batch >= b.BatchesPerEpoch() {
		panic(badSeek)
	}
	b.epoch, b.next, b.nextBatch, b.batchOrder = epoch, 0, 0, b.batchOrder[:0]
	for range batch {
		b.Next()
	}
}

// Epoch returns the number of complete passes over the examples. A pass is complete when Next has
// returned its last batch.
func (b *Batcher) Epoch() int { return b.epoch }

// BatchesPerEpoch returns the number of batches in one pass over the examples.
func (b *Batcher) BatchesPerEpoch() int { return batches(len(b.examples), b.batch) }

// batches returns the number of batches of n examples, including a smaller last one.
func batches(n, batch int) int { return (n-1)/batch + 1 }

// fetch sorts the next group and draws the order of its batches.
func (b *Batcher) fetch() {
	if b.next == 0 {
		b.shuffle()
	}
	end := min(b.next+groupBatches*b.batch, len(b.order))
	b.group = b.order[b.next:end]
	b.next = end
	slices.SortStableFunc(b.group, func(i, j int) int {
		return cmp.Compare(b.examples[i].length(), b.examples[j].length())
	})
	b.batchOrder = ascending(b.batchOrder[:batches(len(b.group), b.batch)])
	b.random.Shuffle(b.batchOrder)
	b.nextBatch = 0
}

// shuffle draws the order of an epoch.
func (b *Batcher) shuffle() {
	b.random.Seed(b.seed, uint64(b.epoch))
	b.random.Shuffle(ascending(b.order))
}

// ascending sets s to 0, 1, 2 and so on.
func ascending(s []int) []int {
	for i := range s {
		s[i] = i
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
