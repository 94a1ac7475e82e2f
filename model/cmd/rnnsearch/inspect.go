package main

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/softsearch-go/softsearch/model/cmd/internal/figure"
	"github.com/softsearch-go/softsearch/model/cmd/internal/models"
	"github.com/softsearch-go/softsearch/model/cmd/internal/terminal"
)

func newInfo() *cobra.Command {
	var o models.Info
	c := &cobra.Command{
		Use: "info",
		RunE: func(c *cobra.Command, _ []string) error {
			content, err := o.Content()
			if err != nil {
				return err
			}
			out := c.OutOrStdout()
			if o.Vocabulary == "" && !o.Codes && !o.JSON {
				out = terminal.Prose(out)
			}
			_, err = out.Write(content)
			return err
		},
	}
	addModel(c.Flags(), &o.Model)
	c.Flags().BoolVar(&o.Tensors, "tensors", false, "list the parameters")
	c.Flags().BoolVar(&o.JSON, "json", false, "print the description as a JSON object")
	c.Flags().StringVar(&o.Vocabulary, "vocabulary", "", "print the vocabulary of a `side`, source or target")
	c.Flags().BoolVar(&o.Codes, "codes", false, "print the merges of byte-pair encoding")
	c.MarkFlagsMutuallyExclusive("tensors", "vocabulary", "codes")
	c.MarkFlagsMutuallyExclusive("json", "vocabulary", "codes")
	completeValues(c, "vocabulary", models.Source, models.Target)
	return c
}

func newPlot() *cobra.Command {
	return &cobra.Command{
		Use:  "plot [FILE...]",
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, paths []string) error {
			svg, err := figure.Plot(c.Context(), c.InOrStdin(), paths)
			if err != nil {
				return err
			}
			_, err = io.WriteString(c.OutOrStdout(), svg)
			return err
		},
	}
}
