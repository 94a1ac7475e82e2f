package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/cmd/files"
	"github.com/softsearch-go/softsearch/model/cmd/terminal"
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

// readCorpus reads the corpus and adds the checksums of its files to the settings. The files must be
// those of the checkpoint with the metadata, unless that is nil.
func (o *trainOptions) readCorpus(flags *pflag.FlagSet, metadata *checkpointMetadata, s settings, show *preparation) (*corpus, error) {
	c, err := o.readText(flags, show)
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

// readText reads the text on rank 0 and then on the others, which can share its cache.
func (o *trainOptions) readText(flags *pflag.FlagSet, show *preparation) (c *corpus, err error) {
	cached, err := led(o.ranks, func() (bool, error) {
		own, err := o.readCached(flags, show)
		if err != nil {
			return false, err
		}
		c = own
		return c.cached, nil
	})
	switch {
	case err != nil && c != nil:
		c.close()
		return nil, err
	case err != nil || c != nil:
		return c, err
	case cached:
		return o.readCached(flags, show)
	}
	return buildCorpus(o.corpus, o.threads, show)
}

// readCached reads the text from its cache, or prepares it. Only one process at a time prepares text
// for a cache; the others wait, and take it from there.
func (o *trainOptions) readCached(flags *pflag.FlagSet, show *preparation) (*corpus, error) {
	before, _ := os.Stat(o.corpus.cache)
	if c, err := readCache(o.corpus, show); c != nil || err != nil {
		return c, err
	}
	unlock, err := o.lockCache(flags, show)
	if err != nil {
		return nil, err
	}
	defer unlock()
	if after, err := os.Stat(o.corpus.cache); err == nil && (before == nil || !os.SameFile(before, after)) {
		if c, err := readCache(o.corpus, show); c != nil || err != nil {
			return c, err
		}
	}
	return buildCorpus(o.corpus, o.threads, show)
}

// lockCache locks the cache until unlock or the end of show. It waits as long as another process has it.
func (o *trainOptions) lockCache(flags *pflag.FlagSet, show *preparation) (unlock func(), err error) {
	const interval = 100 * time.Millisecond
	for waiting := false; ; waiting = true {
		unlock, err = show.lock(func() (func(), error) { return lockOutputs(flags, outputFile{"cache", o.corpus.cache}) })
		if !errors.Is(err, files.ErrLocked) {
			return unlock, err
		}
		if !waiting {
			show.write(fmt.Appendf(nil, "rnnsearch: %s; waiting for it\n", terminal.Quote(err.Error())))
		}
		time.Sleep(interval)
	}
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
