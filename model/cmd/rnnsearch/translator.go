package main

import (
	"errors"
	"fmt"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model"
)

// errTooLong is the error for a sentence whose alignments do not fit in memory.
var errTooLong = errors.New("sentence too long")

const (
	mostHypotheses = 1000
	mostWeights    = 1 << 29 // alignment weights that a search keeps, 2 GiB of them
	sourceStep     = 64      // words by which the longest source grows
)

// A translator translates sentences of any length.
type translator struct {
	model  *model.Model
	beam   int
	limit  int // most words of a translation, 0 for three times those of the source
	source int // words of the longest source that search has room for
	search *model.Translator
}

func newTranslator(m *model.Model, beam, limit int) *translator {
	return &translator{model: m, beam: beam, limit: limit}
}

// translate returns the translation of the words, valid until the next call.
func (t *translator) translate(words []string) (model.Translation, error) {
	ids := t.model.Source.Encode(words)
	if len(ids) > t.source {
		if err := t.grow(len(ids)); err != nil {
			return model.Translation{}, err
		}
	}
	return t.search.Translate(ids, t.length(len(ids)))
}

// length returns the most words that the translation of a source may have.
func (t *translator) length(source int) int {
	if t.limit > 0 {
		return t.limit
	}
	return 3 * source
}

// grow makes room for a source of that many words with EOS.
func (t *translator) grow(words int) error {
	source := (words + sourceStep - 1) / sourceStep * sourceStep
	length := t.length(source)
	if length > mostWeights/t.beam/source {
		return fmt.Errorf("%w: %d words with a beam of %d and translations of up to %d words: expected a product of at most %d",
			errTooLong, words, t.beam, t.length(words), mostWeights)
	}
	search, err := model.NewTranslator(kernels.Best(), t.model, t.beam, model.Capacity{Sentences: 1, SourceLength: source, TargetLength: length})
	if err != nil {
		return err
	}
	t.search, t.source = search, source
	return nil
}
