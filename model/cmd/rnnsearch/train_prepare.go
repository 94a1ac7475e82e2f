package main

import (
	"errors"
	"maps"
	"strings"

	"github.com/spf13/pflag"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/text"
)

// A prepared training is ready to run.
type prepared struct {
	*training
	restore bool // whether the model file must be restored first
}

// prepare reads everything that a training needs. It writes no file but the cache of the text.
func (o *trainOptions) prepare(flags *pflag.FlagSet, show *preparation) (*prepared, error) {
	s := settingsOf(flags)
	if !o.corpus.plain() {
		delete(s, "tokenizer")
	}
	if i := o.corpus.initial; i != nil {
		s["init"] = i.digest
	}
	metadata, err := o.readCheckpoint(s, flags)
	if err != nil {
		return nil, err
	}
	t := &training{
		settings: s, modelFile: o.modelFile, checkpoint: o.checkpoint, stop: o.stop, progressUpdates: o.log.updates,
		validUpdates: o.stop.validUpdates, ranks: o.ranks,
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
	if err := t.build(o, c, metadata); err != nil {
		c.close()
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

// readCorpus reads the corpus, from its cache if there is one, and adds the checksums of its files to
// the settings. The files must be those of the checkpoint with the metadata, unless that is nil.
func (o *trainOptions) readCorpus(flags *pflag.FlagSet, metadata *checkpointMetadata, s settings, show *preparation) (*corpus, error) {
	c, err := readCache(o.corpus, show)
	if c == nil && err == nil {
		c, err = buildCorpus(o.corpus, o.threads, show)
	}
	if err != nil {
		return nil, err
	}
	if metadata != nil {
		if list := c.Checksums.differences(flags, metadata.Settings); list != nil {
			c.close()
			return nil, rejected(o.checkpoint.path, errors.New(strings.Join(list, "; ")))
		}
	}
	maps.Copy(s, c.Checksums)
	for _, name := range optionalFlags {
		if s[name] == flags.Lookup(name).DefValue {
			delete(s, name)
		}
	}
	return c, nil
}

// build makes the trainer and the validator.
func (t *training) build(o *trainOptions, c *corpus, metadata *checkpointMetadata) error {
	var m *model.Model
	var err error
	if i := o.corpus.initial; i != nil {
		m = i.Model
	} else if m, err = c.newModel(o.model.config(), o.seed); err != nil {
		return err
	}
	m.LongestSource = max(m.LongestSource, c.train.LongestSource-1)
	if metadata != nil {
		m.LongestSource = metadata.LongestSource
	}
	t.corpus = c
	t.description = c.description(o.corpus) + "\n" + description(m)
	batcher := text.NewCorpusBatcher(c.train, o.batch, o.batchWords, o.seed)
	if t.trainer, err = newBatchTrainer(m, batcher, c.capacity(o.batch), o.recipe.recipe(o.seed), o.threads); err != nil {
		return err
	}
	t.validator, err = newValidator(kernels.Best().With(t.trainer.team), t.trainer.Model(), c.Valid, o.threads)
	if err != nil {
		t.trainer.close()
		return err
	}
	return nil
}
