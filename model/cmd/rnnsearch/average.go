package main

import (
	"github.com/spf13/cobra"

	"github.com/softsearch-go/softsearch/model/cmd/internal/files"
	"github.com/softsearch-go/softsearch/model/cmd/internal/translation"
)

func newAverage() *cobra.Command {
	var models []string
	var output string
	o := files.Options{IsModel: true}
	c := &cobra.Command{
		Use: "average --model FILE --model FILE --output FILE",
		RunE: func(c *cobra.Command, _ []string) error {
			if len(models) < 2 {
				return usageError{"expected several --model, found one"}
			}
			out, err := files.Create("output", output, nil, o, models...)
			if err != nil {
				return err
			}
			defer out.Close()
			return translation.Average(c.Context(), models, out)
		},
	}
	f := c.Flags()
	f.StringArrayVar(&models, "model", nil, modelUsage+"; repeat it for others")
	f.StringVar(&output, "output", "", "`file` to write the model to; it appears when it is complete")
	addOptions(c, &o)
	require(c, "model", "output")
	return c
}
