package main

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/softsearch-go/softsearch/model/cmd/internal/evaluation"
)

func newBLEU() *cobra.Command {
	var o evaluation.Options
	c := &cobra.Command{
		Use:   "bleu --reference FILE",
		Short: "Compare standard input with reference translations",
		Long: `Compare translations with reference translations: read standard input, one
sentence per line, and print three scores of the corpus, each in the format of
the tool that defines it:

  BLEU      of the words as they are, for tokenized text: multi-bleu.perl
  BLEU 13a  smoothed, of the tokens of mteval-v13a, for plain text: sacreBLEU
  chrF2     of character n-grams, for either: sacreBLEU

Files may be compressed by gzip or zstd, or be pipes.

--confidence and --baseline draw 1000 bootstrap samples: as many sentences as
the corpus has, with replacement. p is the p-value of paired bootstrap
resampling as in Moses and sacreBLEU: the probability that chance alone makes
a difference from the baseline at least as large.

--json prints an array with an object for each of the three scores, in their
order: name, score, signature and its parts, nrefs, case, eff, tok and smooth
or nc, nw and space, and verbose_score, all as in sacreBLEU's JSON; for the
first one, tok is none and smooth is none. --confidence adds confidence_low and
confidence_high, --baseline adds baseline_score, difference, difference_low,
difference_high and p_value, both with samples and seed, and --by-length adds
by_length, a list of words, sentences and score.`,
		Example: `  printf '%s\n' 'le chat dort sur la table' 'il voit la maison rouge' \
    > /tmp/reference.fr
  printf '%s\n' 'un chat dort sur une table' 'il voit une maison' \
    > /tmp/baseline.fr
  printf '%s\n' 'le chat dort sur une table' 'il voit la maison rouge' \
    > /tmp/output.fr
  go run ./model/cmd/rnnsearch bleu --reference /tmp/reference.fr \
    --baseline /tmp/baseline.fr < /tmp/output.fr`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			report, err := o.Report(c.InOrStdin())
			if err != nil {
				return err
			}
			_, err = io.WriteString(c.OutOrStdout(), report)
			return err
		},
	}
	f := c.Flags()
	f.StringArrayVar(&o.References, "reference", nil, "`file` of reference translations; may be repeated")
	f.StringVar(&o.Baseline, "baseline", "", "`file` of another system's translations to compare with")
	f.StringVar(&o.ByLength, "by-length", "", "also print scores by the number of words in the lines of `file`: the source or a reference")
	f.BoolVar(&o.Lowercase, "lowercase", false, "compare lowercased text, as multi-bleu.perl -lc and sacrebleu -lc do")
	f.BoolVar(&o.JSON, "json", false, "print JSON as described above")
	f.BoolVar(&o.Confidence, "confidence", false, "also print 95 % confidence intervals")
	f.Uint64Var(&o.Seed, "seed", 1, "`number` that determines the bootstrap samples")
	require(c, "reference")
	return c
}
