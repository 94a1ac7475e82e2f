package main

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/softsearch-go/softsearch/model/cmd/internal/evaluation"
)

func newBLEU() *cobra.Command {
	var o evaluation.Options
	c := &cobra.Command{
		Use: "bleu --reference FILE",
		RunE: func(c *cobra.Command, _ []string) error {
			report, err := o.Report(c.Context(), c.InOrStdin())
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
