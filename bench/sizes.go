package bench

import (
	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model"
)

// A batch of a training update has Sentences pairs of Words + Words words, the end of each
// sentence among them.
const (
	Words     = 25
	Sentences = 80
)

// Small is a model of 256 for every size but the vocabularies.
var Small = model.Config{
	Kind: model.RNNsearch, Order: model.UpdateFirst,
	SourceVocab: 8000, TargetVocab: 8000, Embedding: 256, Hidden: 256, Alignment: 256, Maxout: 256,
}

// Paper is the published model.
var Paper = model.Config{
	Kind: model.RNNsearch, Order: model.UpdateFirst,
	SourceVocab: 30000, TargetVocab: 30000, Embedding: 620, Hidden: 1000, Alignment: 1000, Maxout: 500,
}

// StepWeights returns the matrices that a decoder step reads.
func StepWeights(p *model.Parameters) []kernels.Packed {
	return []kernels.Packed{p.Decoder.W, p.Attention.Wa, p.Decoder.Uzr, p.Decoder.U, p.Uo, p.Vo, p.Wo}
}
