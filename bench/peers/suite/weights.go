package suite

import (
	"math"
	"strings"

	"github.com/softsearch-go/softsearch/model/text"
)

// A Weight is a parameter of the model of a DecoderStep or a TrainingUpdate under its name in model files: a Rows×Cols
// matrix, or a vector of Rows values where Cols is 0.
type Weight struct {
	Name       string
	Rows, Cols int
	stream     int
}

// Size returns the number of values.
func (w Weight) Size() int { return w.Rows * max(w.Cols, 1) }

// limit bounds the values: those of a matrix so that the sums of a product are about as large as its
// inputs.
func (w Weight) limit() float32 {
	switch {
	case w.Cols == 0:
		return 0.1
	case strings.HasSuffix(w.Name, ".embedding"):
		return 1
	}
	return float32(math.Sqrt(3 / float64(w.Cols)))
}

// SourceVocabulary returns the number of source words: those of the sentence of a DecoderStep,
// Vocabulary for a TrainingUpdate.
func (c Case) SourceVocabulary() int {
	if c.Op == "TrainingUpdate" {
		return c.Vocabulary
	}
	return c.Source
}

// Weights lists the parameters of the model of a DecoderStep or a TrainingUpdate: an RNNsearch of order
// update-first with Units units in every layer. The source sentence of a DecoderStep has the words
// 1, 2, … Source-1 and 0, hypothesis i continues with the word i+1.
func (c Case) Weights() []Weight {
	v, e, h, l := c.Vocabulary, c.Embedding, c.Units, c.Maxout
	list := []Weight{
		{Name: "source.embedding", Rows: c.SourceVocabulary(), Cols: e}, {Name: "target.embedding", Rows: v, Cols: e},
		{Name: "decoder.Ws", Rows: h, Cols: h}, {Name: "decoder.bs", Rows: h},
		{Name: "attention.Wa", Rows: h, Cols: h}, {Name: "attention.Ua", Rows: h, Cols: 2 * h}, {Name: "attention.va", Rows: h},
		{Name: "readout.Uo", Rows: 2 * l, Cols: h}, {Name: "readout.Vo", Rows: 2 * l, Cols: e},
		{Name: "readout.Co", Rows: 2 * l, Cols: 2 * h}, {Name: "readout.bo", Rows: 2 * l},
		{Name: "output.Wo", Rows: v, Cols: l}, {Name: "output.b", Rows: v},
	}
	for _, gate := range []string{"z", "r", ""} {
		for _, gru := range []string{"encoder.forward", "encoder.backward", "decoder"} {
			list = append(list, Weight{Name: gru + ".W" + gate, Rows: h, Cols: e},
				Weight{Name: gru + ".U" + gate, Rows: h, Cols: h}, Weight{Name: gru + ".b" + gate, Rows: h})
		}
		list = append(list, Weight{Name: "decoder.C" + gate, Rows: h, Cols: 2 * h})
	}
	for i := range list {
		list[i].stream = streamWeights + i
	}
	return list
}

// Sentence returns the words of the source sentence of a DecoderStep.
func (c Case) Sentence() []int32 {
	words := make([]int32, c.Source)
	for i := range c.Source - 1 {
		words[i] = int32(i + 1)
	}
	return words
}

// Next returns the words that the hypotheses of a DecoderStep continue with.
func (c Case) Next() []int32 {
	words := make([]int32, c.Batch)
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

// Weight returns the values of a parameter, row-major.
func (m *Memory) Weight(w Weight) []float32 { return m.uniform(w.stream, w.Size(), w.limit()) }
