package suite

import (
	"fmt"
	"hash/crc32"
	"math"

	"github.com/softsearch-go/softsearch/bench"
	"github.com/softsearch-go/softsearch/model/safetensors"
	"github.com/softsearch-go/softsearch/model/text"
)

// Uniform fills dst with the values of an operand, in [-limit, limit). Every worker, in whatever
// language, gives an operand the same ones: value i is
//
//	limit · (2·u - 1)    u = (mix(2³²·crc32(name) + i) >> 40) / 2²⁴
//
// with the mix of SplitMix64 (Steele, Lea and Flood, 2014) and the CRC-32 of IEEE 802.3.
func Uniform(dst []float32, name string, limit float32) {
	stream := uint64(crc32.ChecksumIEEE([]byte(name))) << 32
	for i := range dst {
		u := float32(mix(stream+uint64(i))>>40) / (1 << 24)
		dst[i] = limit * (2*u - 1)
	}
}

func mix(z uint64) uint64 {
	z = (z + 1) * 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

func (m *Memory) uniform(name string, n int, limit float32) []float32 {
	return Shared(m, name, func() []float32 {
		x := m.Floats(n)
		Uniform(x, name, limit)
		return x
	})
}

// W returns the Rows×Cols weights of a product, in [-1, 1).
func (m *Memory) W(c Case) []float32 { return m.uniform("W", c.Rows*c.Cols, 1) }

// X returns the Batch×Cols inputs of a product, of one row for a Gemv, in [-1, 1).
func (m *Memory) X(c Case) []float32 { return m.uniform("X", max(c.Batch, 1)*c.Cols, 1) }

// DY returns the Batch×Rows gradients of the results of a product, in [-1, 1).
func (m *Memory) DY(c Case) []float32 { return m.uniform("DY", c.Batch*c.Rows, 1) }

// Source returns the N elements of an elementwise operation or a softmax, in [-4, 4).
func (m *Memory) Source(c Case) []float32 { return m.uniform("source", c.N, 4) }

// Inputs returns the Source×Batch×Units inputs of a recurrent layer, in [-1, 1).
func (m *Memory) Inputs(c Case) []float32 { return m.uniform("X", c.Source*c.Batch*c.Units, 1) }

// State returns a tensor of a recurrent layer by its name in PyTorch, with values in [-1/√Units, 1/√Units).
func (m *Memory) State(c Case, name string) (shape []int, values []float32, err error) {
	rows := 3 * c.Units
	if c.Op == "LSTMLayer" {
		rows = 4 * c.Units
	}
	switch name {
	case "weight_ih_l0", "weight_hh_l0":
		shape = []int{rows, c.Units}
	case "bias_ih_l0", "bias_hh_l0":
		shape = []int{rows}
	default:
		return nil, nil, fmt.Errorf("%w: %s", safetensors.ErrMissing, name)
	}
	n := 1
	for _, d := range shape {
		n *= d
	}
	return shape, m.uniform(name, n, float32(1/math.Sqrt(float64(c.Units)))), nil
}

// Transposed returns the transpose of W, which contenders share.
func (m *Memory) Transposed(c Case) []float32 {
	return Shared(m, "transpose", func() []float32 {
		dst := m.Floats(c.Rows * c.Cols)
		bench.Transpose(dst, m.W(c), c.Rows, c.Cols)
		return dst
	})
}

// SourceVocabulary returns the number of source words: those of the sentence of a DecoderStep,
// Vocabulary for a TrainingUpdate.
func (c Case) SourceVocabulary() int {
	if c.Op == "TrainingUpdate" {
		return c.Vocabulary
	}
	return c.Source
}

// Sentence returns the source sentence of a DecoderStep: 1, 2, … Source-1 and 0.
func (c Case) Sentence() []int32 {
	return append(counting(c.Source-1), 0)
}

// Next returns the words that the hypotheses of a DecoderStep continue with: 1, 2, … Batch.
func (c Case) Next() []int32 { return counting(c.Batch) }

func counting(n int) []int32 {
	words := make([]int32, n)
	for i := range words {
		words[i] = int32(i + 1)
	}
	return words
}

// Pairs returns the Batch pairs of a TrainingUpdate. Word j of sentence i, except the 0 at its end, is
//
//	1 + (i·Source+j)·f mod (Vocabulary-1)    f = 7919 in sources, 104729 in targets
func (c Case) Pairs() []text.Example {
	sentence := func(i, f int) []int32 {
		words := make([]int32, c.Source)
		for j := range c.Source - 1 {
			words[j] = int32(1 + (i*c.Source+j)*f%(c.Vocabulary-1))
		}
		return words
	}
	list := make([]text.Example, c.Batch)
	for i := range list {
		list[i] = text.Example{Source: sentence(i, 7919), Target: sentence(i, 104729)}
	}
	return list
}
