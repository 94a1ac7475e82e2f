package model

import (
	"fmt"
	"hash/fnv"
	"math/bits"
	"strconv"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model/collective"
	"github.com/softsearch-go/softsearch/model/text"
)

// maxShards bounds Hyperparameters.Shards.
const maxShards = 1 << 10

func (h Hyperparameters) checkShards() error {
	if n := h.Shards; n < 0 || n > maxShards || n&(n-1) != 0 {
		return fmt.Errorf("%w: %d shards, expected a power of two up to %d", ErrConfig, n, maxShards)
	}
	return nil
}

// shards compute the gradient of a batch as the sum of the gradients of its shards, along the binary
// tree whose leaves are the shards in order. This rank has the shards of one subtree.
type shards struct {
	group    *collective.Group
	from, to int            // of this rank
	total    int            // of all ranks
	batch    []text.Example // one shard
	sums     []subtree      // sums[i], of 2^i shards, waits for the subtree to its right
}

// A subtree is the sum over the shards of a subtree.
type subtree struct {
	loss   float64
	vector []float32 // see gradients.vector
}

// newShards returns the shards of one rank. room is the largest length of a vector.
func newShards(a *allocator, group *collective.Group, total, sentences, room int) *shards {
	each := total / group.Size()
	s := &shards{
		group: group, from: group.Rank() * each, to: (group.Rank() + 1) * each, total: total,
		batch: allocate[text.Example](a, shardSize(sentences, total)),
	}
	for range bits.TrailingZeros(uint(each)) {
		s.sums = append(s.sums, subtree{vector: a.floats(room)})
	}
	return s
}

// shardSize returns the largest number of sentences in a shard.
func shardSize(sentences, shards int) int { return (sentences-1)/shards + 1 }

// of returns a shard of a batch: every total-th sentence, so that shards of a batch sorted by length
// take equally long. The last shards of a small batch are empty.
func (s *shards) of(batch []text.Example, shard int) []text.Example {
	s.batch = s.batch[:0]
	for i := shard; i < len(batch); i += s.total {
		s.batch = append(s.batch, batch[i])
	}
	return s.batch
}

// gradient computes the gradients of a batch and returns its loss, on every rank.
func (t *Trainer) gradient(batch []text.Example) (loss float64, err error) {
	k, g, s := t.kernels, t.gradients, t.shards
	g.begin(k, batch)
	if s.total == 1 {
		return t.shardGradient(0, batch), nil
	}
	var vector []float32
	for i := range s.to - s.from {
		if i > 0 {
			g.clear(k)
		}
		loss = 0
		if shard := s.of(batch, s.from+i); len(shard) > 0 {
			loss = t.shardGradient(s.from+i, shard)
		}
		vector = g.vector()
		level := bits.TrailingZeros(^uint(i)) // of the largest subtree that this shard completes
		for _, left := range s.sums[:level] {
			loss += left.loss
			s.group.Add(k, vector, left.vector[:len(vector)])
		}
		if level < len(s.sums) {
			s.sums[level].loss = loss
			copy(s.sums[level].vector, vector)
		}
	}
	if err := s.group.AllReduce(k, vector); err != nil {
		return 0, err
	}
	if loss, err = s.group.AllReduceFloat64(loss); err != nil {
		return 0, err
	}
	g.setRows(vector)
	return loss, nil
}

// shardGradient adds the gradients of a shard to t's and returns its loss. Shard 0 has the dropout of a
// batch that is not divided.
func (t *Trainer) shardGradient(shard int, examples []text.Example) float64 {
	seed := t.hyperparameters.Seed
	if shard > 0 {
		seed = splitMix(seed + uint64(shard)*golden)
	}
	m := t.hyperparameters.Dropout.masks(seed, t.updates)
	return t.network.gradient(t.kernels, t.weights, t.gradients, m, t.smoothing, examples)
}

// vectorLen returns the largest number of rows of embeddings in a batch times their size, and the
// length of a vector with as many. Without shards there is none.
func vectorLen(c Config, shards int, capacity Capacity, dense int) (rows, all int) {
	if shards == 1 {
		return 0, 0
	}
	source := min(c.SourceVocab, product(capacity.Sentences, capacity.SourceLength))
	target := min(c.TargetVocab, product(capacity.Sentences, capacity.TargetLength))
	rows = product(total(source, target), c.Embedding)
	return rows, total(dense, rows)
}

// Join makes t the trainer of one rank of a group. All ranks must join. From then on all call Update
// with the same batches: each computes the gradients of Hyperparameters.Shards / g.Size() shards, the ranks add
// them, and all take the same step, with the bits of one rank. Nobody else may use g during Update.
//
// Join compares configurations, hyperparameters and what the kernels compute, and gives every rank the weights
// and the state of rank 0, which may have loaded a checkpoint. The error wraps ErrConfig if g is nil or
// there are more ranks than shards, collective.ErrDiffers if the ranks differ, or is one of the transport.
func (t *Trainer) Join(g *collective.Group) error {
	if g == nil {
		return fmt.Errorf("%w: nil group", ErrConfig)
	}
	properties, err := t.properties()
	if err != nil {
		return err
	}
	if err := g.Compare(properties); err != nil {
		return err
	}
	if n := t.shards.total; n < g.Size() {
		return fmt.Errorf("%w: %d ranks, expected at most as many as shards, %d", ErrConfig, g.Size(), n)
	}
	_, room := vectorLen(t.model.Config, t.shards.total, t.capacity, len(t.gradients.dense()))
	t.shards = newShards(nil, g, t.shards.total, t.capacity.Sentences, room)
	updates, err := g.BroadcastBytes(strconv.AppendInt(nil, int64(t.updates), 10))
	if err != nil {
		return err
	}
	if t.updates, err = strconv.Atoi(string(updates)); err != nil {
		return err
	}
	for _, tensor := range t.state() {
		if err := g.Broadcast(tensor.Data); err != nil {
			return err
		}
	}
	t.optimizer.resume(t.updates)
	t.prepare()
	return nil
}

// properties returns what all ranks must have in common.
func (t *Trainer) properties() ([]collective.Property, error) {
	settings := map[string]string{}
	if err := putJSON(settings, t.settings()); err != nil {
		return nil, err
	}
	results, err := results(t.kernels.With(nil), t.hyperparameters)
	if err != nil {
		return nil, err
	}
	return []collective.Property{
		{Name: "configuration", Value: settings[keyConfig]}, {Name: "recipe", Value: settings[keyRecipe]},
		{Name: "hash of the kernels' results", Value: results},
	}, nil
}

// results returns a hash of the weights of a small model after two updates with the hyperparameters. Kernels that
// keep the numeric contract have the same.
func results(k kernels.Impl, r Hyperparameters) (string, error) {
	m, err := New(Config{
		Kind: RNNsearch, Order: UpdateFirst,
		SourceVocab: 40, TargetVocab: 50, Embedding: 37, Hidden: 45, Alignment: 41, Maxout: 19,
	}, 1)
	if err != nil {
		return "", err
	}
	batch := make([]text.Example, 5)
	for i := range batch {
		for j := range int32(7 + i) {
			batch[i].Source = append(batch[i].Source, (11*j+int32(i))%40)
			batch[i].Target = append(batch[i].Target, (13*j+int32(i))%50)
		}
	}
	t, err := NewTrainer(k, m, r, CapacityOf(batch, len(batch)))
	if err != nil {
		return "", err
	}
	for range 2 {
		if _, err := t.Update(batch); err != nil {
			return "", err
		}
	}
	h := fnv.New64a()
	for _, v := range m.Parameters.Values {
		fmt.Fprintf(h, "%x ", v)
	}
	return fmt.Sprintf("%016x", h.Sum64()), nil
}
