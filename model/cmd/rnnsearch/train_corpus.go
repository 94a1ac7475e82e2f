package main

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"

	"github.com/spf13/pflag"

	"github.com/softsearch-go/softsearch/model/cmd/corpus"
	"github.com/softsearch-go/softsearch/model/cmd/terminal"
	"github.com/softsearch-go/softsearch/model/text/pipeline"
)

// corpusOptions are the flags of train that name its text and say how lines become words.
type corpusOptions struct{ corpus.Settings }

// corpusValues are the values of flags that have few.
var corpusValues = map[string][]string{
	"source-language": {"en", "fr", "de", "other"}, "target-language": {"en", "fr", "de", "other"},
	"tokenizer": {string(pipeline.Reversible), corpus.Moses},
}

func (o *corpusOptions) add(f *pflag.FlagSet) {
	f.Var((*paths)(&o.Source), "source", "`file` of source sentences for training; may be repeated")
	f.Var((*paths)(&o.Target), "target", "`file` of their translations; as many as of --source")
	f.StringVar(&o.ValidSource, "valid-source", "", "`file` of source sentences for validation (default held out from --source)")
	f.StringVar(&o.ValidTarget, "valid-target", "", "`file` of their translations")
	f.StringVar(&o.Cache, "cache", "", "`file` to keep the prepared text in (default --model with .corpus appended, for large text only)")
	f.BoolVar(&o.Strict, "strict", false, "end with an error at a line that is empty, too long or not UTF-8, instead of dropping the pair")
	f.IntVar(&o.VocabularySize, "vocab", 30000, "maximum size of each vocabulary, </s> and <unk> included")
	f.StringVar(&o.SourceVocabulary, "source-vocabulary", "", "`file` of the source vocabulary, a word a line (default: from the text)")
	f.StringVar(&o.TargetVocabulary, "target-vocabulary", "", "`file` of the target vocabulary, a word a line (default: from the text)")
	f.IntVar(&o.MaxLength, "max-length", 50, "maximum length in words of a training sentence; pairs with a longer one are dropped")
	f.Float64Var(&o.LengthRatio, "length-ratio", 0, "maximum `ratio` of the lengths in words of a training pair; pairs with a larger one are dropped (default: no maximum)")
	f.BoolVar(&o.DropDuplicates, "drop-duplicates", false, "drop each pair that equals an earlier one, in tokens")
	f.StringVar(&o.SourceLanguage, "source-language", "", "`language` of the source if it is not tokenized: en, fr, de or other (default: the text is tokenized)")
	f.StringVar(&o.TargetLanguage, "target-language", "", "`language` of the target if it is not tokenized: en, fr, de or other (default: the text is tokenized)")
	f.StringVar(&o.Tokenizer, "tokenizer", string(pipeline.Reversible), "`name` of the tokenizer of sides with a language: reversible, which keeps all characters, and words such as URLs whole, or "+
		corpus.Moses+", that of the Moses scripts")
	f.BoolVar(&o.Lowercase, "lowercase", false, "lowercase the sides with a language")
	f.IntVar(&o.Merges, "bpe", 0, "maximum number of byte-pair encoding `merges`, learned jointly from both sides (default: no segmentation)")
	f.IntVar(&o.Sample, "bpe-sample", 5_000_000, "`number` of training pairs to learn the merges from, at equal distances in the text; 0 for all")
	f.StringVar(&o.Codes, "codes", "", "`file` of byte-pair encoding merges of subword-nmt, instead of --bpe")
	f.IntVar(&o.Threshold, "bpe-threshold", 0, "minimum `count` of a segment in the training text of its language (default: no minimum)")
}

// complete sets the default of --cache and the version of the program, and returns an error for flags
// that are given and have no effect.
func (o *corpusOptions) complete(flags *pflag.FlagSet, modelFile string) error {
	if o.KeepCache = o.Cache != ""; !o.KeepCache {
		o.Cache = modelFile + ".corpus"
	}
	number, commit := build()
	o.Program = fmt.Sprintf("%s, commit %q, %s", number, commit, runtime.Version())
	if flags.Changed("bpe-sample") && o.Merges == 0 {
		return fmt.Errorf("--bpe-sample %d: expected with --bpe", o.Sample)
	}
	if flags.Changed("vocab") && o.SourceVocabulary != "" && o.TargetVocabulary != "" {
		return fmt.Errorf("--vocab %d: expected without --source-vocabulary or --target-vocabulary", o.VocabularySize)
	}
	if flags.Changed("tokenizer") && !o.HasLanguage() {
		return fmt.Errorf("--tokenizer %s: expected with --source-language or --target-language", o.Tokenizer)
	}
	return nil
}

func (o *corpusOptions) check() error {
	err := checkNumbers(
		number{"vocab", o.VocabularySize, 3, 1 << 24},
		number{"max-length", o.MaxLength, 1, 10_000},
		number{"bpe", o.Merges, 0, 1 << 24},
		number{"bpe-sample", o.Sample, 0, 1_000_000_000},
		number{"bpe-threshold", o.Threshold, 0, 1 << 30},
	)
	switch {
	case err != nil:
		return err
	case len(o.Source) != len(o.Target):
		return fmt.Errorf("--source: %s, --target: %s; expected as many", terminal.Plural(len(o.Source), "file"), terminal.Plural(len(o.Target), "file"))
	case o.LengthRatio != 0 && !(o.LengthRatio >= 1 && o.LengthRatio <= 10_000):
		return fmt.Errorf("--length-ratio %v: expected 1 to 10000, or 0 for no maximum", o.LengthRatio)
	case o.Codes != "" && o.Merges > 0:
		return fmt.Errorf("--codes %s: expected without --bpe", o.Codes)
	case o.Threshold > 0 && o.Merges == 0 && o.Codes == "":
		return fmt.Errorf("--bpe-threshold %d: expected with --bpe or --codes", o.Threshold)
	case o.Tokenizer != string(pipeline.Reversible) && o.Tokenizer != corpus.Moses:
		return fmt.Errorf("--tokenizer %q: expected %s or %s", o.Tokenizer, pipeline.Reversible, corpus.Moses)
	case o.Lowercase && !o.HasLanguage():
		return errors.New("--lowercase: expected with --source-language or --target-language")
	}
	_, _, err = o.Pipelines()
	return err
}

// paths are the values of a flag that may be repeated.
type paths []string

func (p *paths) String() string { return strings.Join(*p, string(os.PathListSeparator)) }
func (p *paths) Type() string   { return "strings" }

// Set adds a path.
func (p *paths) Set(path string) error {
	*p = append(*p, path)
	return nil
}
