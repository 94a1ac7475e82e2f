package main

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/softsearch-go/softsearch/model/cmd/internal/evaluation"
	"github.com/softsearch-go/softsearch/model/cmd/internal/translation"
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

type scoreOptions struct {
	translation.Scoring
	model  string
	output textOutput
	words  bool
}

func newScore() *cobra.Command {
	var o scoreOptions
	c := &cobra.Command{
		Use: "score --model FILE --source FILE --target FILE",
		RunE: func(c *cobra.Command, _ []string) error {
			out, err := o.output.open(c.OutOrStdout(), nil, o.model, o.Source, o.Target)
			if err != nil {
				return err
			}
			defer out.Close()
			return o.Run(c.Context(), o.model, o.words, out, c.ErrOrStderr())
		},
	}
	c.Flags().StringVar(&o.model, "model", "", "`file` of the model")
	addPairs(c, &o.Source, &o.Target)
	o.output.add(c)
	c.Flags().BoolVar(&o.words, "words", false, "also print the log-probability of each word")
	addThreads(c, &o.Threads)
	require(c, "model", "source", "target")
	return c
}
