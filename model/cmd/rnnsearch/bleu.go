package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
)

// judgeOptions are the flags of bleu.
type judgeOptions struct {
	references []string
	baseline   string
	byLength   string
	confidence bool
	seed       uint64
}

func newBLEU() *cobra.Command {
	var o judgeOptions
	c := &cobra.Command{
		Use:   "bleu --reference FILE",
		Short: "Compare standard input with reference translations",
		Long: `Compare the translations on standard input, a sentence a line, with reference
translations, and print three scores of the whole, each as its tool prints it:

  BLEU      of the words as they are, for tokenised text: multi-bleu.perl
  BLEU 13a  of the tokens of mteval-v13a, smoothed, for plain text: sacreBLEU
  chrF2     of character n-grams, for either: sacreBLEU

--confidence and --baseline draw 1000 samples, each of as many sentences as there are, with
replacement. p, the p-value of paired bootstrap resampling as Moses and sacreBLEU compute it,
says how likely chance alone makes such a difference from the baseline.`,
		Example: `  printf 'le chat dort sur la table\nil voit la maison rouge\n' > /tmp/reference.fr
  printf 'un chat dort sur une table\nil voit une maison\n' > /tmp/baseline.fr
  printf 'le chat dort sur une table\nil voit la maison rouge\n' > /tmp/output.fr
  go run ./model/cmd/rnnsearch bleu --reference /tmp/reference.fr --baseline /tmp/baseline.fr < /tmp/output.fr`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			report, err := judgeTranslations(o, c.InOrStdin())
			if err != nil {
				return err
			}
			_, err = io.WriteString(c.OutOrStdout(), report)
			return err
		},
	}
	f := c.Flags()
	f.StringArrayVar(&o.references, "reference", nil, "`file` of reference translations; may be given more than once")
	f.StringVar(&o.baseline, "baseline", "", "`file` of another system's translations to compare with")
	f.StringVar(&o.byLength, "by-length", "", "score also by the number of words in the lines of `file`, the source or a reference")
	f.BoolVar(&o.confidence, "confidence", false, "print 95 % confidence intervals")
	f.Uint64Var(&o.seed, "seed", 1, "`number` that the samples depend on")
	require(c, "reference")
	return c
}

// judgeTranslations returns the report on the translations of stdin.
func judgeTranslations(o judgeOptions, stdin io.Reader) (string, error) {
	in, err := readJudged(o, stdin)
	if err != nil {
		return "", err
	}
	system := judge(in.system, in.references)
	var b strings.Builder
	for _, line := range system.lines() {
		fmt.Fprintln(&b, line)
	}
	if o.confidence {
		b.WriteString(confidenceTable(system, o.seed))
	}
	if o.baseline != "" {
		b.WriteString(comparisonTable(system, judge(in.baseline, in.references), o.seed))
	}
	if o.byLength != "" {
		b.WriteString(lengthTable(system, in.measured))
	}
	return b.String(), nil
}
