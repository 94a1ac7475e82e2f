package model

import (
	"errors"
	"fmt"
	"math"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model/collective"
	"github.com/softsearch-go/softsearch/model/text"
)

// Hyperparameters say how to train a model. The zero value is the paper's: Adadelta without
// regularization or averaging.
type Hyperparameters struct {
	Adam           *Adam   `json:"adam,omitempty"` // nil: Adadelta (Zeiler, 2012) with ρ 0.95 and ε 1e-6
	Dropout        Dropout `json:"dropout"`
	LabelSmoothing float64 `json:"label_smoothing"`   // ε in [0, 1): the target distribution is 1-ε on the correct word plus ε/V on each of V words
	Average        float64 `json:"average,omitempty"` // d in [0, 1): decay of the moving average of the weights (see Trainer.Model); 0: no average
	Seed           uint64  `json:"seed"`              // of the dropout masks

	// GuidedAlignment is the weight λ ≥ 0 of the links of the examples (Chen et al., 2016): training minimizes
	// the loss plus λ Σ_i -log(Σ_{j∈A_i} α_ij / |A_i|), over the target words i that have links, to the source
	// words A_i. 0 ignores links. RNNencdec has no weights to guide.
	GuidedAlignment float64 `json:"guided_alignment,omitempty"`

	// Precision applies to the factors of products: Float32, or BF16, which takes a fraction of the
	// time on processors with instructions for it. Sums, weights, gradients, the optimizer and
	// everything but products stay float32 (see kernels.Impl.Linear for the order of the sums).
	Precision Precision `json:"precision,omitempty"`

	// Shards is the number V of shards, a power of two, that a batch is divided into: sentence i is in
	// shard i mod V. The gradients of the shards are added along a binary tree, which up to V processes
	// can share with the same bits (see Trainer.Join). 0 is 1.
	Shards int `json:"shards,omitempty"`
}

// maxGuidance bounds Hyperparameters.GuidedAlignment.
const maxGuidance = 1 << 10

// Check returns an error that wraps ErrConfig if a setting is out of its range.
func (h Hyperparameters) Check() error {
	if h.Adam != nil {
		if err := h.Adam.Check(); err != nil {
			return err
		}
	}
	if h.Precision != Float32 && h.Precision != BF16 {
		return fmt.Errorf("%w: precision %.80q, expected %q, or none for float32", ErrConfig, h.Precision, BF16)
	}
	if err := h.checkShards(); err != nil {
		return err
	}
	if w := h.GuidedAlignment; !(w >= 0 && w <= maxGuidance) {
		return fmt.Errorf("%w: weight %v of guided alignment, expected 0 to %d", ErrConfig, w, maxGuidance)
	}
	if err := h.Dropout.check(); err != nil {
		return err
	}
	if err := checkProbability("label smoothing", h.LabelSmoothing); err != nil {
		return err
	}
	return checkProbability("moving average's decay", h.Average)
}

// ErrNotFinite is the error for gradients and scores with an infinity or a NaN.
var ErrNotFinite = errors.New("not finite")

// A Trainer updates the weights of a model with the gradient of the loss, summed over the words
// of a batch and scaled down to a norm of 1 if it is larger (the paper's appendix B.2).
type Trainer struct {
	kernels         kernels.Impl
	model           *Model
	hyperparameters Hyperparameters
	capacity        Capacity
	clip            float32     // maximum norm of the gradient
	weights         *Parameters // of products: the model's, or rounded
	matrices        []matrix    // of the model
	rounded         []matrix    // the same of weights
	network         *network
	gradients       *gradients
	shards          *shards
	smoothing       *labelSmoothing
	optimizer       optimizer
	average         *movingAverage
	updates         int // so far; numbers the dropout masks of the next one
}

// NewTrainer returns a trainer that updates m by h, for batches up to capacity. From
// then on only Update and Load may change m, and nobody else may use m while they run.
//
// Update divides its work among the threads of k's team, if k has one (see kernels.Impl.With).
// The team must serve nobody else meanwhile; whoever created it closes it. The error wraps
// ErrConfig, also where TrainerBytes exceeds what this machine can address.
func NewTrainer(k kernels.Impl, m *Model, h Hyperparameters, capacity Capacity) (*Trainer, error) {
	if err := m.Check(); err != nil {
		return nil, err
	}
	if err := m.Config.checkTraining(); err != nil {
		return nil, err
	}
	if err := h.Check(); err != nil {
		return nil, err
	}
	if m.Config.Kind == RNNencdec && h.GuidedAlignment > 0 {
		return nil, fmt.Errorf("%w: guided alignment of a model of kind %s, expected %s", ErrConfig, RNNencdec, RNNsearch)
	}
	if err := capacity.Check(); err != nil {
		return nil, err
	}
	if err := checkBytes(TrainerBytes(m.Config, h, capacity)); err != nil {
		return nil, err
	}
	t := newTrainer(nil, k, m, h, capacity)
	t.prepare()
	return t, nil
}

func newTrainer(a *allocator, k kernels.Impl, m *Model, h Hyperparameters, capacity Capacity) *Trainer {
	c, count := m.Config, max(1, h.Shards)
	if count == 1 {
		h.Shards = 0 // as in a checkpoint
	}
	rows, room := vectorLen(c, count, capacity, c.sizes().used-m.Parameters.embeddings)
	shard := capacity
	shard.Sentences = shardSize(capacity.Sentences, count)
	t := &Trainer{
		kernels: k.Using(newTrainingScratch(a, c, h.Precision, shard)), model: m, hyperparameters: h, capacity: capacity, clip: 1,
		weights:   m.Parameters,
		gradients: newGradients(a, c, h.Precision, rows),
		shards:    newShards(a, collective.Alone(), count, capacity.Sentences, room),
		smoothing: newLabelSmoothing(h.LabelSmoothing, c.TargetVocab), average: newMovingAverage(a, h.Average, m),
	}
	t.network = newNetwork(a, c, shard, true)
	t.network.decoder.attention.guidance.weight = float32(h.GuidedAlignment)
	if h.Precision == BF16 {
		t.weights = newRounded(a, c, m.Parameters)
	}
	t.matrices, t.rounded = m.Parameters.matrices(c, t.gradients.transposed), t.weights.matrices(c, nil)
	if h.Adam != nil {
		t.optimizer = newAdam(a, *h.Adam, c, m.Parameters, t.gradients)
	} else {
		t.optimizer = newAdadelta(a, c, m.Parameters, t.gradients)
	}
	return t
}

// TrainerBytes returns the size in bytes of the buffers that NewTrainer allocates for a model of
// configuration c, in addition to the model itself. It returns math.MaxInt64 if that overflows or
// if an argument does not pass its Check. The result excludes what ScorerBytes excludes.
func TrainerBytes(c Config, h Hyperparameters, capacity Capacity) int64 {
	if c.checkTraining() != nil || h.Check() != nil || capacity.Check() != nil {
		return math.MaxInt64
	}
	m := &Model{Config: c, Parameters: newParameters(&allocator{}, c)}
	a := &allocator{}
	newTrainer(a, kernels.Impl{}, m, h, capacity)
	return a.bytes
}

// Updates returns the number of updates so far, including those before a loaded checkpoint.
func (t *Trainer) Updates() int { return t.updates }

// Model returns the model to validate, to translate with and to save. Without Hyperparameters.Average that
// is the model in training. With a decay d = Hyperparameters.Average > 0 it shares everything with that
// model except the weights, which are a moving average of the trained ones: after update t,
// counted from 1, which leaves weights w_t,
//
//	a_t = a_{t-1} + (1-d_t)·(w_t-a_{t-1})     d_t = min(d, (t-1)/(t+9))
//
// Since d_1 = 0, the initial weights have no share in any a_t. Every call returns the same model.
// Update and Load change it; nobody else may use it while they run.
func (t *Trainer) Model() *Model {
	if t.average != nil {
		return t.average.model
	}
	return t.model
}

// Update takes one step on a batch and returns the loss before the step: -log p of all target
// words, summed, with dropout but without label smoothing and guided alignment. The error wraps ErrExample,
// ErrCapacity or, if the gradient is not finite, ErrNotFinite, or is one of the transport of a group;
// it leaves the weights and their average unchanged.
func (t *Trainer) Update(batch []text.Example) (loss float64, err error) {
	if err := t.model.Config.checkBatch(batch, t.capacity); err != nil {
		return 0, err
	}
	if loss, err = t.gradient(batch); err != nil {
		return 0, err
	}
	norm := t.gradients.norm(t.kernels)
	if math.IsNaN(float64(norm)) || math.IsInf(float64(norm), 0) {
		return loss, fmt.Errorf("gradient of norm %v: %w", norm, ErrNotFinite)
	}
	scale := float32(1)
	if norm > t.clip {
		scale = t.clip / norm
	}
	t.optimizer.update(t.kernels, scale)
	t.updates++
	t.average.update(t.kernels, t.updates)
	t.prepare()
	return loss, nil
}

// prepare computes what products read from the weights.
func (t *Trainer) prepare() {
	for i, q := range t.matrices {
		if w := t.rounded[i].weights; w != q.weights {
			t.kernels.RoundPackedBF16(w.BF16, q.weights.Float32)
		}
		t.kernels.LinearTranspose(*q.transposed, q.weights.Float32)
	}
}
