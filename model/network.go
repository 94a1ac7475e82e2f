package model

import (
	"math"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model/text"
)

// A network computes the loss of a batch, from source sentences through encoder, memory, decoder
// and output, and the gradients of all weights on the way back. It has room for batches up to a
// capacity and keeps the results of the last one.
type network struct {
	encoder *encoder
	decoder *decoder
	output  *output
}

// newNetwork returns a network, with the buffers of the backward pass if it is for training.
func newNetwork(a *allocator, c Config, capacity Capacity, training bool) *network {
	sentences, length := capacity.Sentences, capacity.SourceLength
	mem := newMemory(a, c, sentences, product(sentences, c.positions(length)), training)
	return &network{
		encoder: newEncoder(a, c, sentences, length, product(sentences, length), mem, training),
		decoder: newDecoder(a, c, capacity, training),
		output:  newOutput(a, c, product(capacity.Sentences, capacity.TargetLength), training),
	}
}

// loss returns -log p of all target words of a batch, summed.
func (n *network) loss(k kernels.Impl, p *Parameters, batch []text.Example) float64 {
	mem := n.encoder.forward(k, p, masks{}, batch)
	units, gold := n.decoder.forward(k, p, masks{}, mem, batch)
	return n.output.loss(k, p, units, gold)
}

// gradient is loss with dropout that also adds the gradients of all weights to g, for targets
// with label smoothing. p may be rounded; then the gradients are those at the rounded weights.
func (n *network) gradient(k kernels.Impl, p *Parameters, g *gradients, m masks, s *labelSmoothing, batch []text.Example) float64 {
	mem := n.encoder.forward(k, p, m, batch)
	units, gold := n.decoder.forward(k, p, m, mem, batch)
	loss, dunits := n.output.backward(k, p, g, s, units, gold)
	n.decoder.attention.guidance.batch = batch
	n.decoder.backward(k, p, g, mem, dunits)
	n.encoder.backward(k, g)
	return loss
}

// targetLength returns the number of target words of sentence i of the last batch.
func (n *network) targetLength(i int) int { return n.decoder.layout.length[i] }

// logProbability returns log p of target word t of sentence i of the last batch.
func (n *network) logProbability(i, t int) float32 {
	return n.output.logProbabilities[n.decoder.layout.row(i, t)]
}

// alpha returns α of target word t of sentence i of the last batch.
func (n *network) alpha(i, t int) []float32 {
	return n.decoder.attention.alphaOf(n.decoder.layout.row(i, t), n.encoder.memory.positions(i))
}

// A Scorer computes the log-probabilities and alignments of given translations.
type Scorer struct {
	kernels   kernels.Impl
	model     *Model
	capacity  Capacity
	network   *network
	sentences int // in the last batch
}

// NewScorer returns a scorer for batches up to capacity. The error wraps ErrConfig, also where
// ScorerBytes exceeds what this machine can address.
func NewScorer(k kernels.Impl, m *Model, capacity Capacity) (*Scorer, error) {
	if err := m.Check(); err != nil {
		return nil, err
	}
	if err := capacity.Check(); err != nil {
		return nil, err
	}
	if err := checkBytes(ScorerBytes(m.Config, capacity)); err != nil {
		return nil, err
	}
	return newScorer(nil, k, m, capacity), nil
}

// ScorerBytes returns the size in bytes of the buffers that NewScorer allocates for a model of
// configuration c. It returns math.MaxInt64 if that overflows or if an argument does not pass its
// Check. The alignment of buffers, large ones to huge pages, and the rounding of the
// runtime are not included.
func ScorerBytes(c Config, capacity Capacity) int64 {
	if c.Check() != nil || capacity.Check() != nil {
		return math.MaxInt64
	}
	a := &allocator{}
	newScorer(a, kernels.Impl{}, &Model{Config: c}, capacity)
	return a.bytes
}

func newScorer(a *allocator, k kernels.Impl, m *Model, capacity Capacity) *Scorer {
	rows := product(capacity.Sentences, max(capacity.SourceLength, capacity.TargetLength))
	return &Scorer{
		kernels: k.Using(newScratch(a, m.Config, rows)), model: m, capacity: capacity,
		network: newNetwork(a, m.Config, capacity, false),
	}
}

// Loss returns -log p of all target words of a batch, summed (natural logarithm). The error wraps
// ErrExample or ErrCapacity and leaves the results of the last batch.
func (s *Scorer) Loss(batch []text.Example) (float64, error) {
	if err := s.model.Config.checkBatch(batch, s.capacity); err != nil {
		return 0, err
	}
	s.sentences = len(batch)
	return s.network.loss(s.kernels, s.model.Parameters, batch), nil
}

// LogProbabilities writes log p of each target word of sentence i of the last batch to dst and
// returns how many it wrote, at most len(dst). A sentence that is not in the batch has none.
func (s *Scorer) LogProbabilities(dst []float32, i int) int {
	n := min(len(dst), s.targetLength(i))
	for t := range n {
		dst[t] = s.network.logProbability(i, t)
	}
	return n
}

// Alignment writes the weights α of sentence i of the last batch to dst, a row for each target
// word and a column for each source word, and returns the number of rows, at most dst.Rows.
// RNNencdec has no weights.
func (s *Scorer) Alignment(dst kernels.Matrix, i int) int {
	if s.model.Config.Kind == RNNencdec {
		return 0
	}
	n := min(dst.Rows, s.targetLength(i))
	for t := range n {
		copy(dst.Row(t), s.network.alpha(i, t))
	}
	return n
}

// targetLength returns the number of target words of sentence i, 0 if the batch has no such
// sentence.
func (s *Scorer) targetLength(i int) int {
	if i < 0 || i >= s.sentences {
		return 0
	}
	return s.network.targetLength(i)
}
