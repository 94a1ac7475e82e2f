package main

import (
	"fmt"

	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/text"
	"github.com/softsearch-go/softsearch/model/text/pipeline"
)

// A corpus is text to learn from, text for validation, the words of the former, and how the
// text of each language becomes words.
type corpus struct {
	train, valid           []text.Pair
	dropped                int // pairs that are too long to learn from
	source, target         *text.Vocabulary
	sourceText, targetText pipeline.Pipeline
}

// readCorpus reads the files of train.
func readCorpus(o trainOptions) (*corpus, error) {
	c := new(corpus)
	if err := c.read(o); err != nil {
		return nil, err
	}
	if err := c.segment(o.text); err != nil {
		return nil, err
	}
	c.train, c.dropped = text.LimitLength(c.train, o.maxLength)
	if len(c.train) == 0 {
		return nil, fmt.Errorf("%s, %s: all %d pairs have more than %d words on a side",
			o.source, o.target, c.dropped, o.maxLength)
	}
	return c, c.number(o.vocab)
}

// read reads the tokens of the files.
func (c *corpus) read(o trainOptions) (err error) {
	if c.sourceText, c.targetText, err = o.text.tokenizers(); err != nil {
		return err
	}
	source, target := c.sourceText.Tokenize, c.targetText.Tokenize
	if c.train, err = text.ReadParallelFunc(o.source, o.target, source, target); err != nil {
		return err
	}
	if o.validSource == "" {
		return c.holdOut()
	}
	c.valid, err = text.ReadParallelFunc(o.validSource, o.validTarget, source, target)
	return err
}

// mostHeldOut is the number of pairs that are enough for validation.
const mostHeldOut = 1000

// holdOut takes every tenth pair to learn from for validation, or of a large corpus
// about mostHeldOut at equal distances.
func (c *corpus) holdOut() error {
	step := max(10, len(c.train)/mostHeldOut)
	if len(c.train) < step {
		return fmt.Errorf("%d pairs: expected at least %d, or --valid-source and --valid-target", len(c.train), step)
	}
	var kept []text.Pair
	for i, p := range c.train {
		if i%step == step-1 {
			c.valid = append(c.valid, p)
		} else {
			kept = append(kept, p)
		}
	}
	c.train = kept
	return nil
}

// segment divides the tokens of all pairs if byte-pair encoding is asked for. It learns that
// of all pairs to learn from, those that are too long among them.
func (c *corpus) segment(o textOptions) (err error) {
	if o.merges == 0 {
		return nil
	}
	c.sourceText, c.targetText, err = pipeline.Learn(c.sourceText, c.targetText, c.train, o.merges, o.threshold)
	if err != nil {
		return err
	}
	for _, pairs := range [][]text.Pair{c.train, c.valid} {
		for i, p := range pairs {
			pairs[i] = text.Pair{Source: c.sourceText.Segment(p.Source), Target: c.targetText.Segment(p.Target)}
		}
	}
	return nil
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
	m.SourceText, m.TargetText = c.sourceText, c.targetText
	return m, nil
}

// description says what a training learns from. Longer pairs than maxLength were dropped.
func (c *corpus) description(maxLength int) string {
	return fmt.Sprintf("training text: %d pairs, %d dropped with more than %d words on a side\n", len(c.train), c.dropped, maxLength) +
		fmt.Sprintf("validation text: %d pairs\n", len(c.valid)) +
		fmt.Sprintf("vocabularies: %d source words, %d target words", c.source.Size(), c.target.Size())
}
