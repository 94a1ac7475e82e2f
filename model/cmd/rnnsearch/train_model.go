package main

import (
	"fmt"
	"strconv"

	"github.com/spf13/pflag"

	"github.com/softsearch-go/softsearch/model"
)

// architectureOptions are the flags of train that say which model it trains.
type architectureOptions struct {
	kind, order, score                   string
	embedding, hidden, alignment, maxout int
}

// scores are the alignment models by the values of --score.
var scores = map[string]model.AlignmentModel{"additive": model.Additive, "dot": model.Dot, "general": model.General}

func (o *architectureOptions) add(f *pflag.FlagSet) {
	f.StringVar(&o.kind, "kind", string(model.RNNsearch), "search, the paper's RNNsearch, or encdec, its baseline RNNencdec without attention")
	f.StringVar(&o.order, "order", string(model.UpdateFirst), "decoder: update-first (the paper) or predict-first (the authors' program)")
	f.StringVar(&o.score, "score", "additive", "alignment model: additive (the paper), dot or general (Luong, Pham and Manning, 2015)")
	f.IntVar(&o.embedding, "embedding", 620, "values of a word's embedding")
	f.IntVar(&o.hidden, "hidden", 1000, "units of each GRU")
	f.IntVar(&o.alignment, "alignment", 1000, "units of the additive alignment model; the others have those of a GRU")
	f.IntVar(&o.maxout, "maxout", 500, "maxout units")
}

// complete sets --alignment, if it is not given, to what --score needs. It returns an error for a
// flag of the alignment model that is given where there is none.
func (o *architectureOptions) complete(flags *pflag.FlagSet) error {
	if model.Kind(o.kind) == model.RNNencdec {
		for _, name := range []string{"score", "alignment"} {
			if f := flags.Lookup(name); f.Changed {
				return fmt.Errorf("--%s %s: expected with --kind %s alone", name, visible(f.Value.String()), model.RNNsearch)
			}
		}
	}
	if scores[o.score] == model.Additive || flags.Changed("alignment") {
		return nil
	}
	return flags.Set("alignment", strconv.Itoa(o.hidden))
}

// check returns an error for the first flag that cannot be used.
func (o *architectureOptions) check() error {
	const mostUnits = 1 << 14
	err := checkNumbers(
		number{"embedding", o.embedding, 1, mostUnits},
		number{"hidden", o.hidden, 1, mostUnits},
		number{"alignment", o.alignment, 1, mostUnits},
		number{"maxout", o.maxout, 1, mostUnits},
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
	score, ok := scores[o.score]
	if !ok {
		return fmt.Errorf("--score %q: expected additive, dot or general", o.score)
	}
	if score != model.Additive && o.alignment != o.hidden {
		return fmt.Errorf("--alignment %d: expected %d as --hidden, or no --alignment, with --score %s", o.alignment, o.hidden, o.score)
	}
	return nil
}

// config returns the configuration of the model without the sizes of the vocabularies.
func (o *architectureOptions) config() model.Config {
	return model.Config{
		Kind: model.Kind(o.kind), Order: model.Order(o.order), AlignmentModel: scores[o.score],
		Embedding: o.embedding, Hidden: o.hidden, Alignment: o.alignment, Maxout: o.maxout,
	}
}
