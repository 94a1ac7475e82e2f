package bench

import "github.com/softsearch-go/softsearch/model"

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
