package model

import (
	"fmt"
	"math"
	"slices"

	"github.com/softsearch-go/softsearch/model/text"
)

// Quantize returns a copy of m with matrices and embeddings of int8, each row with a scale of its own
// (see kernels.Impl.PackRowsInt8), and the same vectors; vocabularies and pipelines are shared. The copy
// translates, scores and aligns, but cannot be trained: see Dequantize. It returns an error that wraps ErrConfig if m
// does not pass its Check, its weights are not of float32, or a product has more than
// kernels.MaxInt8Inputs inputs, and one that wraps ErrNotFinite if a weight is an infinity or a NaN.
func (m *Model) Quantize() (*Model, error) {
	if err := m.Check(); err != nil {
		return nil, err
	}
	if m.Config.Weights != Float32 {
		return nil, fmt.Errorf("%w: weights of %s, expected float32", ErrConfig, m.Config.Weights)
	}
	q := *m
	q.Config.Weights = Int8
	if err := q.Config.Check(); err != nil {
		return nil, err
	}
	from := m.Parameters.tensors(m.Config)
	for _, t := range from {
		for _, v := range t.read() {
			if !(math.Abs(float64(v)) <= math.MaxFloat32) {
				return nil, fmt.Errorf("tensor %s: weight %v: %w", t.name, v, ErrNotFinite)
			}
		}
	}
	q.Parameters = newParameters(nil, q.Config)
	for i, t := range q.Parameters.tensors(q.Config) {
		t.write(from[i].read())
	}
	return &q, nil
}

// Dequantize returns a copy of a model of int8 with weights of float32, each its integer times the scale of its row,
// to train on. Vocabularies and pipelines are shared. It returns an error that wraps ErrConfig if m does not
// pass its Check or its weights are not of int8.
func (m *Model) Dequantize() (*Model, error) {
	if err := m.Check(); err != nil {
		return nil, err
	}
	if m.Config.Weights != Int8 {
		return nil, fmt.Errorf("%w: weights of float32, expected %s", ErrConfig, Int8)
	}
	d := *m
	d.Config.Weights = Float32
	d.Parameters = newParameters(nil, d.Config)
	from := m.Parameters.tensors(m.Config)
	for i, t := range d.Parameters.tensors(d.Config) {
		t.write(from[i].dequantized())
	}
	return &d, nil
}

// Average returns a model whose weights are the means over models, in float32; int8 is first
// dequantized. Vocabularies, pipelines and Search come from the first model, and LongestSource is the
// largest. Models of one training differ little in what they have learned, and a model between them can translate
// better than each (checkpoint averaging); one between a model and what a further training has made of it keeps more of
// what it knew (Wortsman et al., 2022). The error wraps ErrConfig if there are no models, one does not pass its Check, or
// one has another Config than the first but for Weights, other vocabularies or other pipelines.
func Average(models ...*Model) (*Model, error) {
	if len(models) == 0 {
		return nil, fmt.Errorf("%w: no models", ErrConfig)
	}
	list := make([][]tensor, len(models))
	var mean Model
	for i, m := range models {
		if err := m.Check(); err != nil {
			return nil, err
		}
		list[i] = m.Parameters.tensors(m.Config)
		c := m.Config
		c.Weights = Float32
		if i == 0 {
			mean = *m
			mean.Config = c
			continue
		}
		if what := m.differs(&mean, c); what != "" {
			return nil, fmt.Errorf("%w: model %d has %s, expected that of the first", ErrConfig, i+1, what)
		}
		mean.LongestSource = max(mean.LongestSource, m.LongestSource)
	}
	mean.Parameters = newParameters(nil, mean.Config)
	for i, t := range mean.Parameters.tensors(mean.Config) {
		var sums []float64
		for _, tensors := range list {
			values := tensors[i].dequantized()
			if sums == nil {
				sums = make([]float64, len(values))
			}
			for j, v := range values {
				sums[j] += float64(v)
			}
		}
		means := make([]float32, len(sums))
		for j, v := range sums {
			means[j] = float32(v / float64(len(models)))
		}
		t.write(means)
	}
	return &mean, nil
}

// differs returns what m has that is not as in another model, where c is the configuration of m in float32.
func (m *Model) differs(other *Model, c Config) string {
	switch {
	case c != other.Config:
		return "another configuration"
	case !slices.Equal(wordsOf(m.Source), wordsOf(other.Source)) || !slices.Equal(wordsOf(m.Target), wordsOf(other.Target)):
		return "another vocabulary"
	case !m.SourceText.Equal(other.SourceText) || !m.TargetText.Equal(other.TargetText):
		return "other text settings"
	}
	return ""
}

// wordsOf returns the words of a vocabulary, none without one.
func wordsOf(v *text.Vocabulary) []string {
	if v == nil {
		return nil
	}
	return v.Words()
}
