package model

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model/internal/buffers"
	"github.com/softsearch-go/softsearch/model/text"
	"github.com/softsearch-go/softsearch/model/text/pipeline"
)

// ErrConfig is the error for a setting out of its range.
var ErrConfig = errors.New("invalid settings")

// A Kind is an architecture.
type Kind string

// The architectures: RNNsearch, and the RNNencdec baseline without attention.
const (
	RNNsearch Kind = "search"
	RNNencdec Kind = "encdec"
)

// An Order says which decoder state predicts a word.
type Order string

// The orders. In both, s_{i-1} is the query that yields c_i.
//
// UpdateFirst (section 3.1 of the paper): s_i = f(s_{i-1}, y_{i-1}, c_i), then p(y_i) from
// s_i, y_{i-1}, c_i. PredictFirst (the authors' program): p(y_i) from s_{i-1}, y_{i-1}, c_i,
// then s_i = f(s_{i-1}, y_i, c_i).
const (
	UpdateFirst  Order = "update-first"
	PredictFirst Order = "predict-first"
)

// An AlignmentModel scores how well a source position matches a decoder state. Package
// attention gives the equations.
type AlignmentModel string

// The alignment models. Additive is the paper's and has A units of its own. Dot and General are
// defined by Luong, Pham and Manning (2015, equation 8), where A = H. Dot has no weights. General
// multiplies the annotations by attention.Wa, H×2H.
const (
	Additive AlignmentModel = ""
	Dot      AlignmentModel = "dot"
	General  AlignmentModel = "general"
)

// A Precision is a type of weights or of the factors of products.
type Precision string

// The precisions. [New] makes weights of float32, which a Trainer needs, and [Model.Quantize] converts them
// to int8. BF16, bfloat16, is one for the products of a training alone: see [Hyperparameters].
const (
	Float32 Precision = ""
	Int8    Precision = "int8"
	BF16    Precision = "bf16"
)

// A Config is the architecture and the sizes of a model. RNNencdec has no alignment model: its
// AlignmentModel must be Additive, the zero value, and its Alignment in range, though unused.
type Config struct {
	Kind           Kind           `json:"kind"`
	Order          Order          `json:"order"`
	AlignmentModel AlignmentModel `json:"score,omitempty"`
	SourceVocab    int            `json:"source_vocab"` // size of the source vocabulary, special words included
	TargetVocab    int            `json:"target_vocab"` // V: size of the target vocabulary, special words included
	Embedding      int            `json:"embedding"`    // E: size of a word embedding
	Hidden         int            `json:"hidden"`       // H: units of each GRU
	Alignment      int            `json:"alignment"`    // A: units of the alignment model; H for Dot and General
	Maxout         int            `json:"maxout"`       // L: maxout units, each the maximum of two values
	Weights        Precision      `json:"weights,omitempty"`
}

// Check returns an error that wraps ErrConfig if a setting is out of its range, or if the
// parameters take more memory than this machine can address.
func (c Config) Check() error {
	if c.Kind != RNNsearch && c.Kind != RNNencdec {
		return fmt.Errorf("%w: kind %.80q, expected %q or %q", ErrConfig, c.Kind, RNNsearch, RNNencdec)
	}
	if c.Order != UpdateFirst && c.Order != PredictFirst {
		return fmt.Errorf("%w: order %.80q, expected %q or %q", ErrConfig, c.Order, UpdateFirst, PredictFirst)
	}
	if c.Weights != Float32 && c.Weights != Int8 {
		return fmt.Errorf("%w: weights %.80q, expected %q, or none for float32", ErrConfig, c.Weights, Int8)
	}
	const maxSize = 1 << 24
	for _, size := range []struct {
		name  string
		value int
	}{
		{"source vocabulary", c.SourceVocab}, {"target vocabulary", c.TargetVocab},
		{"embedding", c.Embedding}, {"hidden", c.Hidden}, {"alignment", c.Alignment}, {"maxout", c.Maxout},
	} {
		if size.value < 1 || size.value > maxSize {
			return fmt.Errorf("%w: %s of %d, expected 1 to %d", ErrConfig, size.name, size.value, maxSize)
		}
	}
	if err := c.checkAlignmentModel(); err != nil {
		return err
	}
	if widest := max(c.Embedding, c.context(), c.Maxout); c.Weights == Int8 && widest > kernels.MaxInt8Inputs {
		return fmt.Errorf("%w: %d inputs of a product with int8 weights, expected at most %d", ErrConfig, widest, kernels.MaxInt8Inputs)
	}
	if weights, bytes := c.count(); int64(bytes) > buffers.MaxBytes {
		return fmt.Errorf("%w: %d parameters, expected at most %d bytes with padding", ErrConfig, weights, int64(buffers.MaxBytes))
	}
	return nil
}

// checkTraining is Check that also refuses weights that cannot be trained.
func (c Config) checkTraining() error {
	if err := c.Check(); err != nil {
		return err
	}
	if c.Weights != Float32 {
		return fmt.Errorf("%w: weights of %s cannot be trained, expected float32", ErrConfig, c.Weights)
	}
	return nil
}

func (c Config) checkAlignmentModel() error {
	switch {
	case c.AlignmentModel != Additive && c.AlignmentModel != Dot && c.AlignmentModel != General:
		return fmt.Errorf("%w: alignment model %.80q, expected %q, %q or none for the additive one", ErrConfig, c.AlignmentModel, Dot, General)
	case c.AlignmentModel != Additive && c.Kind != RNNsearch:
		return fmt.Errorf("%w: alignment model %q of kind %q, expected none", ErrConfig, c.AlignmentModel, c.Kind)
	case c.AlignmentModel != Additive && c.Alignment != c.Hidden:
		return fmt.Errorf("%w: alignment of %d for alignment model %q, expected %d as hidden", ErrConfig, c.Alignment, c.AlignmentModel, c.Hidden)
	}
	return nil
}

// context returns the size of an annotation, [→h_j; ←h_j] or →h_j for RNNencdec, and of a context
// vector.
func (c Config) context() int {
	if c.Kind == RNNsearch {
		return 2 * c.Hidden
	}
	return c.Hidden
}

// positions returns the number of positions that the decoder attends to in a source of that
// length. RNNencdec has a single one, the last.
func (c Config) positions(length int) int {
	if c.Kind == RNNencdec {
		return 1
	}
	return length
}

// sums returns the number of pre-activations in a decoder row: z, r, h̃ and the readout.
func (c Config) sums() int { return 3*c.Hidden + 2*c.Maxout }

// A Model is a configuration and its weights. A model that translates text also has the
// vocabularies and pipelines of both languages; one that is used with ids alone has none. The
// zero Pipeline is for text that is already tokenized.
type Model struct {
	Config     Config
	Parameters *Parameters
	Source     *text.Vocabulary
	Target     *text.Vocabulary
	SourceText pipeline.Pipeline
	TargetText pipeline.Pipeline

	// LongestSource is the number of words, EOS not counted, of the longest source sentence that
	// the weights have learned from, or 0 if that is unknown. Files keep it, training does not set
	// it. At most math.MaxInt32.
	LongestSource int

	// Search says how the model is best searched for translations. Files keep it, training does not set it.
	Search Search
}

// Search is how translations of a model are found and judged. Zeros are unknown.
type Search struct {
	Beam          int     `json:"beam"`
	Prune         float64 `json:"prune,omitzero"`  // how far the log p of a hypothesis may be below that of the best one
	Normalization float64 `json:"normalization"`   // the power of the length by which log p is divided, at most 10
	Unsure        float64 `json:"unsure,omitzero"` // a translation with a lower mean log p of an id is likely a bad one
}

func (s Search) check() error {
	if s.Beam < 0 || !(s.Prune >= 0 && s.Prune <= math.MaxFloat64) || !(s.Normalization >= 0 && s.Normalization <= 10) ||
		!(s.Unsure >= -math.MaxFloat64 && s.Unsure <= 0) {
		return fmt.Errorf("%w: search %+v, expected a beam and prune of 0 or more, normalization 0 to 10 and a mean log p of at most 0", ErrConfig, s)
	}
	return nil
}

// New returns a model with the initial weights of appendix B.1 of the paper, drawn from seed:
// recurrent matrices are orthogonal, Wa and Ua are N(0, 0.001²), va and biases are 0, and all
// others are N(0, 0.01²). Wa of General is N(0, 0.001²), too. Attention starts out uniform:
// exactly for Additive, where va is 0, and nearly for Dot and General, whose scores are products
// of states that are small at first. The error wraps ErrConfig.
func New(c Config, seed uint64) (*Model, error) {
	if err := c.checkTraining(); err != nil {
		return nil, err
	}
	m := &Model{Config: c, Parameters: newParameters(nil, c)}
	for i, t := range m.Parameters.tensors(c) {
		t.write(initialValues(t, rand.New(rand.NewPCG(seed, uint64(i)))))
	}
	return m, nil
}

// Check returns an error that wraps ErrConfig if m cannot be used: if m is nil, its Config does not
// pass its own Check, its Parameters do not come from New or a file for that Config, a vocabulary
// has another size, or LongestSource or Search is out of its range.
func (m *Model) Check() error {
	if m == nil {
		return fmt.Errorf("%w: nil model", ErrConfig)
	}
	c := m.Config
	if err := c.Check(); err != nil {
		return err
	}
	if err := m.Parameters.check(c); err != nil {
		return err
	}
	for _, v := range []struct {
		side   string
		words  *text.Vocabulary
		expect int
	}{{"source", m.Source, c.SourceVocab}, {"target", m.Target, c.TargetVocab}} {
		if v.words != nil && v.words.Size() != v.expect {
			return fmt.Errorf("%w: %s vocabulary of %d words, expected %d", ErrConfig, v.side, v.words.Size(), v.expect)
		}
	}
	if n := m.LongestSource; n < 0 || n > math.MaxInt32 {
		return fmt.Errorf("%w: longest source sentence of %d words, expected 0 to %d", ErrConfig, n, math.MaxInt32)
	}
	return m.Search.check()
}

// HasAlignments reports whether translations by m have alignments.
func (m *Model) HasAlignments() bool { return m.Config.Kind == RNNsearch }

// Encode returns the ids of a line's words, then EOS: SourceText reads the line as words and
// [Model.EncodeWords] numbers them. Any bytes are valid. Without a vocabulary it returns nil, which nothing
// accepts as a sentence.
func (m *Model) Encode(line string) []int32 {
	if m.Source == nil {
		return nil
	}
	return m.EncodeWords(m.SourceText.Read(line, nil).Words)
}

// EncodeWords returns the ids of a source's words, as SourceText reads a line, then EOS. Without a
// vocabulary it returns nil.
func (m *Model) EncodeWords(words []string) []int32 {
	if m.Source == nil {
		return nil
	}
	return m.Source.Encode(words)
}

// Decode returns the line that TargetText writes of the words of ids up to the first EOS, if
// there is one. An id that is not in Target becomes "<unk>". Without a vocabulary the line is
// empty.
func (m *Model) Decode(ids []int32) string {
	if m.Target == nil {
		return ""
	}
	return m.TargetText.Write(m.Target.Decode(ids), pipeline.Reading{}).Line
}
