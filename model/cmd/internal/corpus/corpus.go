// Package corpus turns parallel text of any size into the examples of a training: from files of text
// to batches on disk.
//
// [Prepare] takes the [Settings] and returns the [Corpus]. It looks for a cache of this text first
// (cache.go). If there is none, it builds the corpus (build.go) in stages, which a [Reporter] shows:
// it reads and tokenizes the files into a tokenText, which keeps pairs as numbers of tokens
// (tokens.go), and warns if plain text is given as tokens; learns byte-pair encoding from the
// frequencies of tokens; chooses the vocabularies from the frequencies of words; and writes the ids of each pair to a
// [File] (file.go): the cache if the text is large, memory otherwise. From there a [text.Batcher] takes its
// batches.
package corpus

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/cmd/internal/files"
	"github.com/softsearch-go/softsearch/model/cmd/internal/models"
	"github.com/softsearch-go/softsearch/model/cmd/internal/terminal"
	"github.com/softsearch-go/softsearch/model/text"
	"github.com/softsearch-go/softsearch/model/text/bpe"
	"github.com/softsearch-go/softsearch/model/text/pipeline"
)

// Settings say which files have the text and how lines become examples. They are flags of rnnsearch
// train, and errors name them as such. A cache is of equal settings if their JSON is the same; that has
// no paths, because the cache has the checksums of the files.
type Settings struct {
	Source, Target                     []string `json:"-"` // file i of one translates file i of the other
	GuidedAlignment                    []string `json:"-"` // links between the tokens of each of these files, or nil
	ValidSource, ValidTarget           string   `json:"-"` // "" to hold out pairs
	SourceVocabulary, TargetVocabulary string   `json:"-"` // "" to choose one from the text
	Codes                              string   `json:"-"` // merges of byte-pair encoding
	Cache                              string   `json:"-"` // "" for memory, however large the text is
	KeepCache                          bool     `json:"-"` // however small the text is
	NoLock                             bool     `json:"-"` // for a file system without locks

	Strict                         bool // a bad line is an error
	DropDuplicates                 bool
	LengthRatio                    float64 // of a pair at most, 0 for no maximum
	VocabularySize, MaxLength      int
	SourceLanguage, TargetLanguage string   // "" for tokens separated by white space
	Tokenizer                      string   // of sides with a language: pipeline.Reversible or Moses
	Lowercase                      bool     // with Moses
	Merges, Sample, Threshold      int      // of byte-pair encoding: number, pairs to learn from (0 for all), least frequency of a segment
	Initial                        *Initial // has the vocabularies and pipelines, unless it is nil
	Program                        string   // its version: another one may prepare the text in another way
}

const guidedAlignment = "guided-alignment" // flag

// Moses is the Tokenizer of the scripts of that name.
const Moses = "moses"

// An Initial is the model that a training starts from.
type Initial struct {
	*model.Model `json:"-"`
	Path         string `json:"-"`
	Digest       string
}

// OpenInitial reads the model of --init, in float32: a file, or one that is built in.
func OpenInitial(path string) (*Initial, error) {
	m, err := models.OpenModel(path)
	if err != nil {
		return nil, fmt.Errorf("--init: %w", err)
	}
	if m.Config.Weights == model.Int8 {
		if m, err = m.Dequantize(); err != nil {
			return nil, fmt.Errorf("--init %s: %w", path, err)
		}
	}
	digest, err := models.Digest(path)
	if err != nil {
		return nil, fmt.Errorf("--init: %w", err)
	}
	return &Initial{Model: m, Path: path, Digest: digest}, nil
}

// HasLanguage reports whether a side is text that is tokenized.
func (s *Settings) HasLanguage() bool { return s.SourceLanguage != "" || s.TargetLanguage != "" }

// Pipelines returns the pipelines of both sides without byte-pair encoding.
func (s *Settings) Pipelines() (source, target pipeline.Pipeline, err error) {
	of := func(flag, language string) pipeline.Pipeline {
		settings := pipeline.Defaults(language)
		if s.Tokenizer == Moses {
			settings = pipeline.Settings{Language: language}
		}
		settings.Lowercase = s.Lowercase && language != ""
		p, failed := pipeline.New(settings)
		if failed != nil && err == nil {
			err = fmt.Errorf("--%s: %w", flag, failed)
		}
		return p
	}
	return of("source-language", s.SourceLanguage), of("target-language", s.TargetLanguage), err
}

// A textFile is a file of the settings, by its flag.
type textFile struct{ flag, path string }

func (s *Settings) files() (list []textFile) {
	add := func(flag string, paths ...string) {
		for _, path := range paths {
			if path != "" {
				list = append(list, textFile{flag, path})
			}
		}
	}
	add("source-vocabulary", s.SourceVocabulary)
	add("target-vocabulary", s.TargetVocabulary)
	add("codes", s.Codes)
	add("source", s.Source...)
	add("target", s.Target...)
	add(guidedAlignment, s.GuidedAlignment...)
	add("valid-source", s.ValidSource)
	add("valid-target", s.ValidTarget)
	return list
}

// A Reporter shows the stages of Prepare, one after the other, and gets the messages between them.
type Reporter struct {
	Begin    terminal.Start
	Messages io.Writer
}

// A Corpus is the text of a training, its vocabularies, and the pipelines that turn lines of each side
// into words.
type Corpus struct {
	Train          *File // the pairs for training
	Cached         bool  // Train is the cache
	Source, Target *text.Vocabulary
	Summary

	settings Settings
	codes    bpe.Codes // of a file
}

// A Summary is what a cache says of a corpus beside its examples and vocabularies.
type Summary struct {
	Checksums              Checksums
	Valid                  []text.Pair // for validation
	SourceText, TargetText pipeline.Pipeline
	TooLong                int // training pairs dropped because of MaxLength,
	Uneven                 int // LengthRatio,
	Unlike                 int // numbers or code of one side alone,
	Duplicates             int // DropDuplicates
	Bad, BadValid          int // and because of their lines
	Messages               []byte
}

// Checksums are the SHA-256 of decompressed files by flag, separated by commas if the flag has several.
type Checksums map[string]string

func (c Checksums) add(flag, checksum string) {
	if c[flag] != "" {
		checksum = c[flag] + "," + checksum
	}
	c[flag] = checksum
}

// Prepare returns the corpus, from the cache if that is of equal settings and text. Otherwise it reads
// the text on that many threads, and writes the cache if the text is large or KeepCache is set. Only one
// process at a time prepares text for a cache; others wait for it. The end of ctx ends Prepare soon,
// with the error of ctx. The corpus must be closed.
func Prepare(ctx context.Context, s Settings, threads int, r Reporter) (*Corpus, error) {
	p := &preparation{ctx, s, threads, r}
	if s.Cache == "" {
		return p.build()
	}
	before, _ := os.Stat(s.Cache)
	if c, err := p.readCache(); c != nil || err != nil {
		return c, err
	}
	unlock, err := p.lockCache()
	if err != nil {
		return nil, err
	}
	defer unlock()
	if after, err := os.Stat(s.Cache); err == nil && (before == nil || !os.SameFile(before, after)) {
		if c, err := p.readCache(); c != nil || err != nil {
			return c, err
		}
	}
	return p.build()
}

type preparation struct {
	ctx context.Context
	Settings
	threads int
	Reporter
}

// Close closes the file of the training pairs.
func (c *Corpus) Close() error { return c.Train.Close() }

// NewModel returns an untrained model with the vocabularies and pipelines of the corpus. The
// configuration need not have the sizes of the vocabularies.
func (c *Corpus) NewModel(config model.Config, seed uint64) (*model.Model, error) {
	config.SourceVocab, config.TargetVocab = c.Source.Size(), c.Target.Size()
	m, err := model.New(config, seed)
	if err != nil {
		return nil, err
	}
	m.Source, m.Target = c.Source, c.Target
	m.SourceText, m.TargetText = c.SourceText, c.TargetText
	return m, nil
}

// Description returns the sizes of the corpus as lines of text.
func (c *Corpus) Description() string {
	s := fmt.Sprintf("training text: %s, %d dropped with more than %s on a side\n",
		terminal.Plural(c.Train.Len(), "pair"), c.TooLong, terminal.Plural(c.settings.MaxLength, "word"))
	if ratio := c.settings.LengthRatio; ratio > 0 {
		s += fmt.Sprintf("training text: %s dropped with a length ratio above %v\n", terminal.Plural(c.Uneven, "pair"), ratio)
	}
	if c.Unlike > 0 {
		s += fmt.Sprintf("training text: %s dropped with numbers or code on one side alone\n", terminal.Plural(c.Unlike, "pair"))
	}
	if c.settings.DropDuplicates {
		s += fmt.Sprintf("training text: %s dropped that an earlier one equals\n", terminal.Plural(c.Duplicates, "pair"))
	}
	if c.Bad > 0 {
		s += fmt.Sprintf("training text: %s dropped with a bad line\n", terminal.Plural(c.Bad, "pair"))
	}
	s += fmt.Sprintf("validation text: %s\n", terminal.Plural(len(c.Valid), "pair"))
	if c.BadValid > 0 {
		s += fmt.Sprintf("validation text: %s dropped with a bad line\n", terminal.Plural(c.BadValid, "pair"))
	}
	return s + fmt.Sprintf("vocabularies: %d source words, %d target words", c.Source.Size(), c.Target.Size())
}

// An input is a text file that is read once: it takes the checksum and shows the progress on the way.
type input struct {
	*files.Input
	ctx      context.Context
	hash     hash.Hash
	head     []byte // of the text, up to headLength
	offset   int64  // in the file, as shown
	progress terminal.Progress
}

// openInput opens a text file, until ctx ends.
func openInput(ctx context.Context, path string, p terminal.Progress) (*input, error) {
	in, err := files.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	return &input{Input: in, ctx: ctx, hash: sha256.New(), progress: p}, nil
}

func (in *input) Read(p []byte) (int, error) {
	n, err := in.Input.Read(p)
	if end := in.ctx.Err(); end != nil {
		return 0, end
	}
	in.hash.Write(p[:n])
	in.head = append(in.head, p[:min(n, headLength-len(in.head))]...)
	offset := in.Offset()
	in.progress.Add(int(offset-in.offset), "")
	in.offset = offset
	return n, err
}

// checksum returns the SHA-256 of the decompressed text. It reads what is left of it.
func (in *input) checksum() (string, error) {
	if _, err := io.Copy(io.Discard, in); err != nil {
		return "", err
	}
	return hex.EncodeToString(in.hash.Sum(nil)), nil
}

// totalSize returns the sum of the sizes of files, or 0 if one is unknown.
func totalSize(paths ...string) int {
	total := 0
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil || !info.Mode().IsRegular() {
			return 0
		}
		total += int(info.Size())
	}
	return total
}

func pathsOf(list []textFile) []string {
	paths := make([]string, len(list))
	for i, file := range list {
		paths[i] = file.path
	}
	return paths
}

// headLength is the number of bytes from the beginning of a file that tell plain text from tokens.
const headLength = 16 << 10

// punctuated returns the share of words that end in punctuation, in percent: 6 to 17 in plain text, below 2 in
// tokens, which abbreviations have. It is 0 if there are too few words to tell.
func punctuated(text string) float64 {
	const few = 100
	words := strings.Fields(text)
	if len(words) < few {
		return 0
	}
	n := 0
	for _, word := range words {
		word = strings.TrimRight(word, "\"')]’”»")
		if stem := strings.TrimRight(word, ".,;:!?…"); stem != word && strings.ContainsFunc(stem, unicode.IsLetter) && !strings.Contains(stem, "&") {
			n++ // and no XML entity of a token such as d&apos;
		}
	}
	return 100 * float64(n) / float64(len(words))
}

// A plainText is a file of text and what punctuated says of its beginning.
type plainText struct {
	textFile
	share float64
}

// plainWarning returns a warning about those files, whose words should be tokens, that are plain text.
func plainWarning(list []plainText) []byte {
	const most = 4 // percent in tokens
	var evidence, flags []string
	for _, p := range list {
		if p.share > most {
			evidence = append(evidence, fmt.Sprintf("%.0f%% of the words of %s", p.share, terminal.Quote(p.path)))
			flags = append(flags, fmt.Sprintf("--%s-language %s", p.flag, languageOf(p.path)))
		}
	}
	if evidence == nil {
		return nil
	}
	return fmt.Appendf(nil, "rnnsearch: warning: %s end in punctuation: this is plain text; pass %s to take words and punctuation apart\n",
		strings.Join(evidence, " and "), strings.Join(flags, " "))
}

// languageOf returns the language that a part of the name of a file is, or other.
func languageOf(path string) string {
	for _, part := range slices.Backward(strings.FieldsFunc(filepath.Base(path), func(r rune) bool { return strings.ContainsRune(".-_", r) })) {
		if slices.Contains([]string{"en", "fr", "de"}, part) {
			return part
		}
	}
	return "other"
}
