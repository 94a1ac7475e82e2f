package main

import (
	"errors"
	"fmt"

	"github.com/spf13/pflag"

	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/text"
	"github.com/softsearch-go/softsearch/model/text/pipeline"
)

// corpusOptions are the flags of train that name its text and say how lines become words.
type corpusOptions struct {
	source, target, validSource, validTarget string
	vocab, maxLength                         int
	sourceLanguage, targetLanguage           string
	lowercase                                bool
	merges, threshold                        int
}

func (o *corpusOptions) add(f *pflag.FlagSet) {
	f.StringVar(&o.source, "source", "", "`file` of source sentences for training")
	f.StringVar(&o.target, "target", "", "`file` of their translations")
	f.StringVar(&o.validSource, "valid-source", "", "`file` of source sentences for validation (default held out from --source)")
	f.StringVar(&o.validTarget, "valid-target", "", "`file` of their translations")
	f.IntVar(&o.vocab, "vocab", 30000, "maximum size of each vocabulary, </s> and <unk> included")
	f.IntVar(&o.maxLength, "max-length", 50, "maximum length in words of a training sentence; pairs with a longer one are dropped")
	f.StringVar(&o.sourceLanguage, "source-language", "", "`language` of the source if it is not tokenized: en, fr, de or other (default: the text is tokenized)")
	f.StringVar(&o.targetLanguage, "target-language", "", "`language` of the target if it is not tokenized: en, fr, de or other (default: the text is tokenized)")
	f.BoolVar(&o.lowercase, "lowercase", false, "lowercase the sides with a language")
	f.IntVar(&o.merges, "bpe", 0, "maximum number of byte-pair encoding `merges`, learned jointly from both sides (default: no segmentation)")
	f.IntVar(&o.threshold, "bpe-threshold", 0, "minimum `count` of a segment in the training text of its language (default: no minimum)")
}

func (o *corpusOptions) check() error {
	err := checkNumbers(
		number{"vocab", o.vocab, 3, 1 << 24},
		number{"max-length", o.maxLength, 1, 10_000},
		number{"bpe", o.merges, 0, 1 << 24},
		number{"bpe-threshold", o.threshold, 0, 1 << 30},
	)
	switch {
	case err != nil:
		return err
	case o.threshold > 0 && o.merges == 0:
		return fmt.Errorf("--bpe-threshold %d: expected with --bpe", o.threshold)
	case o.lowercase && o.sourceLanguage == "" && o.targetLanguage == "":
		return errors.New("--lowercase: expected with --source-language or --target-language")
	}
	_, _, err = o.tokenizers()
	return err
}

// tokenizers returns the pipelines of both sides without byte-pair encoding.
func (o *corpusOptions) tokenizers() (source, target pipeline.Pipeline, err error) {
	if source, err = o.tokenizer("source-language", o.sourceLanguage); err != nil {
		return source, target, err
	}
	target, err = o.tokenizer("target-language", o.targetLanguage)
	return source, target, err
}

// tokenizer returns the pipeline for the language in a flag.
func (o *corpusOptions) tokenizer(flag, language string) (pipeline.Pipeline, error) {
	p, err := pipeline.New(pipeline.Settings{Language: language, Lowercase: o.lowercase && language != ""})
	if err != nil {
		return p, fmt.Errorf("--%s: %w", flag, err)
	}
	return p, nil
}

// A corpus is the text of a training, its vocabularies, and the pipelines that turn lines of each
// side into words.
type corpus struct {
	train, valid           []text.Pair
	dropped                int // training pairs that are too long
	source, target         *text.Vocabulary
	sourceText, targetText pipeline.Pipeline
}

// readCorpus reads, tokenizes and segments the files.
func readCorpus(o corpusOptions) (*corpus, error) {
	c := new(corpus)
	if err := c.readTokens(o); err != nil {
		return nil, err
	}
	if err := c.segment(o); err != nil {
		return nil, err
	}
	c.train, c.dropped = text.LimitLength(c.train, o.maxLength)
	if len(c.train) == 0 {
		return nil, fmt.Errorf("%s, %s: all %d pairs have more than %d words on a side",
			o.source, o.target, c.dropped, o.maxLength)
	}
	return c, c.buildVocabularies(o.vocab)
}

// readTokens reads and tokenizes the files.
func (c *corpus) readTokens(o corpusOptions) (err error) {
	if c.sourceText, c.targetText, err = o.tokenizers(); err != nil {
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

// maxHeldOut is about the largest number of pairs that are held out.
const maxHeldOut = 1000

// holdOut moves every tenth pair from the training text to the validation text, or about maxHeldOut
// pairs at equal distances if the corpus is large.
func (c *corpus) holdOut() error {
	step := max(10, len(c.train)/maxHeldOut)
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

// segment applies byte-pair encoding, if requested, to all pairs. The merges are learned from the
// whole training text, sentences above the maximum length included.
func (c *corpus) segment(o corpusOptions) (err error) {
	if o.merges == 0 {
		return nil
	}
	c.sourceText, c.targetText, err = pipeline.Learn(c.sourceText, c.targetText, c.train, pipeline.LearnOptions{Merges: o.merges, Threshold: o.threshold})
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

// buildVocabularies builds the vocabularies, of at most size words each.
func (c *corpus) buildVocabularies(size int) (err error) {
	if c.source, err = text.NewVocabulary(text.Sources(c.train), size); err != nil {
		return fmt.Errorf("source: %w", err)
	}
	if c.target, err = text.NewVocabulary(text.Targets(c.train), size); err != nil {
		return fmt.Errorf("target: %w", err)
	}
	return nil
}

// newModel returns an untrained model for the corpus. The vocabularies of the corpus set the
// vocabulary sizes of the configuration.
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

// description returns the sizes of the corpus as lines of text.
func (c *corpus) description(maxLength int) string {
	return fmt.Sprintf("training text: %d pairs, %d dropped with more than %d words on a side\n", len(c.train), c.dropped, maxLength) +
		fmt.Sprintf("validation text: %d pairs\n", len(c.valid)) +
		fmt.Sprintf("vocabularies: %d source words, %d target words", c.source.Size(), c.target.Size())
}

// capacity returns the capacity for any batch of that many of the examples.
func capacity(examples []text.Example, sentences int) model.Capacity {
	c := model.Capacity{Sentences: sentences}
	for _, e := range examples {
		c.SourceLength = max(c.SourceLength, len(e.Source))
		c.TargetLength = max(c.TargetLength, len(e.Target))
	}
	return c
}

// targetWords returns the number of words that the model predicts, EOS included.
func targetWords(examples []text.Example) int {
	n := 0
	for _, e := range examples {
		n += len(e.Target)
	}
	return n
}
