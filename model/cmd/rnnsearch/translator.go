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
	batchRows      = 96      // hypotheses of a batch, from which on more make a step no faster for each
)

// A translator translates sentences of any length, several short ones at once.
type translator struct {
	model  *model.Model
	beam   int
	limit  int // most words of a translation, 0 for three times those of the source
	most   int // sentences of a batch
	batch  []model.Sentence
	many   *model.Translator // for batches of up to most sentences of up to sourceStep words
	one    *model.Translator // for a sentence of up to source words
	source int
}

func newTranslator(m *model.Model, beam, limit int) *translator {
	t := &translator{model: m, beam: beam, limit: limit}
	t.most = max(1, min(batchRows/beam, mostWeights/beam/sourceStep/t.length(sourceStep)))
	return t
}

// translate calls f with the translation of each sentence in their order, as soon as its
// batch is done. It is valid until f returns. A sentence without words has one without words.
// After an error from elsewhere than f, the next call would have been for the sentence that
// the error is about.
func (t *translator) translate(sentences [][]string, f func(model.Translation) error) error {
	for len(sentences) > 0 {
		var results []model.Translation
		n := t.take(sentences)
		if len(t.batch) > 0 {
			var err error
			if results, err = t.search(); err != nil {
				return err
			}
		}
		for _, words := range sentences[:n] {
			var r model.Translation
			if len(words) > 0 {
				r, results = results[0], results[1:]
			}
			if err := f(r); err != nil {
				return err
			}
		}
		sentences = sentences[n:]
	}
	return nil
}

// take makes a batch of the first sentences and returns how many of them it covers. Those
// without words are not in it. None of them comes before a sentence that is by itself, since
// there may not be room for that one.
func (t *translator) take(sentences [][]string) int {
	t.batch = t.batch[:0]
	for i, words := range sentences {
		alone := len(words) >= sourceStep || t.most == 1 && len(words) > 0
		if len(t.batch) == t.most || alone && i > 0 {
			return i
		}
		if len(words) == 0 {
			continue
		}
		ids := t.model.Source.Encode(words)
		t.batch = append(t.batch, model.Sentence{Source: ids, Length: t.length(len(ids))})
		if alone {
			return i + 1
		}
	}
	return len(sentences)
}

// search translates the batch.
func (t *translator) search() (results []model.Translation, err error) {
	if len(t.batch) == 1 {
		if n := len(t.batch[0].Source); n > t.source {
			if err := t.grow(n); err != nil {
				return nil, err
			}
		}
		return t.one.TranslateBatch(t.batch)
	}
	if t.many == nil {
		if t.many, err = t.newSearch(t.most, sourceStep); err != nil {
			return nil, err
		}
	}
	return t.many.TranslateBatch(t.batch)
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
	if t.length(source) > mostWeights/t.beam/source {
		return fmt.Errorf("%w: %d words with a beam of %d and translations of up to %d words: expected a product of at most %d",
			errTooLong, words, t.beam, t.length(words), mostWeights)
	}
	one, err := t.newSearch(1, source)
	if err != nil {
		return err
	}
	t.one, t.source = one, source
	return nil
}

// newSearch returns a translator of sentences of up to source words.
func (t *translator) newSearch(sentences, source int) (*model.Translator, error) {
	capacity := model.Capacity{Sentences: sentences, SourceLength: source, TargetLength: t.length(source)}
	return model.NewTranslator(kernels.Best(), t.model, t.beam, capacity)
}
