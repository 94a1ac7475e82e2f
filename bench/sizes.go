package bench

import (
	"unsafe"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model"
)

// A training update takes Sentences pairs of Words + Words words, EOS included.
const (
	Words     = 25
	Sentences = 80
)

// Small is a model with 256 for every size except the vocabularies.
var Small = model.Config{
	Kind: model.RNNsearch, Order: model.UpdateFirst,
	SourceVocab: 8000, TargetVocab: 8000, Embedding: 256, Hidden: 256, Alignment: 256, Maxout: 256,
}

// Paper is the model of the paper.
var Paper = model.Config{
	Kind: model.RNNsearch, Order: model.UpdateFirst,
	SourceVocab: 30000, TargetVocab: 30000, Embedding: 620, Hidden: 1000, Alignment: 1000, Maxout: 500,
}

// StepWeights returns the matrices that a decoder step of one hypothesis reads once each.
func StepWeights(p *model.Parameters) []kernels.Weights {
	return []kernels.Weights{p.Decoder.W, p.Attention.Wa, p.Decoder.Uzr, p.Decoder.U, p.Uo, p.Vo, p.Wo}
}

// Memory returns the memory of the weights of w as float32 values: four weights of int8 in each.
func Memory(w kernels.Weights) []float32 {
	if w.IsInt8() {
		data := w.Int8.Data
		return unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(data))), len(data)/4)
	}
	return w.Float32.Data
}
