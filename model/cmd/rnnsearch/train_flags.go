package main

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/cmd/corpus"
	"github.com/softsearch-go/softsearch/model/cmd/terminal"
	"github.com/softsearch-go/softsearch/model/cmd/training"
	"github.com/softsearch-go/softsearch/model/cmd/trainlog"
	"github.com/softsearch-go/softsearch/model/text/pipeline"
)

// corpusOptions are the flags of train that name its text and say how lines become words.
type corpusOptions struct{ corpus.Settings }

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

// complete sets the default of --cache and the version of the program, and returns an error for flags that are given and have no
// effect.
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

// modelOptions are the flags of train for the architecture of the model.
type modelOptions struct {
	kind, order, alignmentModel          string
	embedding, hidden, alignment, maxout int
}

// alignmentModels maps the values of --alignment-model.
var alignmentModels = map[string]model.AlignmentModel{"additive": model.Additive, "dot": model.Dot, "general": model.General}

func (o *modelOptions) add(f *pflag.FlagSet) {
	f.StringVar(&o.kind, "kind", string(model.RNNsearch), "search (the paper's RNNsearch) or encdec (RNNencdec, its baseline without attention)")
	f.StringVar(&o.order, "order", string(model.UpdateFirst), "decoder: update-first (the paper) or predict-first (the authors' program)")
	f.StringVar(&o.alignmentModel, "alignment-model", "additive", "additive (the paper), dot or general (Luong, Pham and Manning, 2015)")
	f.IntVar(&o.embedding, "embedding", 620, "size of a word embedding")
	f.IntVar(&o.hidden, "hidden", 1000, "units of each GRU")
	f.IntVar(&o.alignment, "alignment", 1000, "units of the additive alignment model; dot and general have as many as a GRU")
	f.IntVar(&o.maxout, "maxout", 500, "maxout units")
}

// complete sets --alignment, if it is not given, to the size that the alignment model needs. It
// returns an error if a flag of the alignment model is given for a model without one.
func (o *modelOptions) complete(flags *pflag.FlagSet) error {
	if model.Kind(o.kind) == model.RNNencdec {
		for _, name := range []string{"alignment-model", "alignment"} {
			if f := flags.Lookup(name); f.Changed {
				return fmt.Errorf("--%s %s: expected only with --kind %s", name, visible(f.Value.String()), model.RNNsearch)
			}
		}
	}
	if alignmentModels[o.alignmentModel] == model.Additive || flags.Changed("alignment") {
		return nil
	}
	return flags.Set("alignment", strconv.Itoa(o.hidden))
}

func (o *modelOptions) check() error {
	const maxUnits = 1 << 14
	err := checkNumbers(
		number{"embedding", o.embedding, 1, maxUnits},
		number{"hidden", o.hidden, 1, maxUnits},
		number{"alignment", o.alignment, 1, maxUnits},
		number{"maxout", o.maxout, 1, maxUnits},
	)
	if err != nil {
		return err
	}
	if kind := model.Kind(o.kind); kind != model.RNNsearch && kind != model.RNNencdec {
		return fmt.Errorf("--kind %q: expected %s or %s", o.kind, model.RNNsearch, model.RNNencdec)
	}
	if order := model.Order(o.order); order != model.UpdateFirst && order != model.PredictFirst {
		return fmt.Errorf("--order %q: expected %s or %s", o.order, model.UpdateFirst, model.PredictFirst)
	}
	a, ok := alignmentModels[o.alignmentModel]
	if !ok {
		return fmt.Errorf("--alignment-model %q: expected additive, dot or general", o.alignmentModel)
	}
	if a != model.Additive && o.alignment != o.hidden {
		return fmt.Errorf("--alignment %d: expected %d like --hidden, or no --alignment, with --alignment-model %s", o.alignment, o.hidden, o.alignmentModel)
	}
	return nil
}

// config returns the configuration of the model without the vocabulary sizes.
func (o *modelOptions) config() model.Config {
	return model.Config{
		Kind: model.Kind(o.kind), Order: model.Order(o.order), AlignmentModel: alignmentModels[o.alignmentModel],
		Embedding: o.embedding, Hidden: o.hidden, Alignment: o.alignment, Maxout: o.maxout,
	}
}

// recipeOptions are the flags of train for the optimizer and regularization.
type recipeOptions struct {
	optimizer string
	adam      model.Adam
	dropout   model.Dropout
	smoothing float64
	average   float64
	precision string
	shards    int
}

// precisions maps the values of --precision.
var precisions = map[string]model.Precision{"float32": model.Float32, "bf16": model.BF16}

// defaultRate is the learning rate that Kingma and Ba (2015) recommend for Adam.
const defaultRate = 0.001

func (o *recipeOptions) add(f *pflag.FlagSet) {
	f.StringVar(&o.optimizer, "optimizer", "adadelta", "adadelta (the paper) or adam")
	f.Float64Var(&o.adam.Rate, "learning-rate", defaultRate, "learning rate of adam")
	f.IntVar(&o.adam.Warmup, "warmup", 0, "updates over which adam's learning rate grows linearly, 0 for none")
	f.IntVar(&o.adam.Decay, "decay", 0, "update after which adam's learning rate falls as the inverse square root of the number of updates, 0 for never")
	f.Float64Var(&o.dropout.Embedding, "dropout-embedding", 0, "probability of dropping a value of a word embedding")
	f.Float64Var(&o.dropout.Context, "dropout-context", 0, "probability of dropping a unit from all annotations of a sentence")
	f.Float64Var(&o.dropout.Readout, "dropout-readout", 0, "probability of dropping a maxout unit")
	f.Float64Var(&o.smoothing, "label-smoothing", 0, "share of the target distribution that is spread evenly over all words")
	f.Float64Var(&o.average, "average", 0, "decay of a moving average of the weights, which is the model that is validated and saved, 0 for none")
	f.StringVar(&o.precision, "precision", "float32", "precision of the factors of products: float32, or bf16, which is faster on processors with instructions for it")
}

func (o *recipeOptions) check() error {
	if _, ok := precisions[o.precision]; !ok {
		return fmt.Errorf("--precision %q: expected float32 or bf16", o.precision)
	}
	switch o.optimizer {
	case "adadelta":
		if o.adam != (model.Adam{Rate: defaultRate}) {
			return errors.New("--learning-rate, --warmup, --decay: expected only with --optimizer adam")
		}
	case "adam":
	default:
		return fmt.Errorf("--optimizer %q: expected adadelta or adam", o.optimizer)
	}
	return o.recipe(0).Check()
}

// recipe returns the recipe with the seed of dropout.
func (o *recipeOptions) recipe(seed uint64) model.Recipe {
	r := model.Recipe{Dropout: o.dropout, LabelSmoothing: o.smoothing, Average: o.average, Seed: seed, Precision: precisions[o.precision], Shards: o.shards}
	if o.optimizer == "adam" {
		r.Adam = &o.adam
	}
	return r
}

func (o *trainOptions) addCheckpoints(f *pflag.FlagSet) {
	f.StringVar(&o.Checkpoint, "checkpoint", "", "`file` to save checkpoints to and to resume from (default --model with .checkpoint appended)")
	f.IntVar(&o.Saves.Updates, "checkpoint-updates", 0, "updates between two checkpoints, 0 to save by time only")
	f.IntVar(&o.Saves.Minutes, "checkpoint-minutes", 10, "minutes between two checkpoints, 0 to save by updates only")
}

func (o *trainOptions) addEnd(f *pflag.FlagSet) {
	f.IntVar(&o.Epochs, "epochs", 5, "passes over the training text; unlimited if only --updates is given")
	f.IntVar(&o.Updates, "updates", 0, "updates after which to stop, even in the middle of an epoch, 0 for no limit")
	f.IntVar(&o.Patience, "patience", 0, "consecutive validations without a better model after which to stop, 0 for no limit")
	f.IntVar(&o.ValidUpdates, "valid-updates", 0, "updates between two validations, beside those at the end of epochs, 0 for none")
	f.StringVar((*string)(&o.BestBy), "best-by", string(training.ByBLEU), "criterion for the best model in validation: bleu (highest) or loss (lowest)")
}

func (o *trainOptions) addLog(f *pflag.FlagSet) {
	f.StringVar(&o.log, "log", string(trainlog.Text), "format of standard output: text, or json as described above")
	f.IntVar(&o.ProgressUpdates, "progress-updates", 100, "updates between two progress events of --log json")
}

// checkSchedule checks the flags of addCheckpoints, addEnd and addLog.
func (o *trainOptions) checkSchedule() error {
	err := checkNumbers(
		number{"checkpoint-updates", o.Saves.Updates, 0, 1_000_000_000},
		number{"checkpoint-minutes", o.Saves.Minutes, 0, 1_000_000},
		number{"epochs", o.Epochs, 1, 1_000_000},
		number{"updates", o.Updates, 0, 1_000_000_000},
		number{"patience", o.Patience, 0, 1_000_000},
		number{"valid-updates", o.ValidUpdates, 0, 1_000_000_000},
		number{"progress-updates", o.ProgressUpdates, 1, 1_000_000_000},
	)
	switch {
	case err != nil:
		return err
	case o.BestBy != training.ByBLEU && o.BestBy != training.ByLoss:
		return fmt.Errorf("--best-by %q: expected %s or %s", o.BestBy, training.ByBLEU, training.ByLoss)
	case o.log != string(trainlog.Text) && o.log != string(trainlog.JSON):
		return fmt.Errorf("--log %q: expected %s or %s", o.log, trainlog.Text, trainlog.JSON)
	}
	return nil
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
