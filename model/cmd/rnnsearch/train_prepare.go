package main

import (
	"errors"
	"maps"
	"strings"

	"github.com/spf13/pflag"

	"github.com/softsearch-go/softsearch/kernels"
)

// A prepared training is ready to run.
type prepared struct {
	*training
	restore bool // whether the model file must be restored first
}

// prepare reads everything that a training needs. It writes no file.
func (o *trainOptions) prepare(flags *pflag.FlagSet, show *preparation) (*prepared, error) {
	s := settingsOf(flags)
	if !o.corpus.plain() {
		delete(s, "tokenizer")
	}
	metadata, err := o.readCheckpoint(s, flags)
	if err != nil {
		return nil, err
	}
	t := &training{
		settings: s, modelFile: o.modelFile, checkpoint: o.checkpoint, stop: o.stop, progressUpdates: o.log.updates, ranks: o.ranks,
		again: "the same command", savedUpdate: -1,
	}
	if o.overwrite {
		t.again += " without --overwrite"
	}
	p := &prepared{training: t}
	if metadata == nil {
		t.best.Before, err = o.checkOverwrite()
	} else {
		t.state, t.stopwatch, t.best = metadata.State, metadata.Stopwatch, metadata.bestModel
		p.restore, err = t.checkBest()
	}
	if err != nil {
		return nil, err
	}
	c, err := o.readCorpus(flags, metadata, s, show)
	if err != nil {
		return nil, err
	}
	if err := t.build(o, c, metadata, show); err != nil {
		return nil, err
	}
	if metadata != nil {
		if err := t.resume(); err != nil {
			t.close()
			return nil, err
		}
	}
	return p, nil
}

// readCorpus reads the corpus, and adds the checksums of its files to the settings. The files must be
// those of the checkpoint with the metadata, unless that is nil.
func (o *trainOptions) readCorpus(flags *pflag.FlagSet, metadata *checkpointMetadata, s settings, show *preparation) (*corpus, error) {
	c, err := readText(o.corpus, show)
	if err != nil {
		return nil, err
	}
	if metadata != nil {
		if list := c.checksums.differences(flags, metadata.Settings); list != nil {
			return nil, rejected(o.checkpoint.path, errors.New(strings.Join(list, "; ")))
		}
	}
	maps.Copy(s, c.checksums)
	for _, name := range optionalFlags {
		if s[name] == flags.Lookup(name).DefValue {
			delete(s, name)
		}
	}
	return c, c.prepare(o.corpus, show)
}

// build makes the trainer and the validator.
func (t *training) build(o *trainOptions, c *corpus, metadata *checkpointMetadata, show *preparation) error {
	m, err := c.newModel(o.model.config(), o.seed)
	if err != nil {
		return err
	}
	m.LongestSource = c.longestSource()
	if metadata != nil {
		m.LongestSource = metadata.LongestSource
	}
	t.description = c.description(o.corpus.maxLength) + "\n" + description(m)
	if t.trainer, err = newExampleTrainer(m, c.examples(show), o.recipe.recipe(o.seed), o.batch, o.seed, o.threads); err != nil {
		return err
	}
	t.validator, err = newValidator(kernels.Best().With(t.trainer.team), t.trainer.Model(), c.valid, o.threads)
	if err != nil {
		t.trainer.close()
		return err
	}
	return nil
}
