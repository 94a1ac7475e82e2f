package main

import (
	"context"
	"io"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/softsearch-go/softsearch/model/cmd/internal/files"
	"github.com/softsearch-go/softsearch/model/cmd/internal/translation"
)

type quantizeOptions struct {
	translation.Quantization
	output string // empty to compare only
	files.Options
}

func newQuantize() *cobra.Command {
	var o quantizeOptions
	c := &cobra.Command{
		Use: "quantize --model FILE --output FILE",
		RunE: func(c *cobra.Command, _ []string) error {
			return o.run(c.Context(), c.OutOrStdout(), c.ErrOrStderr())
		},
	}
	f := c.Flags()
	f.StringVar(&o.Model, "model", "", "`file` of the float32 model")
	f.StringVar(&o.output, "output", "", "`file` to write the int8 model to; it appears when it is complete")
	addOptions(c, &o.Options)
	o.IsModel = true
	f.BoolVar(&o.Quiet, "quiet", false, "show the table and warnings only: no progress, no summary")
	flagGroup(f, "Comparison", func(*pflag.FlagSet) {
		addPairs(c, &o.Source, &o.Target)
		addThreads(c, &o.Threads)
	})
	require(c, "model")
	c.MarkFlagsRequiredTogether("source", "target")
	return c
}

// run quantizes the model, and prints the comparison. Both are complete even if the error tells of
// bad pairs.
func (o quantizeOptions) run(ctx context.Context, stdout, stderr io.Writer) error {
	switch {
	case o.output == "" && o.Overwrite:
		return errOverwriteNothing
	case o.output == "" && !o.Compares():
		return usageError{"missing --output, or --source and --target"}
	}
	out := files.StandardOutput(io.Discard)
	if o.output != "" {
		var err error
		if out, err = files.Create("output", o.output, nil, o.Options, o.Model, o.Source, o.Target); err != nil {
			return err
		}
		defer out.Close()
	}
	return o.Run(ctx, out, stdout, stderr)
}

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
