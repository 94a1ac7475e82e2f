package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"runtime"
	"slices"
	"sync"

	"github.com/softsearch-go/softsearch/model/cmd/bitext"
	"github.com/softsearch-go/softsearch/model/cmd/files"
	"github.com/softsearch-go/softsearch/model/cmd/terminal"
	"github.com/softsearch-go/softsearch/model/text"
)

// cacheMetadata is what a cache has beside the training pairs, as JSON.
type cacheMetadata struct {
	Key                                string // see corpusOptions.key
	SourceVocabulary, TargetVocabulary []string
	corpusFacts
}

// key identifies the settings that turn text into examples, and the program. It does not have the
// text.
func (o *corpusOptions) key() string {
	initial, tokenizer := "none", "none"
	if o.plain() {
		tokenizer = o.tokenizer
	}
	if o.initial != nil {
		initial = o.initial.digest
	}
	number, commit := build()
	return fmt.Sprintf("strict %t, duplicates %t, ratio %v, vocabulary %d, length %d, languages %q %q, tokenizer %q, lower case %t, merges %d of %d, threshold %d, validation %t, initial %s, version %s, commit %q, %s",
		o.strict, o.dropDuplicates, o.lengthRatio, o.vocab, o.maxLength, o.sourceLanguage, o.targetLanguage, tokenizer, o.lowercase,
		o.merges, o.sample, o.threshold, o.validSource != "", initial, number, commit, runtime.Version())
}

// metadata returns the metadata of the cache of c.
func (c *corpus) metadata(o corpusOptions) ([]byte, error) {
	return json.Marshal(cacheMetadata{o.key(), c.source.Words(), c.target.Words(), c.corpusFacts})
}

// setMetadata sets c to what the metadata of a cache says.
func (c *corpus) setMetadata(m cacheMetadata) (err error) {
	if c.source, err = text.VocabularyOf(m.SourceVocabulary); err != nil {
		return err
	}
	if c.target, err = text.VocabularyOf(m.TargetVocabulary); err != nil {
		return err
	}
	c.corpusFacts = m.corpusFacts
	return nil
}

// checkCache returns an error if the file at the path of the cache is not a cache.
func (o *corpusOptions) checkCache() error {
	info, err := os.Stat(o.cache)
	if err == nil && info.Mode().IsRegular() && !bitext.Is(o.cache) {
		return fmt.Errorf("--cache %s: not a cache of train, expected another name", o.cache)
	}
	return nil
}

// writeCache writes the cache that write writes, and opens it.
func (c *corpus) writeCache(o corpusOptions, show *preparation, write func(io.Writer) error) error {
	out, err := show.create(o.cache)
	if err != nil {
		return fmt.Errorf("--cache %w", err)
	}
	defer out.Close()
	if err := write(out); err != nil {
		return fmt.Errorf("--cache %s: %w", o.cache, err)
	}
	if err := out.Commit(); err != nil {
		return fmt.Errorf("--cache %s: %w", o.cache, err)
	}
	c.train, err = openCache(o, show)
	c.cached = true
	return err
}

// openCache opens the cache and verifies it.
func openCache(o corpusOptions, show *preparation) (*bitext.File, error) {
	info, err := os.Stat(o.cache)
	if err != nil {
		return nil, fmt.Errorf("--cache: %w", err)
	}
	p := show.begin("checking the cache", terminal.Bytes, int(info.Size()))
	defer p.Done()
	f, err := bitext.Open(o.cache, func(n int) { p.Add(n, "") })
	if err != nil {
		return nil, fmt.Errorf("--cache %w", err)
	}
	return f, nil
}

// readCache returns the corpus in the cache, or nil if there is none of this text and these settings. A
// cache of text from a pipe is never used: a pipe can be read only once, and what it has is not known
// before.
func readCache(o corpusOptions, show *preparation) (*corpus, error) {
	inputs := o.inputs()
	for _, in := range inputs {
		if files.CheckRegular(in.path) != nil {
			return nil, nil
		}
	}
	if !bitext.Is(o.cache) {
		return nil, nil
	}
	f, err := openCache(o, show)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case errors.Is(err, bitext.ErrDamaged):
		show.write(fmt.Appendf(nil, "rnnsearch: warning: %s; preparing the text again\n", terminal.Quote(err.Error())))
		return nil, nil
	case err != nil:
		return nil, err
	}
	c, err := matchCache(o, f, inputs, show)
	if c == nil {
		f.Close()
	}
	return c, err
}

// matchCache returns the corpus in a cache, or nil if it is of other text or settings.
func matchCache(o corpusOptions, f *bitext.File, inputs []textFile, show *preparation) (*corpus, error) {
	var m cacheMetadata
	if err := json.Unmarshal(f.Metadata, &m); err != nil || m.Key != o.key() {
		show.write(fmt.Appendf(nil, "rnnsearch: %s is of other settings or another version; preparing the text again\n", terminal.Quote(o.cache)))
		return nil, nil
	}
	checksums, err := checksumsOf(inputs, show)
	if err != nil {
		return nil, err
	}
	if !maps.Equal(checksums, m.Checksums) {
		show.write(fmt.Appendf(nil, "rnnsearch: %s is of other text; preparing the text again\n", terminal.Quote(o.cache)))
		return nil, nil
	}
	c := &corpus{train: f, cached: true}
	if err := c.setMetadata(m); err != nil {
		return nil, fmt.Errorf("--cache %s: %w", o.cache, err)
	}
	show.write(m.Messages)
	return c, nil
}

// checksumsOf returns the checksums of files, all of which it reads at the same time.
func checksumsOf(inputs []textFile, show *preparation) (settings, error) {
	p := show.begin("checking the text", terminal.Bytes, totalSize(pathsOf(inputs)))
	defer p.Done()
	checksums, errs := make([]string, len(inputs)), make([]error, len(inputs))
	var running sync.WaitGroup
	for i, in := range inputs {
		running.Go(func() {
			var f *textInput
			if f, errs[i] = openText(in.path); errs[i] != nil {
				return
			}
			defer f.Close()
			f.progress = p
			checksums[i], errs[i] = f.checksum()
		})
	}
	running.Wait()
	all := settings{}
	for i, in := range inputs {
		all.addChecksum(in.flag, checksums[i])
	}
	return all, errors.Join(slices.DeleteFunc(errs, func(err error) bool { return err == nil })...)
}

// addChecksum adds the checksum of a file to those of its flag.
func (s settings) addChecksum(flag, checksum string) {
	if s[flag] != "" {
		checksum = s[flag] + "," + checksum
	}
	s[flag] = checksum
}
