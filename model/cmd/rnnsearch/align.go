package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/softsearch-go/softsearch/model/cmd/internal/alignment"
	"github.com/softsearch-go/softsearch/model/cmd/internal/links"
)

func newAlign() *cobra.Command {
	var o alignment.Options
	c := &cobra.Command{
		Use: "align",
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
			if c.Flags().Changed("beam") {
				if err := checkNumbers(number{"beam", o.Beam, 1, maxBeam}); err != nil {
					return err
				}
			}
			return o.Run(c.Context(), c.InOrStdin(), c.OutOrStdout(), c.ErrOrStderr())
		},
	}
	c.Flags().StringArrayVar(&o.Models, "model", builtInModels[:1], modelUsage)
	c.Flags().StringVar(&o.Input, "input", "", "`file` to translate instead of standard input")
	addPairs(c, &o.Source, &o.Target)
	c.Flags().BoolVar(&o.Tokens, "tokens", false, "show tokens of --source and --target instead of their segments")
	c.Flags().StringArrayVar(&o.Agree, "agree", nil, "`file` of a model of the other direction; links tokens on which the models agree")
	c.Flags().StringVar(&o.Format, "format", alignment.Formats[0], "`name` of the format: "+strings.Join(alignment.Formats, ", "))
	completeValues(c, "format", alignment.Formats...)
	c.Flags().IntVar(&o.Beam, "beam", 0, "`size` of the beam for translations (default: the model's, or 5)")
	addThreads(c, &o.Threads)
	c.MarkFlagsRequiredTogether("source", "target")
	c.MarkFlagsMutuallyExclusive("beam", "source")
	c.MarkFlagsMutuallyExclusive("input", "source")
	return c
}

func newAER() *cobra.Command {
	var o links.Options
	c := &cobra.Command{
		Use: "aer --forward FILE",
		RunE: func(c *cobra.Command, _ []string) error {
			switch {
			case (o.Gold == "") == (o.Method == ""):
				return errors.New("expected either --gold or --symmetrize")
			case o.Method != "" && o.Backward == "":
				return fmt.Errorf("--symmetrize %s: expected with --backward", o.Method)
			}
			if err := checkChoices(c.Flags(), choice{"symmetrize", links.Methods}); err != nil {
				return err
			}
			return o.Run(c.Context(), c.OutOrStdout())
		},
	}
	f := c.Flags()
	f.StringVar(&o.Forward, "forward", "", "`file` of alignments")
	f.StringVar(&o.Backward, "backward", "", "`file` of alignments of the other direction, target-source")
	f.StringVar(&o.Gold, "gold", "", "`file` of alignments by hand")
	f.StringVar(&o.Method, "symmetrize", "", "`way` to combine both directions: intersection, union, grow-diag or grow-diag-final")
	require(c, "forward")
	completeValues(c, "symmetrize", links.Methods...)
	return c
}
