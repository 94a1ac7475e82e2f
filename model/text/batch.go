package text

import (
	"cmp"
	"slices"

	"github.com/softsearch-go/softsearch/model/internal/random"
)

const (
	badBatch    = "text: batch size < 1"
	badSeek     = "text: Seek: no such batch"
	badExamples = "text: NewBatcher: no examples"
)

// groupBatches is the number of batches that are sorted by length together. Appendix B.2 of
// Bahdanau et al. (2014) fetches 1,600 pairs, sorts them and splits them into 20 batches.
const groupBatches = 20

// An Example is a pair of sentences in ids, each with its EOS at the end.
type Example struct{ Source, Target []int32 }

// Examples encodes pairs.
func Examples(pairs []Pair, source, target *Vocabulary) []Example {
	examples := make([]Example, len(pairs))
	for i, p := range pairs {
		examples[i] = Example{source.Encode(p.Source), target.Encode(p.Target)}
	}
	return examples
}

// length is the key by which examples are sorted.
func (e Example) length() int { return max(len(e.Source), len(e.Target)) }

// A Batcher hands out examples for training, epoch after epoch without end.
//
// At the start of an epoch it shuffles all examples. Then it takes 20 batches of them at a
// time, sorts these by the length of the longer side, splits them, and returns the 20
// batches in random order. The last group of an epoch has what is left, so one of its
// batches may be smaller; no batch has examples of two epochs.
//
// The authors of the paper shuffle once, before the first epoch. Here the order of an epoch
// follows from the seed and the number of the epoch.
type Batcher struct {
	examples []Example
	batch    int
	seed     uint64

	random random.Generator
	epoch  int
	order  []int // the examples in the order of this epoch
	next   int   // where in order the next group begins
	group  []int // the group in work, sorted by length: a part of order
	turns  []int // the batches of the group, in the order in which they are returned
	turn   int   // the next of them

	buffer []Example // what Next returned
}

// NewBatcher returns a Batcher of batches of batch examples. It keeps examples, which must
// not change afterwards. It panics if there are none or if batch < 1.
func NewBatcher(examples []Example, batch int, seed uint64) *Batcher {
	if len(examples) == 0 {
		panic(badExamples)
	}
	if batch < 1 {
		panic(badBatch)
	}
	batch = min(batch, len(examples))
	return &Batcher{
		examples: examples,
		batch:    batch,
		seed:     seed,
		order:    make([]int, len(examples)),
		turns:    make([]int, 0, groupBatches),
		buffer:   make([]Example, 0, batch),
	}
}

// Next returns the next batch, sorted by length. The slice is valid until the next call;
// the examples in it are those given to NewBatcher. Next does not allocate.
func (b *Batcher) Next() []Example {
	if b.turn == len(b.turns) {
		b.fetch()
	}
	start := b.turns[b.turn] * b.batch
	b.turn++
	b.buffer = b.buffer[:0]
	for _, i := range b.group[start:min(start+b.batch, len(b.group))] {
		b.buffer = append(b.buffer, b.examples[i])
	}
	if b.turn == len(b.turns) && b.next == len(b.order) {
		b.epoch++
		b.next = 0
	}
	return b.buffer
}

// Seek makes Next go on with that batch of that epoch, as if it had returned all those before.
// It panics if the epoch has no such batch.
func (b *Batcher) Seek(epoch, batch int) {
	if epoch < 0 || batch < 0 || batch >= b.BatchesPerEpoch() {
		panic(badSeek)
	}
	b.epoch, b.next, b.turn, b.turns = epoch, 0, 0, b.turns[:0]
	for range batch {
		b.Next()
	}
}

// Epoch returns the number of complete passes over the examples. It counts a pass when
// Next returns its last batch.
func (b *Batcher) Epoch() int { return b.epoch }

// BatchesPerEpoch returns the number of batches in one pass over the examples.
func (b *Batcher) BatchesPerEpoch() int { return batches(len(b.examples), b.batch) }

// batches returns the number of batches that n examples fill, the last one perhaps in part.
func batches(n, batch int) int { return (n-1)/batch + 1 }

// fetch prepares the next group.
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
	b.turns = ascending(b.turns[:batches(len(b.group), b.batch)])
	b.random.Shuffle(b.turns)
	b.turn = 0
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

// SortedBatches returns all examples once, in batches of batch, the last one perhaps
// smaller, sorted by the length of the longer side. Equal lengths stay in their order. It
// leaves examples as it is, and panics if batch < 1.
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
