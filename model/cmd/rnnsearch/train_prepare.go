package main

import (
	"context"
	"errors"
	"maps"
	"strings"

	"github.com/spf13/pflag"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/cmd/corpus"
	"github.com/softsearch-go/softsearch/model/text"
)

// A prepared training is ready to run.
type prepared struct {
	*training
	restore bool // whether the model file must be restored first
}

// prepare reads everything that a training needs. It writes no file but the cache of the text.
func (o *trainOptions) prepare(ctx context.Context, flags *pflag.FlagSet, r corpus.Reporter) (*prepared, error) {
	s := settingsOf(flags)
	if !o.corpus.HasLanguage() {
		delete(s, "tokenizer")
	}
	if i := o.corpus.Initial; i != nil {
		s["init"] = i.Digest
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
	c, err := o.readCorpus(ctx, flags, metadata, s, r)
	if err != nil {
		return nil, err
	}
	if err := t.build(o, c, metadata); err != nil {
		c.Close()
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

// readCorpus reads the corpus and adds the checksums of its files to the settings. The files must be
// those of the checkpoint with the metadata, unless that is nil.
func (o *trainOptions) readCorpus(ctx context.Context, flags *pflag.FlagSet, metadata *checkpointMetadata, s settings, r corpus.Reporter) (*corpus.Corpus, error) {
	c, err := o.readText(ctx, r)
	if err != nil {
		return nil, err
	}
	if metadata != nil {
		if list := settings(c.Checksums).differences(flags, metadata.Settings); list != nil {
			c.Close()
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

// readText reads the text on rank 0 and then on the others, which can share its cache.
func (o *trainOptions) readText(ctx context.Context, r corpus.Reporter) (c *corpus.Corpus, err error) {
	cached, err := led(o.ranks, func() (bool, error) {
		own, err := corpus.Prepare(ctx, o.corpus.Settings, o.threads, r)
		if err != nil {
			return false, err
		}
		c = own
		return c.Cached, nil
	})
	switch {
	case err != nil && c != nil:
		c.Close()
		return nil, err
	case err != nil || c != nil:
		return c, err
	case !cached:
		o.corpus.Cache, o.corpus.KeepCache = "", false
	}
	return corpus.Prepare(ctx, o.corpus.Settings, o.threads, r)
}

// build makes the trainer and the validator.
func (t *training) build(o *trainOptions, c *corpus.Corpus, metadata *checkpointMetadata) error {
	var m *model.Model
	var err error
	if i := o.corpus.Initial; i != nil {
		m = i.Model
	} else if m, err = c.NewModel(o.model.config(), o.seed); err != nil {
		return err
	}
	m.LongestSource = max(m.LongestSource, c.Train.LongestSource-1)
	if metadata != nil {
		m.LongestSource = metadata.LongestSource
	}
	t.corpus = c
	t.description = c.Description() + "\n" + description(m)
	batcher := text.NewCorpusBatcher(c.Train, o.batch, o.batchWords, o.seed)
	if t.trainer, err = newBatchTrainer(m, batcher, model.Capacity{
		Sentences: min(o.batch, c.Train.Len()), SourceLength: c.Train.LongestSource, TargetLength: c.Train.LongestTarget,
	}, o.recipe.recipe(o.seed), o.threads); err != nil {
		return err
	}
	t.validator, err = newValidator(kernels.Best().With(t.trainer.team), t.trainer.Model(), c.Valid, o.threads)
	if err != nil {
		t.trainer.close()
		return err
	}
	return nil
}
