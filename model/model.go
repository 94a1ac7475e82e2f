package model

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/softsearch-go/softsearch/model/text"
	"github.com/softsearch-go/softsearch/model/text/pipeline"
)

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
	Normalization float64 `json:"normalization"`   // the power of the length by which log p is divided, at most 10
	Unsure        float64 `json:"unsure,omitzero"` // a translation with a lower mean log p of an id is likely a bad one
}

func (s Search) check() error {
	if s.Beam < 0 || !(s.Normalization >= 0 && s.Normalization <= 10) || !(s.Unsure >= -math.MaxFloat64 && s.Unsure <= 0) {
		return fmt.Errorf("%w: search %+v, expected a beam of 0 or more, normalization 0 to 10 and a mean log p of at most 0", ErrConfig, s)
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
