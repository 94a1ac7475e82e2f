package main

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/spf13/pflag"

	"github.com/softsearch-go/softsearch/model"
)

// modelOptions are the flags of train for the architecture of the model.
type modelOptions struct {
	kind, order, alignmentModel          string
	embedding, hidden, alignment, maxout int
}

// alignmentModels maps the values of --alignment-model.
var alignmentModels = map[string]model.AlignmentModel{"additive": model.Additive, "dot": model.Dot, "general": model.General}

// modelValues are the values of flags that have few.
var modelValues = map[string][]string{
	"kind": {string(model.RNNsearch), string(model.RNNencdec)}, "order": {string(model.UpdateFirst), string(model.PredictFirst)},
	"alignment-model": {"additive", "dot", "general"}, "optimizer": {"adadelta", "adam"}, "precision": {"float32", string(model.BF16)},
}

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
