package main

import (
	"fmt"

	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/text"
)

// A corpus is text to learn from, text for validation, and the words of the former.
type corpus struct {
	train, valid   []text.Pair
	dropped        int // pairs that are too long to learn from
	source, target *text.Vocabulary
}

// readCorpus reads the files of train.
func readCorpus(o trainOptions) (*corpus, error) {
	pairs, err := text.ReadParallel(o.source, o.target)
	if err != nil {
		return nil, err
	}
	valid, err := text.ReadParallel(o.validSource, o.validTarget)
	if err != nil {
		return nil, err
	}
	kept, dropped := text.LimitLength(pairs, o.maxLength)
	if len(kept) == 0 {
		return nil, fmt.Errorf("%s, %s: all %d pairs have more than %d words on a side",
			o.source, o.target, dropped, o.maxLength)
	}
	c := &corpus{train: kept, valid: valid, dropped: dropped}
	return c, c.number(o.vocab)
}

// number makes the vocabularies, of at most size words each.
func (c *corpus) number(size int) (err error) {
	if c.source, err = text.NewVocabulary(text.Sources(c.train), size); err != nil {
		return fmt.Errorf("source: %w", err)
	}
	if c.target, err = text.NewVocabulary(text.Targets(c.train), size); err != nil {
		return fmt.Errorf("target: %w", err)
	}
	return nil
}

// newModel returns a model of the corpus before training. The sizes of the vocabularies in
// the configuration do not count.
func (c *corpus) newModel(config model.Config, seed uint64) (*model.Model, error) {
	config.SourceVocab, config.TargetVocab = c.source.Size(), c.target.Size()
	m, err := model.New(config, seed)
	if err != nil {
		return nil, err
	}
	m.Source, m.Target = c.source, c.target
	return m, nil
}
