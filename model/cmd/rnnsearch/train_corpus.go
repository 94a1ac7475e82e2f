package main

import (
	"errors"
	"fmt"

	"github.com/spf13/pflag"

	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/cmd/bitext"
	"github.com/softsearch-go/softsearch/model/cmd/terminal"
	"github.com/softsearch-go/softsearch/model/text"
	"github.com/softsearch-go/softsearch/model/text/bpe"
	"github.com/softsearch-go/softsearch/model/text/pipeline"
)

// corpusOptions are the flags of train that name its text and say how lines become words.
type corpusOptions struct {
	source, target                     paths // file i of one translates file i of the other
	validSource, validTarget           string
	cache                              string
	keepCache                          bool // however small the text is
	strict, dropDuplicates             bool
	lengthRatio                        float64
	vocab, maxLength                   int
	sourceVocabulary, targetVocabulary string
	sourceLanguage, targetLanguage     string
	tokenizer                          string
	lowercase                          bool
	merges, sample, threshold          int
	initial                            *initialModel // of --init, may be nil
	codes                              string
}

func (o *corpusOptions) add(f *pflag.FlagSet) {
	f.Var(&o.source, "source", "`file` of source sentences for training; may be repeated")
	f.Var(&o.target, "target", "`file` of their translations; as many as of --source")
	f.StringVar(&o.validSource, "valid-source", "", "`file` of source sentences for validation (default held out from --source)")
	f.StringVar(&o.validTarget, "valid-target", "", "`file` of their translations")
	f.StringVar(&o.cache, "cache", "", "`file` to keep the prepared text in (default --model with .corpus appended, for large text only)")
	f.BoolVar(&o.strict, "strict", false, "end with an error at a line that is empty, too long or not UTF-8, instead of dropping the pair")
	f.IntVar(&o.vocab, "vocab", 30000, "maximum size of each vocabulary, </s> and <unk> included")
	f.StringVar(&o.sourceVocabulary, "source-vocabulary", "", "`file` of the source vocabulary, a word a line (default: from the text)")
	f.StringVar(&o.targetVocabulary, "target-vocabulary", "", "`file` of the target vocabulary, a word a line (default: from the text)")
	f.IntVar(&o.maxLength, "max-length", 50, "maximum length in words of a training sentence; pairs with a longer one are dropped")
	f.Float64Var(&o.lengthRatio, "length-ratio", 0, "maximum `ratio` of the lengths in words of a training pair; pairs with a larger one are dropped (default: no maximum)")
	f.BoolVar(&o.dropDuplicates, "drop-duplicates", false, "drop each pair that equals an earlier one, in tokens")
	f.StringVar(&o.sourceLanguage, "source-language", "", "`language` of the source if it is not tokenized: en, fr, de or other (default: the text is tokenized)")
	f.StringVar(&o.targetLanguage, "target-language", "", "`language` of the target if it is not tokenized: en, fr, de or other (default: the text is tokenized)")
	f.StringVar(&o.tokenizer, "tokenizer", string(pipeline.Reversible), "`name` of the tokenizer of sides with a language: reversible, which keeps all characters, and words such as URLs whole, or "+
		tokenizerMoses+", that of the Moses scripts")
	f.BoolVar(&o.lowercase, "lowercase", false, "lowercase the sides with a language")
	f.IntVar(&o.merges, "bpe", 0, "maximum number of byte-pair encoding `merges`, learned jointly from both sides (default: no segmentation)")
	f.IntVar(&o.sample, "bpe-sample", 5_000_000, "`number` of training pairs to learn the merges from, at equal distances in the text; 0 for all")
	f.StringVar(&o.codes, "codes", "", "`file` of byte-pair encoding merges of subword-nmt, instead of --bpe")
	f.IntVar(&o.threshold, "bpe-threshold", 0, "minimum `count` of a segment in the training text of its language (default: no minimum)")
}

// complete sets the default of --cache, and returns an error for flags that are given and have no
// effect.
func (o *corpusOptions) complete(flags *pflag.FlagSet, modelFile string) error {
	if o.keepCache = o.cache != ""; !o.keepCache {
		o.cache = modelFile + ".corpus"
	}
	if flags.Changed("bpe-sample") && o.merges == 0 {
		return fmt.Errorf("--bpe-sample %d: expected with --bpe", o.sample)
	}
	if flags.Changed("vocab") && o.sourceVocabulary != "" && o.targetVocabulary != "" {
		return fmt.Errorf("--vocab %d: expected without --source-vocabulary or --target-vocabulary", o.vocab)
	}
	if flags.Changed("tokenizer") && !o.plain() {
		return fmt.Errorf("--tokenizer %s: expected with --source-language or --target-language", o.tokenizer)
	}
	return nil
}

func (o *corpusOptions) check() error {
	err := checkNumbers(
		number{"vocab", o.vocab, 3, 1 << 24},
		number{"max-length", o.maxLength, 1, 10_000},
		number{"bpe", o.merges, 0, 1 << 24},
		number{"bpe-sample", o.sample, 0, 1_000_000_000},
		number{"bpe-threshold", o.threshold, 0, 1 << 30},
	)
	switch {
	case err != nil:
		return err
	case len(o.source) != len(o.target):
		return fmt.Errorf("--source: %s, --target: %s; expected as many", terminal.Plural(len(o.source), "file"), terminal.Plural(len(o.target), "file"))
	case o.lengthRatio != 0 && !(o.lengthRatio >= 1 && o.lengthRatio <= 10_000):
		return fmt.Errorf("--length-ratio %v: expected 1 to 10000, or 0 for no maximum", o.lengthRatio)
	case o.codes != "" && o.merges > 0:
		return fmt.Errorf("--codes %s: expected without --bpe", o.codes)
	case o.threshold > 0 && o.merges == 0 && o.codes == "":
		return fmt.Errorf("--bpe-threshold %d: expected with --bpe or --codes", o.threshold)
	case o.tokenizer != string(pipeline.Reversible) && o.tokenizer != tokenizerMoses:
		return fmt.Errorf("--tokenizer %q: expected %s or %s", o.tokenizer, pipeline.Reversible, tokenizerMoses)
	case o.lowercase && !o.plain():
		return errors.New("--lowercase: expected with --source-language or --target-language")
	}
	_, _, err = o.tokenizers()
	return err
}

// tokenizerMoses is the value of --tokenizer for the settings of models of before it.
const tokenizerMoses = "moses"

// plain reports whether a side is plain text, which is tokenized.
func (o *corpusOptions) plain() bool { return o.sourceLanguage != "" || o.targetLanguage != "" }

// tokenizers returns the pipelines of both sides without byte-pair encoding.
func (o *corpusOptions) tokenizers() (source, target pipeline.Pipeline, err error) {
	if source, err = o.side("source-language", o.sourceLanguage); err != nil {
		return source, target, err
	}
	target, err = o.side("target-language", o.targetLanguage)
	return source, target, err
}

// side returns the pipeline for the language in a flag.
func (o *corpusOptions) side(flag, language string) (pipeline.Pipeline, error) {
	settings := pipeline.Defaults(language)
	if o.tokenizer == tokenizerMoses {
		settings = pipeline.Settings{Language: language}
	}
	settings.Lowercase = o.lowercase && language != ""
	p, err := pipeline.New(settings)
	if err != nil {
		return p, fmt.Errorf("--%s: %w", flag, err)
	}
	return p, nil
}

// inputs returns the text files.
func (o *corpusOptions) inputs() (list []textFile) {
	add := func(flag string, paths ...string) {
		for _, path := range paths {
			if path != "" {
				list = append(list, textFile{flag, path})
			}
		}
	}
	add("source-vocabulary", o.sourceVocabulary)
	add("target-vocabulary", o.targetVocabulary)
	add("codes", o.codes)
	add("source", o.source...)
	add("target", o.target...)
	add("valid-source", o.validSource)
	add("valid-target", o.validTarget)
	return list
}

// A corpus is the text of a training, its vocabularies, and the pipelines that turn lines of each
// side into words.
type corpus struct {
	corpusFacts
	train          *bitext.File
	cached         bool // train is the cache
	source, target *text.Vocabulary
	codes          bpe.Codes // of --codes
}

// corpusFacts are what a cache says of a corpus, beside the training pairs.
type corpusFacts struct {
	Checksums              settings // of the files, by flag
	Valid                  []text.Pair
	SourceText, TargetText pipeline.Pipeline
	TooLong                int // training pairs dropped because of --max-length,
	Uneven                 int // --length-ratio,
	Duplicates             int // --drop-duplicates
	Bad, BadValid          int // and because of their lines
	Messages               []byte
}

// close closes the file of the training pairs.
func (c *corpus) close() error { return c.train.Close() }

// buildVocabularies builds the vocabularies of pairs, of at most size words each.
func (c *corpus) buildVocabularies(pairs []text.Pair, size int) (err error) {
	if c.source, err = text.NewVocabulary(text.Sources(pairs), size); err != nil {
		return fmt.Errorf("source: %w", err)
	}
	if c.target, err = text.NewVocabulary(text.Targets(pairs), size); err != nil {
		return fmt.Errorf("target: %w", err)
	}
	return nil
}

// newModel returns an untrained model for the corpus. The vocabularies of the corpus set the
// vocabulary sizes of the configuration.
func (c *corpus) newModel(config model.Config, seed uint64) (*model.Model, error) {
	config.SourceVocab, config.TargetVocab = c.source.Size(), c.target.Size()
	m, err := model.New(config, seed)
	if err != nil {
		return nil, err
	}
	m.Source, m.Target = c.source, c.target
	m.SourceText, m.TargetText = c.SourceText, c.TargetText
	return m, nil
}

// description returns the sizes of the corpus as lines of text.
func (c *corpus) description(o corpusOptions) string {
	s := fmt.Sprintf("training text: %s, %d dropped with more than %s on a side\n", terminal.Plural(c.train.Len(), "pair"), c.TooLong, terminal.Plural(o.maxLength, "word"))
	if o.lengthRatio > 0 {
		s += fmt.Sprintf("training text: %s dropped with a length ratio above %v\n", terminal.Plural(c.Uneven, "pair"), o.lengthRatio)
	}
	if o.dropDuplicates {
		s += fmt.Sprintf("training text: %s dropped that an earlier one equals\n", terminal.Plural(c.Duplicates, "pair"))
	}
	if c.Bad > 0 {
		s += fmt.Sprintf("training text: %s dropped with a bad line\n", terminal.Plural(c.Bad, "pair"))
	}
	s += fmt.Sprintf("validation text: %s\n", terminal.Plural(len(c.Valid), "pair"))
	if c.BadValid > 0 {
		s += fmt.Sprintf("validation text: %s dropped with a bad line\n", terminal.Plural(c.BadValid, "pair"))
	}
	return s + fmt.Sprintf("vocabularies: %d source words, %d target words", c.source.Size(), c.target.Size())
}

// capacity returns the capacity for any batch of that many sentences for training.
func (c *corpus) capacity(sentences int) model.Capacity {
	return model.Capacity{Sentences: min(sentences, c.train.Len()), SourceLength: c.train.LongestSource, TargetLength: c.train.LongestTarget}
}

// targetWords returns the number of words that the model predicts, EOS included.
func targetWords(examples []text.Example) int {
	n := 0
	for _, e := range examples {
		n += len(e.Target)
	}
	return n
}
