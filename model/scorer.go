package model

import (
	"math"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model/text"
)

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
// Check. The alignment of buffers, that of several megabytes to huge pages, and the rounding of the
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
