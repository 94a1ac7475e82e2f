package main

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/softsearch-go/softsearch/model/cmd/internal/figure"
)

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
