package corpus

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/softsearch-go/softsearch/model/cmd/internal/files"
	"github.com/softsearch-go/softsearch/model/cmd/internal/terminal"
	"github.com/softsearch-go/softsearch/model/internal/atomic"
	"github.com/softsearch-go/softsearch/model/text"
)

type cacheMetadata struct {
	Key                                string
	SourceVocabulary, TargetVocabulary []string
	Summary
}

// key identifies the settings that turn text into examples, and the program. It does not have the text.
func (s Settings) key() string {
	if !s.HasLanguage() {
		s.Tokenizer = ""
	}
	encoded, err := json.Marshal(s)
	if err != nil {
		panic(err) // a field of a type that JSON does not have
	}
	return string(encoded)
}

func (c *Corpus) metadata() ([]byte, error) {
	return json.Marshal(cacheMetadata{c.settings.key(), c.Source.Words(), c.Target.Words(), c.Summary})
}

// checkCache returns an error if the file at the path of the cache is not a cache.
func (p *preparation) checkCache() error {
	info, err := os.Stat(p.Cache)
	if err == nil && info.Mode().IsRegular() && !isFile(p.Cache) {
		return fmt.Errorf("--cache %s: not a cache of train, expected another name", p.Cache)
	}
	return nil
}

// temporary creates a file for pairs that are too many for memory, beside the cache that will have them.
func (p *preparation) temporary() (*atomic.File, error) {
	if err := p.checkCache(); err != nil {
		return nil, err
	}
	return atomic.Create(p.Cache)
}

// lockCache locks the cache. It waits as long as another process has it.
func (p *preparation) lockCache() (unlock func(), err error) {
	const interval = 100 * time.Millisecond
	if p.NoLock {
		return func() {}, nil
	}
	for waiting := false; ; waiting = true {
		lock, err := files.NewLock(p.Cache)
		if err == nil {
			return func() { lock.Unlock() }, nil // a lock file that stays locks nothing
		}
		if err = fmt.Errorf("--cache %w", err); !errors.Is(err, files.ErrLocked) {
			return nil, err
		}
		if !waiting {
			fmt.Fprintf(p.Messages, "rnnsearch: %s; waiting for it\n", terminal.Quote(err.Error()))
		}
		select {
		case <-p.ctx.Done():
			return nil, p.ctx.Err()
		case <-time.After(interval):
		}
	}
}

func (p *preparation) writeCache(write func(io.Writer) error) (*File, error) {
	out, err := atomic.Create(p.Cache)
	if err != nil {
		return nil, fmt.Errorf("--cache %w", err)
	}
	defer out.Close()
	if err = write(out); err == nil {
		err = out.Commit(true)
	}
	if err != nil {
		return nil, fmt.Errorf("--cache %s: %w", p.Cache, err)
	}
	return p.openCache()
}

func (p *preparation) openCache() (*File, error) {
	info, err := os.Stat(p.Cache)
	if err != nil {
		return nil, fmt.Errorf("--cache: %w", err)
	}
	progress := p.Begin("checking the cache", terminal.Bytes, int(info.Size()))
	defer progress.Done()
	f, err := Open(p.ctx, p.Cache, func(n int) { progress.Add(n, "") })
	if err != nil {
		return nil, fmt.Errorf("--cache %w", err)
	}
	return f, nil
}

// readCache returns the corpus in the cache, or nil if there is none of this text and these settings. A
// cache of text from a pipe is never used: a pipe can be read only once, and what it has is not known
// before.
func (p *preparation) readCache() (*Corpus, error) {
	for _, in := range p.files() {
		if info, err := os.Stat(in.path); err != nil || !info.Mode().IsRegular() {
			return nil, nil
		}
	}
	if !isFile(p.Cache) {
		return nil, nil
	}
	var c *Corpus
	f, err := p.openCache()
	if err == nil {
		if c, err = p.matchCache(f); c == nil {
			f.Close()
		}
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case errors.Is(err, ErrDamaged):
		fmt.Fprintf(p.Messages, "rnnsearch: warning: %s; preparing the text again\n", terminal.Quote(err.Error()))
		return nil, nil
	}
	return c, err
}

// matchCache returns the corpus in a cache, or nil if it is of other text or settings.
func (p *preparation) matchCache(f *File) (*Corpus, error) {
	var m cacheMetadata
	if err := json.Unmarshal(f.metadata, &m); err != nil || m.Key != p.key() {
		fmt.Fprintf(p.Messages, "rnnsearch: %s is of other settings or another version; preparing the text again\n", terminal.Quote(p.Cache))
		return nil, nil
	}
	checksums, err := p.checksums()
	if err != nil {
		return nil, err
	}
	if !maps.Equal(checksums, m.Checksums) {
		fmt.Fprintf(p.Messages, "rnnsearch: %s is of other text; preparing the text again\n", terminal.Quote(p.Cache))
		return nil, nil
	}
	c := &Corpus{Train: f, Cached: true, Summary: m.Summary, settings: p.Settings}
	if c.Source, err = text.VocabularyOf(m.SourceVocabulary); err == nil {
		c.Target, err = text.VocabularyOf(m.TargetVocabulary)
	}
	if err != nil {
		err = fmt.Errorf("%w: %w", ErrDamaged, err)
	} else {
		err = f.expect(c.Source, c.Target, p.MaxLength)
	}
	if err != nil {
		return nil, fmt.Errorf("--cache %s: %w", p.Cache, err)
	}
	p.Messages.Write(m.Messages)
	return c, nil
}

// checksums returns the checksums of the files, all of which it reads at the same time.
func (p *preparation) checksums() (Checksums, error) {
	list := p.files()
	progress := &sharedProgress{Progress: p.Begin("checking the text", terminal.Bytes, totalSize(pathsOf(list)...))}
	defer progress.Done()
	checksums, errs := make([]string, len(list)), make([]error, len(list))
	var running sync.WaitGroup
	for i, file := range list {
		running.Go(func() {
			var in *input
			if in, errs[i] = openInput(p.ctx, file.path, progress); errs[i] != nil {
				return
			}
			defer in.Close()
			checksums[i], errs[i] = in.checksum()
		})
	}
	running.Wait()
	all := Checksums{}
	for i, file := range list {
		all.add(file.flag, checksums[i])
	}
	return all, errors.Join(slices.DeleteFunc(errs, func(err error) bool { return err == nil })...)
}

type sharedProgress struct {
	sync.Mutex
	terminal.Progress
}

func (p *sharedProgress) Add(n int, status string) {
	p.Lock()
	defer p.Unlock()
	p.Progress.Add(n, status)
}
