package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/softsearch-go/softsearch/model/text"
	"github.com/softsearch-go/softsearch/model/text/pipeline"
)

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	o, err := parseRun(args, stderr)
	if err != nil {
		return err
	}
	c, err := o.corpus()
	if err != nil {
		return err
	}
	if err := errors.Join(os.MkdirAll(o.folder, 0o777), os.MkdirAll(o.results, 0o777)); err != nil {
		return err
	}
	if err := c.write(o.folder, o.systems); err != nil {
		return err
	}
	t, err := newTrainer(o.folder, o.settings, stderr)
	if err != nil {
		return err
	}
	if err := t.build(ctx); err != nil {
		return err
	}
	earlier, err := earlierSystems(o.results, t.content)
	if err != nil {
		return err
	}
	r := o.newResult(c, t.content)
	if err := o.trainAll(ctx, stdout, t, r); err != nil {
		return err
	}
	models, err := t.open(r)
	if err != nil {
		return err
	}
	known, err := measure(ctx, stdout, models, c.test, r)
	if err != nil {
		return err
	}
	r.add(earlier)
	if err := errors.Join(writeJSON(o.results, r), drawLengths(o.results, r)); err != nil {
		return err
	}
	shown := slices.Index(o.systems, r.lastSearch())
	if shown < 0 {
		return nil // Figure 3 shows a model of an earlier run, or there is none with attention
	}
	return drawAlignments(ctx, o.results, models[shown], o.shown, known)
}

// runOptions are the flags of run.
type runOptions struct {
	train, valid, test [2]string // source and target files; empty for the built-in corpus
	languages          [2]string // of raw text; empty if it is tokenized
	join               int
	systems            []system
	settings           string
	shown              string // file of the sentences in Figure 3; empty for test sentences
	folder, results    string
}

func parseRun(args []string, stderr io.Writer) (o runOptions, err error) {
	f := flag.NewFlagSet("run", flag.ContinueOnError)
	f.StringVar(&o.train[0], "source", "", "`file` of source sentences for training (default: the built-in corpus)")
	f.StringVar(&o.train[1], "target", "", "`file` of their translations")
	f.StringVar(&o.valid[0], "valid-source", "", "`file` of source sentences for validation")
	f.StringVar(&o.valid[1], "valid-target", "", "`file` of their translations")
	f.StringVar(&o.test[0], "test-source", "", "`file` of source sentences to translate")
	f.StringVar(&o.test[1], "test-target", "", "`file` of their translations")
	f.StringVar(&o.languages[0], "source-language", "", "`language` of source sentences that are to be tokenized: en, fr, de or other")
	f.StringVar(&o.languages[1], "target-language", "", "`language` of their translations")
	f.IntVar(&o.join, "join", 3, "maximum number of consecutive sentences of the files to join into one")
	systems := f.String("systems", "encdec-20,search-20,encdec-50,search-50", "`list` of models to train: the architecture, and the maximum length in words of its training sentences")
	f.StringVar(&o.settings, "settings", "bench/paper/settings/builtin.json", "settings `file` for rnnsearch train")
	f.StringVar(&o.shown, "shown", "", "`file` of sentences to show in Figure 3 (default: four of the test)")
	f.StringVar(&o.folder, "work", "", "`folder` for text, checkpoints and models (default: in the user's cache, by the name of --results)")
	f.StringVar(&o.results, "results", "bench/paper/results/builtin", "`folder` for results, logs and figures, where systems of earlier runs stay")
	if err := parse(f, args, stderr); err != nil {
		return o, err
	}
	if o.systems, err = parseSystems(*systems); err != nil {
		return o, fmt.Errorf("--systems %s: %w", *systems, err)
	}
	return o, o.complete()
}

// complete checks the flags and sets the default of --work.
func (o *runOptions) complete() error {
	files := slices.Concat(o.train[:], o.valid[:], o.test[:])
	if slices.Contains(files, "") && slices.Max(files) != "" {
		return errors.New("expected none or all of --source, --target, --valid-source, --valid-target, --test-source, --test-target")
	}
	if files[0] == "" && o.languages != [2]string{} {
		return errors.New("expected --source-language and --target-language only with --source")
	}
	if o.join < 1 {
		return fmt.Errorf("--join %d: expected at least 1", o.join)
	}
	if o.folder == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return err
		}
		o.folder = filepath.Join(cache, "softsearch", "paper", filepath.Base(o.results))
	}
	return nil
}

func (o *runOptions) corpus() (*corpus, error) {
	if o.train[0] == "" {
		return builtIn(), nil
	}
	var side [2]pipeline.Pipeline
	for i, language := range o.languages {
		var err error
		if side[i], err = pipeline.New(pipeline.Settings{Language: language}); err != nil {
			return nil, err
		}
	}
	return joined([3][2]string{o.train, o.valid, o.test}, side, o.join)
}

func (o *runOptions) newResult(c *corpus, settings json.RawMessage) *result {
	r := &result{Settings: settings}
	for _, s := range o.systems {
		pairs, _ := text.LimitLength(c.train, s.Limit)
		r.Systems = append(r.Systems, systemResult{system: s, origin: here(), Pairs: len(pairs)})
	}
	return r
}

// trainAll trains the systems of a result and copies their logs to the results.
func (o *runOptions) trainAll(ctx context.Context, stdout io.Writer, t *trainer, r *result) error {
	for _, s := range r.Systems {
		fmt.Fprintf(stdout, "%s: %d training pairs\n", s.name(), s.Pairs)
		if err := t.train(ctx, s.system); err != nil {
			return err
		}
		if err := t.copyLog(s.file(), filepath.Join(o.results, s.file()+".jsonl")); err != nil {
			return err
		}
	}
	return nil
}
