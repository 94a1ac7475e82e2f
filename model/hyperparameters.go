package model

import "fmt"

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
