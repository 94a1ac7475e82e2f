package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/softsearch-go/softsearch/model/text/pipeline"
)

// writtenExample trains a model of text as people write it, and translates with it.
const writtenExample = `  yes "The man sleeps.
  Is the man in the house?
  The house isn't red." | head -n 1500 > /tmp/written.en
  yes "L'homme dort.
  L'homme est-il dans la maison ?
  La maison n'est pas rouge." | head -n 1500 > /tmp/written.fr
  echo '{"embedding": 16, "hidden": 32, "alignment": 16, "maxout": 16, "batch": 5}' > /tmp/small.json
  go run ./model/cmd/rnnsearch train --source /tmp/written.en --target /tmp/written.fr \
    --model /tmp/written.safetensors --source-language en --target-language fr --bpe 25 \
    --settings /tmp/small.json --epochs 3
  echo "The house isn't red." | go run ./model/cmd/rnnsearch translate --model /tmp/written.safetensors`

// textOptions are the flags of train that say how text is written and divided.
type textOptions struct {
	sourceLanguage, targetLanguage string
	lowercase                      bool
	merges, threshold              int
}

// addText adds the flags of text.
func addText(c *cobra.Command, o *textOptions) {
	f := c.Flags()
	f.StringVar(&o.sourceLanguage, "source-language", "", "`language` of source text as people write it: en, fr, de or other (default: it is tokenised)")
	f.StringVar(&o.targetLanguage, "target-language", "", "`language` of target text as people write it: en, fr, de or other (default: it is tokenised)")
	f.BoolVar(&o.lowercase, "lowercase", false, "lower-case text with a language")
	f.IntVar(&o.merges, "bpe", 0, "most `merges` of byte-pair encoding, learned from both sides (default: words stay whole)")
	f.IntVar(&o.threshold, "bpe-threshold", 0, "`times` that a segment must occur in the text of its language to stand (default: all may)")
}

// check returns an error for the first flag of text that cannot be used.
func (o textOptions) check() error {
	err := checkNumbers(number{"bpe", o.merges, 0, 1 << 24}, number{"bpe-threshold", o.threshold, 0, 1 << 30})
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
func (o textOptions) tokenizers() (source, target pipeline.Pipeline, err error) {
	if source, err = o.tokenizer("source-language", o.sourceLanguage); err != nil {
		return source, target, err
	}
	target, err = o.tokenizer("target-language", o.targetLanguage)
	return source, target, err
}

// tokenizer returns the pipeline for the language that a flag names.
func (o textOptions) tokenizer(flag, language string) (pipeline.Pipeline, error) {
	p, err := pipeline.New(pipeline.Settings{Language: language, Lowercase: o.lowercase && language != ""})
	if err != nil {
		return p, fmt.Errorf("--%s: %w", flag, err)
	}
	return p, nil
}
