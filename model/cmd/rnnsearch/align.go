package main

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/softsearch-go/softsearch/model/cmd/internal/alignment"
)

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
	var o alignment.Options
	c := &cobra.Command{
		Use:   "align",
		Short: "Show what a model attends to for each word of a translation",
		Long: `Show which source words a model attends to when it predicts each target word:
for given pairs with --source and --target, otherwise for the translations of
standard input. Text is of the kind the model was trained on, and words are
those of the model, such as segments of byte-pair encoding, or with --tokens the
tokens that these make: the weights of the segments of a source token add up,
those of a target token are means over its segments.

With --agree, models of both directions link the tokens of --source and --target
on which they agree. They ask what each token of one side needs of the other:
how much its log-probability falls when that is left out, and twice the
attention. A link has an agreement of at least 0.5; weights are agreements, and
several models of a direction are averaged. On debates of the Canadian
Parliament, the error rate against links by hand was 8.2, that of attention 27.
It takes as many passes over a pair as this has tokens. The formats are

  pharaoh  one line per sentence: a link i-j for each target word j and the
           source word i with the largest weight, both counted from 0; </s>
           has no links. Translations of standard input and ||| precede them.
  json     one object per line: source, target, weights (target×source) and
           log_prob of the target; the end of a sentence is <end>
  map      a heat map of characters for each sentence, which fits the terminal,
           or 80 columns where the output goes elsewhere
  svg      one picture of all sentences, at most 64: source words across,
           target words down, cells from light for weight 0 to dark for 1

Text is UTF-8 and may be compressed by gzip or zstd. Translations have words of
the source in place of <unk>, and no loops, see translate. The alignment of an
empty line of standard input is empty. So is that of a line or pair that cannot
be used, such as one of more than 2047 words, with a warning, and an error in
JSON; pictures leave it out. At the end, such lines are an error: the exit code
is 1.`,
		Example: alignExample,
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := checkChoices(c.Flags(), choice{"format", alignment.Formats}); err != nil {
				return err
			}
			if o.Tokens && o.Source == "" {
				return errors.New("--tokens: expected with --source and --target")
			}
			if len(o.Agree) > 0 && o.Source == "" {
				return errors.New("--agree: expected with --source and --target")
			}
			if len(o.Agree) == 0 && len(o.Models) > 1 {
				return errors.New("--model: expected once, or with --agree")
			}
			if err := checkNumbers(number{"beam", o.Beam, 1, maxBeam}, number{"threads", o.Threads, 1, maxThreads}); err != nil {
				return err
			}
			return o.Run(c.Context(), c.InOrStdin(), c.OutOrStdout(), c.ErrOrStderr())
		},
	}
	c.Flags().StringArrayVar(&o.Models, "model", builtInModels[:1], modelUsage)
	addPairs(c, &o.Source, &o.Target)
	c.Flags().BoolVar(&o.Tokens, "tokens", false, "show tokens of --source and --target instead of their segments")
	c.Flags().StringArrayVar(&o.Agree, "agree", nil, "`file` of a model of the other direction; links tokens on which the models agree")
	c.Flags().StringVar(&o.Format, "format", alignment.Formats[0], "`name` of the format: "+strings.Join(alignment.Formats, ", "))
	completeValues(c, "format", alignment.Formats...)
	c.Flags().IntVar(&o.Beam, "beam", 5, "`size` of the beam for translating standard input")
	addThreads(c, &o.Threads)
	c.MarkFlagsRequiredTogether("source", "target")
	c.MarkFlagsMutuallyExclusive("beam", "source")
	return c
}
