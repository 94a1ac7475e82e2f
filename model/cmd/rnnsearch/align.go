package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/cmd/alignment"
	"github.com/softsearch-go/softsearch/model/cmd/figure"
	"github.com/softsearch-go/softsearch/model/cmd/files"
	"github.com/softsearch-go/softsearch/model/cmd/translation"
	"github.com/softsearch-go/softsearch/model/decode"
)

// alignOptions are the flags of align.
type alignOptions struct {
	model, source, target string
	output                figureOptions
	beam, threads         int
}

// alignExample trains on numbers, digit by digit: such a small model learns alignments that show.
const alignExample = `  seq 1 7 99999 | sed 's/./& /g' > /tmp/digits
  sed 's/0/zero/g; s/1/one/g; s/2/two/g; s/3/three/g; s/4/four/g; s/5/five/g
    s/6/six/g; s/7/seven/g; s/8/eight/g; s/9/nine/g' \
    /tmp/digits > /tmp/digits.en
  sed 's/0/zéro/g; s/1/un/g; s/2/deux/g; s/3/trois/g; s/4/quatre/g; s/5/cinq/g
    s/6/six/g; s/7/sept/g; s/8/huit/g; s/9/neuf/g' \
    /tmp/digits > /tmp/digits.fr
  go run ./model/cmd/rnnsearch train --model /tmp/digits.safetensors \
    --source /tmp/digits.en --target /tmp/digits.fr \
    --embedding 16 --hidden 32 --alignment 16 --maxout 16 --batch 10 \
    --optimizer adam --learning-rate 0.005 --epochs 3
  echo 'seven one four two' |
    go run ./model/cmd/rnnsearch align --model /tmp/digits.safetensors --format map
  tail -n 4 /tmp/digits.en |
    go run ./model/cmd/rnnsearch align --model /tmp/digits.safetensors \
    --format svg > /tmp/digits.svg`

func newAlign() *cobra.Command {
	var o alignOptions
	c := &cobra.Command{
		Use:   "align --model FILE",
		Short: "Show what a model attends to for each word of a translation",
		Long: `Show which source words a model attends to when it predicts each target word:
for given pairs with --source and --target, otherwise for the translations of
standard input. Text is of the kind the model was trained on, and words are
those of the model, such as segments of byte-pair encoding. The formats are

  pharaoh  one line per sentence: a link i-j for each target word j and the
           source word i with the largest weight, both counted from 0; </s>
           has no links. Translations of standard input and ||| precede them.
  json     one object per line: source, target, weights (target×source) and
           log_prob of the target; the end of a sentence is <end>
  map      a heat map of characters for each sentence
  svg      one picture of all sentences, at most 64: source words across,
           target words down, cells from black for weight 0 to white for 1
  png      the same, with Latin, Greek and Cyrillic letters only

Text is UTF-8 and may be compressed by gzip or zstd. The alignment of an empty
line of standard input is empty. So is that of a line or pair that cannot be
used, such as one of more than 2047 words, with a warning, and an error in JSON;
pictures leave it out. At the end, such lines are an error: the exit code is 1.`,
		Example: alignExample,
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return align(c.Context(), c.OutOrStdout(), c.ErrOrStderr(), c.InOrStdin(), o)
		},
	}
	c.Flags().StringVar(&o.model, "model", "", "`file` of the model")
	addPairs(c, &o.source, &o.target)
	o.output.add(c, alignment.Formats)
	c.Flags().IntVar(&o.beam, "beam", 5, "`size` of the beam for translating standard input")
	addThreads(c, &o.threads)
	require(c, "model")
	together(c, "source", "target")
	exclusive(c, "beam", "source")
	return c
}

// align writes the alignments of the given pairs or of the translations of stdin.
func align(ctx context.Context, stdout, stderr io.Writer, stdin io.Reader, o alignOptions) error {
	if err := o.output.check(alignment.Formats, o.model, o.source, o.target); err != nil {
		return err
	}
	err := checkNumbers(number{"beam", o.beam, 1, maxBeam}, number{"threads", o.threads, 1, maxThreads})
	if err != nil {
		return err
	}
	m, err := files.OpenModel(o.model)
	if err != nil {
		return err
	}
	if !m.HasAlignments() {
		return fmt.Errorf("%s: model of kind %s has no alignments, expected %s", o.model, m.Config.Kind, model.RNNsearch)
	}
	t, err := translation.NewTranslator(m, decode.Options{Beam: o.beam, Threads: o.threads})
	if err != nil {
		return err
	}
	defer t.Close()
	draw := func(page *figure.Page) error { return o.output.write(stdout, page) }
	a := alignment.NewAligner(t, stdout, stderr, o.output.format, o.source == "", draw)
	if o.source != "" {
		return a.Pairs(ctx, o.source, o.target)
	}
	in := files.NewInput(files.StandardInput, stdin)
	defer in.Close()
	return a.Translations(ctx, in)
}
