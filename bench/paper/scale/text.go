//go:build linux

package main

import (
	"bytes"
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
	"github.com/softsearch-go/softsearch/model/cmd/bitext"
	"github.com/softsearch-go/softsearch/model/cmd/files"
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
	maxVocab  = 30_000
)

// A corpus is text of one size and the costs of its stages.
type corpus struct {
	costs
	folder        string
	pairs, sample int // sample: pairs to learn merges from, at equal distances
	tokens, words int // of both sides; words of the pairs of at most maxWords
	short         int // number of these pairs
}

// measureText returns corpora of a hundredth, a tenth and all of that many pairs, which take turns.
func measureText(folder string, pairs int) ([]*corpus, error) {
	const module, rounds = "github.com/softsearch-go/softsearch/", 2
	if err := execute(exec.Command("go", "build", "-o", folder, module+"bench/corpus", module+"model/cmd/rnnsearch")); err != nil {
		return nil, err
	}
	var list []*corpus
	for _, n := range []int{pairs / 100, pairs / 10, pairs} {
		c := &corpus{costs: costs{}, folder: folder, pairs: n, sample: min(n, maxSample)}
		if err := errors.Join(c.create(n, "en", "fr"), c.create(n, "en.gz", "fr.gz"), c.create(1, "valid.en", "valid.fr")); err != nil {
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
func (c *corpus) path(name string) string {
	return filepath.Join(c.folder, strconv.Itoa(c.pairs)+"."+name)
}

// create writes text to two files.
func (c *corpus) create(pairs int, source, target string) error {
	return execute(exec.Command(filepath.Join(c.folder, "corpus"), "-pairs", strconv.Itoa(pairs), c.path(source), c.path(target)))
}

// read reads files that end in suffix, with their checksums.
func (c *corpus) read(suffix string, splitSource, splitTarget func(string) []string, use func(text.ParallelReader) error) error {
	source, err := files.Open(c.path("en" + suffix))
	if err != nil {
		return err
	}
	defer source.Close()
	target, err := files.Open(c.path("fr" + suffix))
	if err != nil {
		return err
	}
	defer target.Close()
	return use(text.ParallelReader{
		Source: io.TeeReader(source, sha256.New()), SplitSource: splitSource,
		Target: io.TeeReader(target, sha256.New()), SplitTarget: splitTarget,
	})
}

// measureStages adds a round of every stage, in the order and with the packages of train.
func (c *corpus) measureStages() (err error) {
	do := func(stage string, f func() error) {
		if err == nil {
			err = c.measure(stage, f)
		}
	}
	english, englishErr := pipeline.New(pipeline.Defaults("en"))
	french, frenchErr := pipeline.New(pipeline.Defaults("fr"))
	err = errors.Join(englishErr, frenchErr)

	whole := func(line string) []string { return []string{line} }
	ignore := func(r text.ParallelReader) error {
		return text.ReadBlocks(r, 1, func([]text.Pair) int { return 0 }, func(int) error { return nil })
	}
	do(reading, func() error { return c.read("", whole, whole, ignore) })
	do(unzipping, func() error { return c.read(".gz", whole, whole, ignore) })

	t := bitext.NewText(func() (*files.Temporary, error) { return files.NewTemporary(c.path("pairs")) })
	defer t.Close()
	do(tokenizing, func() error {
		return c.read("", english.Tokenize, french.Tokenize, func(r text.ParallelReader) error { return t.Read(r, runtime.NumCPU(), nil) })
	})

	var sourceCounts, targetCounts []int
	count := func(takes func(i int, source, target []uint32) bool) error {
		sourceCounts, targetCounts = make([]int, t.Source.Size()), make([]int, t.Target.Size())
		return t.Each(func(i int, source, target []uint32) error {
			if takes(i, source, target) {
				for _, token := range source {
					sourceCounts[token]++
				}
				for _, token := range target {
					targetCounts[token]++
				}
			}
			return nil
		})
	}
	do(counting, func() error {
		c.tokens = 0
		before := func(i int) int64 { return int64(i) * int64(c.sample) / int64(c.pairs) } // in the sample
		return count(func(i int, source, target []uint32) bool {
			c.tokens += len(source) + len(target)
			return before(i) < before(i+1)
		})
	})
	do(learning, func() error {
		codes, err := pipeline.LearnCodes(t.Source.Frequencies(sourceCounts), t.Target.Frequencies(targetCounts), merges, nil)
		if err == nil {
			english, french, err = pipeline.WithCounts(english, french, codes, nil, nil, 0)
		}
		return err
	})
	do(segmenting, func() error {
		t.Source.Segment(english, runtime.NumCPU(), func(int) {})
		t.Target.Segment(french, runtime.NumCPU(), func(int) {})
		return nil
	})

	short := func(source, target []uint32) bool {
		return max(t.Source.Words(source), t.Target.Words(target)) <= maxWords
	}
	var sourceWords, targetWords *text.Vocabulary
	do(choosing, func() (err error) {
		c.short, c.words = 0, 0
		if err := count(func(_ int, source, target []uint32) bool {
			if !short(source, target) {
				return false
			}
			c.short++
			c.words += t.Source.Words(source) + t.Target.Words(target)
			return true
		}); err != nil {
			return err
		}
		if sourceWords, err = text.VocabularyOfCounts(t.Source.Counts(sourceCounts), maxVocab); err == nil {
			targetWords, err = text.VocabularyOfCounts(t.Target.Counts(targetCounts), maxVocab)
		}
		return err
	})
	do(encoding, func() error {
		f, err := os.Create(c.path("ids"))
		if err != nil {
			return err
		}
		defer f.Close()
		w, sourceIDs, targetIDs := bitext.NewWriter(f), t.Source.Encoder(sourceWords), t.Target.Encoder(targetWords)
		var e text.Example
		err = t.Each(func(_ int, source, target []uint32) error {
			if !short(source, target) {
				return nil
			}
			e.Source, e.Target = sourceIDs.Append(e.Source[:0], source), targetIDs.Append(e.Target[:0], target)
			return w.Add(e)
		})
		return errors.Join(err, w.Close(nil), f.Sync())
	})

	var ids *bitext.File
	do(reopening, func() (err error) {
		err = c.read("", nil, nil, func(r text.ParallelReader) error {
			_, sourceErr := io.Copy(io.Discard, r.Source)
			_, targetErr := io.Copy(io.Discard, r.Target)
			return errors.Join(sourceErr, targetErr)
		})
		if err == nil {
			ids, err = bitext.Open(c.path("ids"), func(int) {})
		}
		return err
	})
	if err != nil {
		return err
	}
	defer ids.Close()
	do(batching, func() error {
		b := text.NewCorpusBatcher(ids, bench.Sentences, 0, 1)
		for range b.BatchesPerEpoch() {
			b.Next()
		}
		return b.Err()
	})
	return err
}

// measureCommand adds a round of one update of a small model by train, from text or from the cache of
// the last run.
func (c *corpus) measureCommand(name string) error {
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
