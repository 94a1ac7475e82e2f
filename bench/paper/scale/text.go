//go:build linux

package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"
	"time"

	"github.com/softsearch-go/softsearch/bench"
	"github.com/softsearch-go/softsearch/model/cmd/corpus"
	"github.com/softsearch-go/softsearch/model/cmd/files"
	"github.com/softsearch-go/softsearch/model/cmd/terminal"
	"github.com/softsearch-go/softsearch/model/text"
	"github.com/softsearch-go/softsearch/model/text/pipeline"
)

// The stages of train from raw text to batches.
const (
	reading    = "reading text"
	tokenizing = "tokenizing" // and reading
	counting   = "counting tokens"
	learning   = "learning merges"
	segmenting = "applying merges"
	choosing   = "vocabularies"
	encoding   = "ids and cache"
	unzipping  = "reading gzip"
	reopening  = "start from the cache"
	batching   = "batches of an epoch"
)

// toCache are the stages of a training that finds no cache.
var toCache = []string{reading, tokenizing, counting, learning, segmenting, choosing, encoding}

// The whole command up to its first update.
const (
	fromText  = "`train` from text"
	fromCache = "`train` from the cache"
)

// Settings of train.
const (
	merges    = 8000
	maxSample = 5_000_000 // pairs to learn merges from
	maxWords  = 50        // of a side
)

// textCosts are the costs of the stages of text of one size.
type textCosts struct {
	costs
	folder        string
	pairs, sample int // sample: pairs to learn merges from, at equal distances
	tokens, words int // of both sides; words of the pairs of at most maxWords
	short         int // number of these pairs
}

// measureText measures texts of a hundredth, a tenth and all of that many pairs, which take turns.
func measureText(folder string, pairs int) ([]*textCosts, error) {
	const module, rounds = "github.com/softsearch-go/softsearch/", 2
	if err := execute(exec.Command("go", "build", "-o", folder, module+"bench/corpus", module+"model/cmd/rnnsearch")); err != nil {
		return nil, err
	}
	var list []*textCosts
	for _, n := range []int{pairs / 100, pairs / 10, pairs} {
		c := &textCosts{costs: costs{}, folder: folder, pairs: n, sample: min(n, maxSample)}
		if err := errors.Join(c.create(n, "en", "fr"), c.create(n, "en.gz", "fr.gz"), c.create(1, "valid.en", "valid.fr"), c.countTokens()); err != nil {
			return nil, err
		}
		list = append(list, c)
	}
	for range rounds {
		for _, c := range list {
			if err := errors.Join(c.measureStages(), c.measureCommand(fromText), c.measureCommand(fromCache)); err != nil {
				return nil, fmt.Errorf("text of %d pairs: %w", c.pairs, err)
			}
		}
	}
	return list, nil
}

// execute runs a command. What it prints is part of the error.
func execute(c *exec.Cmd) error {
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("%v: %w: %s", c, err, bytes.TrimSpace(out))
	}
	return nil
}

// path returns the path of a file of the corpus.
func (c *textCosts) path(name string) string {
	return filepath.Join(c.folder, strconv.Itoa(c.pairs)+"."+name)
}

// create writes text to two files.
func (c *textCosts) create(pairs int, source, target string) error {
	return execute(exec.Command(filepath.Join(c.folder, "corpus"), "-pairs", strconv.Itoa(pairs), c.path(source), c.path(target)))
}

// settings returns those of train, with a cache of this program.
func (c *textCosts) settings() corpus.Settings {
	return corpus.Settings{
		Source: []string{c.path("en")}, Target: []string{c.path("fr")}, ValidSource: c.path("valid.en"), ValidTarget: c.path("valid.fr"),
		Cache: c.path("own"), KeepCache: true, VocabularySize: 30_000, MaxLength: maxWords,
		SourceLanguage: "en", TargetLanguage: "fr", Tokenizer: string(pipeline.Reversible), Merges: merges, Sample: c.sample,
	}
}

// read reads files that end in suffix, with their checksums, and returns the number of tokens.
func (c *textCosts) read(suffix string, threads int, splitSource, splitTarget func(string) []string) (tokens int, err error) {
	var sides [2]io.Reader
	for i, name := range []string{"en", "fr"} {
		in, err := files.Open(c.path(name + suffix))
		if err != nil {
			return 0, err
		}
		defer in.Close()
		sides[i] = io.TeeReader(in, sha256.New())
	}
	r := text.ParallelReader{Source: sides[0], SplitSource: splitSource, Target: sides[1], SplitTarget: splitTarget}
	return tokens, text.ReadBlocks(r, threads, func(pairs []text.Pair, _ []int) (n int) {
		for _, p := range pairs {
			n += len(p.Source) + len(p.Target)
		}
		return n
	}, func(n int) error { tokens += n; return nil })
}

func (c *textCosts) countTokens() error {
	s := c.settings()
	english, french, err := s.Pipelines()
	if err == nil {
		c.tokens, err = c.read("", runtime.NumCPU(), english.Tokenize, french.Tokenize)
	}
	return err
}

// stages are those of corpus.Prepare, by the titles that it reports.
var stages = map[string]string{
	"reading training text": tokenizing, "counting tokens": counting, "learning byte-pair encoding": learning,
	"segmenting": segmenting, "counting words": choosing, "encoding": encoding,
}

// prepare prepares the text, or reads it from the cache. It measures each of the stages, up to the
// beginning of the next one.
func (c *textCosts) prepare() (*corpus.Corpus, error) {
	none := func() error { return nil }
	stop, failed := none, error(nil)
	begin := func(title, _ string, _ int) terminal.Progress {
		failed = errors.Join(failed, stop())
		stop = none
		if name, ok := stages[title]; ok && failed == nil {
			stop, failed = c.start(name)
		}
		return terminal.NoProgress{}
	}
	p, err := corpus.Prepare(context.Background(), c.settings(), runtime.NumCPU(), corpus.Reporter{Begin: begin, Messages: io.Discard})
	return p, errors.Join(err, failed)
}

// measureStages adds a round of every stage.
func (c *textCosts) measureStages() error {
	whole := func(line string) []string { return []string{line} }
	err := errors.Join(
		c.measure(reading, func() error { _, err := c.read("", 1, whole, whole); return err }),
		c.measure(unzipping, func() error { _, err := c.read(".gz", 1, whole, whole); return err }),
		os.RemoveAll(c.path("own")))
	if err != nil {
		return err
	}
	prepared, err := c.prepare()
	if err != nil {
		return err
	}
	prepared.Close()
	err = c.measure(reopening, func() (err error) { prepared, err = c.prepare(); return err })
	if err != nil {
		return err
	}
	defer prepared.Close()
	c.short, c.words = prepared.Train.Len(), 0
	return c.measure(batching, func() error {
		b := text.NewCorpusBatcher(prepared.Train, bench.Sentences, 0, 1)
		for range b.BatchesPerEpoch() {
			for _, e := range b.Next() {
				c.words += len(e.Source) + len(e.Target) - 2 // without EOS
			}
		}
		return b.Err()
	})
}

// measureCommand adds a round of one update of a small model by train, from text or from the cache of
// the last run.
func (c *textCosts) measureCommand(name string) error {
	cache := c.path("cache")
	if name == fromText {
		if err := os.RemoveAll(cache); err != nil {
			return err
		}
	}
	run := exec.Command(filepath.Join(c.folder, "rnnsearch"), "train", "--overwrite", "--model", c.path("model"), "--cache", cache,
		"--source", c.path("en"), "--target", c.path("fr"), "--valid-source", c.path("valid.en"), "--valid-target", c.path("valid.fr"),
		"--source-language", "en", "--target-language", "fr", "--bpe", strconv.Itoa(merges), "--bpe-sample", strconv.Itoa(c.sample), "--updates", "1",
		"--embedding", "8", "--hidden", "8", "--alignment", "8", "--maxout", "8")
	start := time.Now()
	if err := execute(run); err != nil {
		return err
	}
	s := run.ProcessState
	c.add(name, cost{(s.UserTime() + s.SystemTime()).Seconds(), time.Since(start).Seconds(), int64(s.SysUsage().(*syscall.Rusage).Maxrss) << 10})
	return nil
}
