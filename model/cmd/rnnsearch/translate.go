package main

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/decode"
)

// translateOptions are the flags of translate.
type translateOptions struct {
	models          []string
	decoding        decode.Options
	length, threads int
	replace         bool
}

func newTranslate() *cobra.Command {
	var o translateOptions
	c := &cobra.Command{
		Use:   "translate --model FILE",
		Short: "Translate standard input, a sentence a line",
		Long: `Translate standard input to standard output, a sentence a line, both written as the text
that the model learned from: as people write it if train was told its language, tokenised
otherwise. Lines that are there at the same time are translated together, divided among the
threads, and written in their order; no line waits for one that is not there yet. A
translation depends on its line alone. Empty lines stay empty. A word outside the model's
vocabulary is read as <unk>, and <unk> may stand in a translation.

Tokenised lines must be UTF-8. In others, bytes that are no UTF-8 are read as U+FFFD.

Several models with the same vocabularies translate as an ensemble, by the mean of their log
probabilities. With --best there is a line for each translation, as in the n-best lists of
Moses: the number of the input line, from 0 on, the translation, log p and the score by which
translations are ordered, log p / words^ALPHA with the ALPHA of --normalize.`,
		Example: trainExample + `
  echo 'the dog eats in the house' | go run ./model/cmd/rnnsearch translate --model /tmp/model.safetensors
  go run ./model/cmd/rnnsearch translate --model /tmp/model.safetensors --beam 12 --threads 2 < /tmp/train.en | tail -n 1
  echo 'the dog eats in the house' | go run ./model/cmd/rnnsearch translate --model /tmp/model.safetensors --normalize 1 --best 2`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			models, err := o.open()
			if err != nil {
				return err
			}
			t := newTranslator(o.decoding, o.length, o.threads, models...)
			return translate(c.Context(), c.OutOrStdout(), c.InOrStdin(), t, form{lists: o.decoding.NBest > 0, replace: o.replace})
		},
	}
	f := c.Flags()
	f.StringArrayVar(&o.models, "model", nil, "`file` of the model; may be given more than once")
	f.IntVar(&o.decoding.Beam, "beam", 5, "hypotheses that the search keeps, 1 for greedy search")
	f.IntVar(&o.decoding.NBest, "best", 0, "`number` of translations of each line, at most those of the beam (default the best alone, as text)")
	f.Float64Var(&o.decoding.Normalization, "normalize", 0, "`ALPHA` of the score log p / words^ALPHA; above 0 translations get longer")
	f.IntVar(&o.decoding.MinLength, "min-length", 0, "fewest `words` of a translation")
	f.IntVar(&o.length, "max-length", 0, "most `words` of a translation with the end of the sentence (default three times the source)")
	f.BoolVar(&o.decoding.ForbidUNK, "forbid-unk", false, "no <unk> in translations")
	f.BoolVar(&o.replace, "replace-unk", false, "the word of the source with the largest alignment weight for each <unk>")
	addThreads(c, &o.threads)
	require(c, "model")
	return c
}

// check returns an error for the first flag that cannot be used.
func (o translateOptions) check() error {
	const mostAlpha = 10
	mostWords := mostWeights - 1
	if o.length > 0 {
		mostWords = o.length - 1
	}
	d := o.decoding
	err := checkNumbers(
		number{"beam", d.Beam, 1, mostHypotheses},
		number{"best", d.NBest, 0, d.Beam},
		number{"max-length", o.length, 0, mostWeights},
		number{"min-length", d.MinLength, 0, mostWords},
		number{"threads", o.threads, 1, mostThreads},
	)
	if err != nil {
		return err
	}
	if alpha := d.Normalization; !(alpha >= 0 && alpha <= mostAlpha) {
		return fmt.Errorf("--normalize %v: expected 0 to %d", alpha, mostAlpha)
	}
	return nil
}

// open checks the flags and returns the models.
func (o translateOptions) open() ([]*model.Model, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	var models []*model.Model
	for _, path := range o.models {
		m, err := openModel(path)
		if err != nil {
			return nil, err
		}
		models = append(models, m)
		if !sameWords(m, models[0]) {
			return nil, fmt.Errorf("%s: other vocabularies or text preparation than %s, expected the same in an ensemble", path, o.models[0])
		}
	}
	if o.replace && !slices.ContainsFunc(models, hasAlignments) {
		return nil, fmt.Errorf("--replace-unk: models of kind %s have no alignments, expected one of kind %s", model.RNNencdec, model.RNNsearch)
	}
	return models, nil
}

// sameWords reports whether the words of two models are the same, and those of any line.
func sameWords(a, b *model.Model) bool {
	return slices.Equal(a.Source.Words(), b.Source.Words()) && slices.Equal(a.Target.Words(), b.Target.Words()) &&
		a.SourceText.Equal(b.SourceText) && a.TargetText.Equal(b.TargetText)
}

// openModel returns the model of a file, with its vocabularies.
func openModel(path string) (*model.Model, error) {
	m, err := model.Open(path)
	if err != nil {
		return nil, err
	}
	if m.Source == nil || m.Target == nil {
		return nil, fmt.Errorf("%s: model without vocabularies, expected one of rnnsearch train", path)
	}
	return m, nil
}

// windowBatches is the number of full batches of each thread in the most lines that are
// translated before they are written: threads wait for the others once in so many batches.
const windowBatches = 8

// translate writes the translations of each line.
func translate(ctx context.Context, stdout io.Writer, stdin io.Reader, t *translator, f form) error {
	window := windowBatches * t.threads * max(1, batchRows/t.decoding.Beam)
	in, written, output := newLineReader(standardInput, stdin), 0, make([]string, window)
	in.text = t.models[0].SourceText
	for {
		lines, end := in.lines(window)
		n, err := t.translate(ctx, lines, func(i int, best []decode.Translation) {
			output[i] = f.lines(t.models[0], written+i, lines[i], best)
		})
		for _, line := range output[:n] {
			if _, err := io.WriteString(stdout, line); err != nil {
				return lineError(standardInput, written+1, err)
			}
			written++
		}
		if err != nil {
			return lineError(standardInput, written+1, err)
		}
		switch end {
		case nil:
		case io.EOF:
			return nil
		default:
			return end
		}
	}
}
