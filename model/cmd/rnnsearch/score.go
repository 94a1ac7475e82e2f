package main

import (
	"github.com/spf13/cobra"

	"github.com/softsearch-go/softsearch/model/cmd/internal/translation"
)

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
