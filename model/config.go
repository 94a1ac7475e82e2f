package model

import (
	"errors"
	"fmt"

	"github.com/softsearch-go/softsearch/kernels"
)

// ErrConfig is the error for settings that no model can have.
var ErrConfig = errors.New("impossible settings")

// A Kind is an architecture.
type Kind string

// The architectures: RNNsearch, and the RNNencdec baseline without attention.
const (
	RNNsearch Kind = "search"
	RNNencdec Kind = "encdec"
)

// An Order says which decoder state a word is predicted from.
type Order string

// The orders. In both, c_i attends with s_{i-1}.
//
// UpdateFirst (section 3.1 of the paper): s_i = f(s_{i-1}, y_{i-1}, c_i), then p(y_i) from
// s_i, y_{i-1}, c_i. PredictFirst (the authors' program): p(y_i) from s_{i-1}, y_{i-1}, c_i,
// then s_i = f(s_{i-1}, y_i, c_i).
const (
	UpdateFirst  Order = "update-first"
	PredictFirst Order = "predict-first"
)

// A Config is the architecture and the sizes of a model.
type Config struct {
	Kind           Kind           `json:"kind"`
	Order          Order          `json:"order"`
	AlignmentModel AlignmentModel `json:"score,omitempty"`
	SourceVocab    int            `json:"source_vocab"` // words of the source language, with the special ones
	TargetVocab    int            `json:"target_vocab"` // words of the target language, with the special ones
	Embedding      int            `json:"embedding"`    // E: values of a word's embedding
	Hidden         int            `json:"hidden"`       // H: units of each GRU
	Alignment      int            `json:"alignment"`    // A: units of the alignment model, H but for Additive
	Maxout         int            `json:"maxout"`       // L: maxout units, each the larger of two
}

// Check returns an error that wraps ErrConfig for a setting that no model can have.
func (c Config) Check() error {
	if c.Kind != RNNsearch && c.Kind != RNNencdec {
		return fmt.Errorf("model: %w: kind %q, expected %q or %q", ErrConfig, c.Kind, RNNsearch, RNNencdec)
	}
	if c.Order != UpdateFirst && c.Order != PredictFirst {
		return fmt.Errorf("model: %w: order %q, expected %q or %q", ErrConfig, c.Order, UpdateFirst, PredictFirst)
	}
	const most = 1 << 24
	for _, size := range []struct {
		name  string
		value int
	}{
		{"source vocabulary", c.SourceVocab}, {"target vocabulary", c.TargetVocab},
		{"embedding", c.Embedding}, {"hidden", c.Hidden}, {"alignment", c.Alignment}, {"maxout", c.Maxout},
	} {
		if size.value < 1 || size.value > most {
			return fmt.Errorf("model: %w: %s of %d, expected 1 to %d", ErrConfig, size.name, size.value, most)
		}
	}
	return c.checkScore()
}

// context returns the values of a context vector and of an annotation.
func (c Config) context() int {
	if c.Kind == RNNsearch {
		return 2 * c.Hidden
	}
	return c.Hidden
}

// positions returns how many positions of a source of that length the decoder attends to.
func (c Config) positions(length int) int {
	if c.Kind == RNNencdec {
		return 1
	}
	return length
}

// newAlpha returns room for the weights of that many rows over a source of that length. Those of
// RNNencdec are 1 and stay so.
func (c Config) newAlpha(rows, length int) []float32 {
	alpha := kernels.Alloc(rows * c.positions(length))
	if c.Kind == RNNencdec {
		for i := range alpha {
			alpha[i] = 1
		}
	}
	return alpha
}

// sums returns the values that one row of the decoder sums up for z, r, h̃ and the readout.
func (c Config) sums() int { return 3*c.Hidden + 2*c.Maxout }
