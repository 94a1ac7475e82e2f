package main

import (
	"errors"
	"fmt"

	"github.com/spf13/pflag"

	"github.com/softsearch-go/softsearch/model"
)

// recipeOptions are the flags of train that say how it changes the weights.
type recipeOptions struct {
	optimizer string
	adam      model.Adam
	dropout   model.Dropout
	smoothing float64
	average   float64
}

// defaultRate is the learning rate of Adam that Kingma and Ba (2015) recommend.
const defaultRate = 0.001

func (o *recipeOptions) add(f *pflag.FlagSet) {
	f.StringVar(&o.optimizer, "optimizer", "adadelta", "adadelta (the paper) or adam")
	f.Float64Var(&o.adam.Rate, "learning-rate", defaultRate, "step size of adam")
	f.IntVar(&o.adam.Warmup, "warmup", 0, "updates over which the learning rate grows in proportion to their number, 0 for none")
	f.IntVar(&o.adam.Decay, "decay", 0, "update from which on the learning rate falls as one over the square root of their number, 0 for never")
	f.Float64Var(&o.dropout.Embedding, "dropout-embedding", 0, "probability with which an update leaves out a value of an embedding")
	f.Float64Var(&o.dropout.Context, "dropout-context", 0, "probability with which an update leaves out a unit of all annotations of a sentence")
	f.Float64Var(&o.dropout.Readout, "dropout-readout", 0, "probability with which an update leaves out a maxout unit")
	f.Float64Var(&o.smoothing, "label-smoothing", 0, "probability that the aim of an update gives to all words instead of the right one")
	f.Float64Var(&o.average, "average", 0, "decay of a moving average of the weights, which is the model that is validated and kept, 0 for none")
}

func (o *recipeOptions) check() error {
	switch o.optimizer {
	case "adadelta":
		if o.adam != (model.Adam{Rate: defaultRate}) {
			return errors.New("--learning-rate, --warmup, --decay: expected with --optimizer adam alone")
		}
	case "adam":
	default:
		return fmt.Errorf("--optimizer %q: expected adadelta or adam", o.optimizer)
	}
	return o.recipe(0).Check()
}

// recipe returns what the flags say, with the seed of dropout.
func (o *recipeOptions) recipe(seed uint64) model.Recipe {
	r := model.Recipe{Dropout: o.dropout, LabelSmoothing: o.smoothing, Average: o.average, Seed: seed}
	if o.optimizer == "adam" {
		r.Adam = &o.adam
	}
	return r
}
