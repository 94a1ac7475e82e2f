package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/spf13/pflag"

	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/cmd/internal/corpus"
	"github.com/softsearch-go/softsearch/model/cmd/internal/training"
)

// trainChoices are the flags that have one of few values.
var trainChoices = []choice{
	{"tokenizer", []string{"reversible", "moses"}},
	{"kind", []string{string(model.RNNsearch), string(model.RNNencdec)}},
	{"order", []string{string(model.UpdateFirst), string(model.PredictFirst)}},
	{"alignment-model", []string{"additive", "dot", "general"}},
	{"precision", []string{"float32", string(model.BF16)}},
	{"optimizer", []string{"adadelta", "adam"}},
	{"best-by", []string{string(training.ByBLEU), string(training.ByLoss)}},
	{"log", []string{"text", "json"}},
	{"source-language", languages},
	{"target-language", languages},
}

// languages are the values of --source-language and --target-language.
var languages = []string{"en", "fr", "de", "other"}

// The values of --alignment-model and --precision.
var (
	alignmentModels = map[string]model.AlignmentModel{"additive": model.Additive, "dot": model.Dot, "general": model.General}
	precisions      = map[string]model.Precision{"float32": model.Float32, "bf16": model.BF16}
)

// defaultRate is the learning rate that Kingma and Ba (2015) recommend for Adam.
const defaultRate = 0.001

func (o *trainOptions) addText(f *pflag.FlagSet) {
	f.Var((*paths)(&o.text.Source), "source", "`file` of source sentences; may be repeated")
	f.Var((*paths)(&o.text.Target), "target", "`file` of translations, one for each --source")
	f.Var((*paths)(&o.text.GuidedAlignment), "guided-alignment", "`file` of links that guide the attention")
	f.StringVar(&o.text.ValidSource, "valid-source", "", "`file` for validation (default: held out)")
	f.StringVar(&o.text.ValidTarget, "valid-target", "", "`file` of its translations")
	f.StringVar(&o.text.Cache, "cache", "", "`file` to keep prepared text in")
	f.BoolVar(&o.text.Strict, "strict", false, "end at a bad line instead of dropping the pair")
	f.IntVar(&o.text.VocabularySize, "vocab", 30000, "largest size of a vocabulary")
	f.StringVar(&o.text.SourceVocabulary, "source-vocabulary", "", "`file` of words, one a line")
	f.StringVar(&o.text.TargetVocabulary, "target-vocabulary", "", "`file` of words, one a line")
	f.IntVar(&o.text.MaxLength, "max-length", 50, "drop pairs with more words")
	f.Float64Var(&o.text.LengthRatio, "length-ratio", 0, "drop pairs that are more uneven than this `ratio`")
	f.BoolVar(&o.text.DropDuplicates, "drop-duplicates", false, "drop each pair that equals an earlier one")
	f.StringVar(&o.text.SourceLanguage, "source-language", "", "`language` of plain text: en, fr, de or other")
	f.StringVar(&o.text.TargetLanguage, "target-language", "", "`language` of plain text: en, fr, de or other")
	f.StringVar(&o.text.Tokenizer, "tokenizer", "reversible", "`name`: reversible or moses")
	f.BoolVar(&o.text.Lowercase, "lowercase", false, "lowercase text, with --tokenizer moses")
	f.IntVar(&o.text.Merges, "bpe", 0, "number of byte-pair encoding `merges` to learn")
	f.IntVar(&o.text.Sample, "bpe-sample", 5_000_000, "`number` of pairs to learn from, 0 for all")
	f.StringVar(&o.text.Codes, "codes", "", "`file` of merges, instead of --bpe")
	f.IntVar(&o.text.Threshold, "bpe-threshold", 0, "least `count` of a segment in the text")
}

func (o *trainOptions) addModel(f *pflag.FlagSet) {
	f.StringVar((*string)(&o.Config.Kind), "kind", string(model.RNNsearch), "search, with attention, or encdec")
	f.StringVar((*string)(&o.Config.Order), "order", string(model.UpdateFirst), "update-first or predict-first")
	f.StringVar(&o.alignmentModel, "alignment-model", "additive", "additive, dot or general")
	f.IntVar(&o.Config.Embedding, "embedding", 620, "size of a word embedding")
	f.IntVar(&o.Config.Hidden, "hidden", 1000, "units of each GRU")
	f.IntVar(&o.Config.Alignment, "alignment", 1000, "units of the alignment model")
	f.IntVar(&o.Config.Maxout, "maxout", 500, "maxout units")
}

func (o *trainOptions) addRecipe(f *pflag.FlagSet) {
	o.Recipe.Adam = new(model.Adam)
	f.StringVar(&o.optimizer, "optimizer", "adadelta", "adadelta or adam")
	f.Float64Var(&o.Recipe.Adam.Rate, "learning-rate", defaultRate, "learning rate of adam")
	f.IntVar(&o.Recipe.Adam.Warmup, "warmup", 0, "updates over which adam's rate grows, 0 for none")
	f.IntVar(&o.Recipe.Adam.Decay, "decay", 0, "update after which adam's rate falls, 0 for never")
	f.Float64Var(&o.Recipe.Dropout.Embedding, "dropout-embedding", 0, "probability of dropping a value of an embedding")
	f.Float64Var(&o.Recipe.Dropout.Context, "dropout-context", 0, "probability of dropping a unit of all annotations")
	f.Float64Var(&o.Recipe.Dropout.Readout, "dropout-readout", 0, "probability of dropping a maxout unit")
	f.Float64Var(&o.Recipe.LabelSmoothing, "label-smoothing", 0, "share of the target spread over all words")
	f.Float64Var(&o.guidedWeight, "guided-weight", 1, "`weight` of --guided-alignment")
	f.Float64Var(&o.Recipe.Average, "average", 0, "decay of a moving average of the weights, 0 for none")
	f.StringVar(&o.precision, "precision", "float32", "float32 or bf16")
}

func (o *trainOptions) addCheckpoints(f *pflag.FlagSet) {
	f.StringVar(&o.Checkpoint, "checkpoint", "", "`file` to save to and resume from")
	f.IntVar(&o.Saves.Updates, "checkpoint-updates", 0, "updates between two, 0 to save by time only")
	f.IntVar(&o.Saves.Minutes, "checkpoint-minutes", 10, "minutes between two, 0 for updates only")
}

func (o *trainOptions) addEnd(f *pflag.FlagSet) {
	f.IntVar(&o.Epochs, "epochs", 5, "passes over the text, unlimited with --updates alone")
	f.IntVar(&o.Updates, "updates", 0, "updates after which to stop, 0 for no limit")
	f.IntVar(&o.Patience, "patience", 0, "validations without a better model, 0 for no limit")
	f.IntVar(&o.ValidUpdates, "valid-updates", 0, "updates between validations within an epoch")
	f.StringVar((*string)(&o.BestBy), "best-by", string(training.ByBLEU), "validation: bleu or loss")
}

func (o *trainOptions) addLog(f *pflag.FlagSet) {
	f.StringVar(&o.log, "log", "text", "format of standard output: text or json")
	f.StringVar(&o.LogFile, "log-file", "", "`file` to append a log in json to")
	f.IntVar(&o.ProgressUpdates, "progress-updates", 100, "updates between two progress events")
}

// attends reports whether the model has attention, and so the flags of it.
func (o *trainOptions) attends() bool { return o.Config.Kind != model.RNNencdec }

// completeModel sets the model and the recipe to what the flags name, and --alignment, if it is not given,
// to the size that the alignment model needs. It returns an error for flags of another kind or optimizer.
func (o *trainOptions) completeModel(flags *pflag.FlagSet) error {
	if !o.attends() {
		for _, name := range []string{"alignment-model", "alignment", "guided-alignment"} {
			if f := flags.Lookup(name); f.Changed {
				return fmt.Errorf("--%s %s: expected only with --kind %s", name, visible(f.Value.String()), model.RNNsearch)
			}
		}
	}
	o.Config.AlignmentModel, o.Recipe.Precision, o.Recipe.Seed = alignmentModels[o.alignmentModel], precisions[o.precision], o.Seed
	switch n, sources := len(o.text.GuidedAlignment), len(o.text.Source); {
	case n == 0 && flags.Changed("guided-weight"):
		return fmt.Errorf("--guided-weight %v: expected with --guided-alignment", o.guidedWeight)
	case n != 0 && n != sources:
		return fmt.Errorf("--guided-alignment: %d files, --source: %d; expected as many", n, sources)
	case n != 0:
		o.Recipe.GuidedAlignment = o.guidedWeight
	}
	if o.optimizer == "adadelta" {
		if *o.Recipe.Adam != (model.Adam{Rate: defaultRate}) {
			return errors.New("--learning-rate, --warmup, --decay: expected only with --optimizer adam")
		}
		o.Recipe.Adam = nil
	}
	if o.Config.AlignmentModel == model.Additive || flags.Changed("alignment") {
		return nil
	}
	return flags.Set("alignment", strconv.Itoa(o.Config.Hidden))
}

func (o *trainOptions) check(ctx context.Context, flags *pflag.FlagSet, r *training.Ranks) error {
	const maxUnits, most = 1 << 14, 1_000_000_000
	t, c, shards := &o.text, o.Config, o.Recipe.Shards
	err := checkNumbers(
		number{"batch", o.Batch, 1, 10_000},
		number{"batch-words", o.BatchWords, 0, most},
		number{"vocab", t.VocabularySize, 3, 1 << 24},
		number{"max-length", t.MaxLength, 1, 10_000},
		number{"bpe", t.Merges, 0, 1 << 24},
		number{"bpe-sample", t.Sample, 0, most},
		number{"bpe-threshold", t.Threshold, 0, 1 << 30},
		number{"embedding", c.Embedding, 1, maxUnits},
		number{"hidden", c.Hidden, 1, maxUnits},
		number{"alignment", c.Alignment, 1, maxUnits},
		number{"maxout", c.Maxout, 1, maxUnits},
		number{"checkpoint-updates", o.Saves.Updates, 0, most},
		number{"checkpoint-minutes", o.Saves.Minutes, 0, 1_000_000},
		number{"epochs", o.Epochs, 1, 1_000_000},
		number{"updates", o.Updates, 0, most},
		number{"patience", o.Patience, 0, 1_000_000},
		number{"valid-updates", o.ValidUpdates, 0, most},
		number{"progress-updates", o.ProgressUpdates, 1, most},
	)
	if err == nil {
		err = checkChoices(flags, trainChoices...)
	}
	switch {
	case err != nil:
		return err
	case shards < 1 || shards > o.Batch || shards&(shards-1) != 0:
		return fmt.Errorf("--shards %d: expected a power of two, at most --batch %d", shards, o.Batch)
	case t.LengthRatio != 0 && !(t.LengthRatio >= 1 && t.LengthRatio <= 10_000):
		return fmt.Errorf("--length-ratio %v: expected 1 to 10000, or 0 for no maximum", t.LengthRatio)
	case t.Codes != "" && t.Merges > 0:
		return fmt.Errorf("--codes %s: expected without --bpe", t.Codes)
	case t.Threshold > 0 && t.Merges == 0 && t.Codes == "":
		return fmt.Errorf("--bpe-threshold %d: expected with --bpe or --codes", t.Threshold)
	case t.Lowercase && (!t.HasLanguage() || t.Tokenizer != corpus.Moses):
		return errors.New("--lowercase: expected with --source-language or --target-language and --tokenizer moses")
	case c.AlignmentModel != model.Additive && c.Alignment != c.Hidden:
		return fmt.Errorf("--alignment %d: expected %d like --hidden, or no --alignment, with --alignment-model %s", c.Alignment, c.Hidden, o.alignmentModel)
	}
	if _, _, err := t.Pipelines(); err != nil {
		return err
	}
	if err := o.Recipe.Check(); err != nil {
		return err
	}
	if err := o.addInputs(flags); err != nil || !r.IsRoot() {
		return err
	}
	if err := checkText(ctx, t); err != nil {
		return err
	}
	return o.CheckOutputs(t.Cache)
}
