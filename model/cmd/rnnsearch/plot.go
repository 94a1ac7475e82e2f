package main

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/softsearch-go/softsearch/model/cmd/internal/figure"
	"github.com/softsearch-go/softsearch/model/cmd/internal/files"
)

var plotFormats = []string{figure.SVG, figure.PNG}

// plotExample trains from scratch each time, with a log, and draws the log.
var plotExample = "  rm -f /tmp/curves.safetensors.checkpoint\n" +
	strings.ReplaceAll(trainExample, "model.safetensors", "curves.safetensors") + ` \
    --log json --progress-updates 50 > /tmp/train.log
  go run ./model/cmd/rnnsearch plot < /tmp/train.log > /tmp/curves.svg
  go run ./model/cmd/rnnsearch plot /tmp/train.log --format png --output /tmp/curves.png`

func newPlot() *cobra.Command {
	var o figureOptions
	c := &cobra.Command{
		Use:   "plot [LOG...]",
		Short: "Draw the learning curves of trainings",
		Long: `Draw logs of rnnsearch train --log json, from the given files or from standard
input: losses per word and BLEU against updates, with a ring around the best
model. Several logs share one figure, in colors that a legend explains by file
name.`,
		Example: plotExample,
		RunE: func(c *cobra.Command, paths []string) error {
			return plot(c.OutOrStdout(), c.InOrStdin(), o, paths)
		},
	}
	o.add(c, plotFormats)
	return c
}

func plot(stdout io.Writer, stdin io.Reader, o figureOptions, paths []string) error {
	if err := o.check(plotFormats, paths...); err != nil {
		return err
	}
	runs, err := figure.ReadRuns(stdin, paths)
	if err != nil {
		return err
	}
	page, err := figure.Curves(runs)
	if err != nil {
		return err
	}
	return o.write(stdout, page)
}

// figureOptions are the flags of commands that draw figures: the format of the output and the file of
// a figure.
type figureOptions struct {
	format, file string
	files.Options
}

// add adds the flags to a command whose output has one of the formats, the first by default.
func (o *figureOptions) add(c *cobra.Command, formats []string) {
	c.Flags().StringVar(&o.format, "format", formats[0], "`name` of the format: "+strings.Join(formats, ", "))
	c.Flags().StringVar(&o.file, "output", "", "new `file` to write the picture to instead of standard output; required for png")
	addOptions(c, &o.Options, files.Pictures)
	completeValues(c, "format", formats...)
}

// check returns an error for flags that do not go together, and for a file that must not be written.
func (o *figureOptions) check(formats []string, inputs ...string) error {
	switch {
	case !slices.Contains(formats, o.format):
		return fmt.Errorf("--format %q: expected one of %s", o.format, strings.Join(formats, ", "))
	case o.format == figure.PNG && o.file == "":
		return fmt.Errorf("--format %s: expected --output with the file to write", o.format)
	case o.file != "" && !o.isFigure():
		return fmt.Errorf("--output %s: expected --format %s or %s", o.file, figure.SVG, figure.PNG)
	case o.file == "" && o.Overwrite:
		return errOverwriteNothing
	case o.file != "":
		if err := files.Pictures.Check(o.file, o.Overwrite, inputs...); err != nil {
			return fmt.Errorf("--output %w", err)
		}
	}
	return nil
}

func (o *figureOptions) isFigure() bool { return o.format == figure.SVG || o.format == figure.PNG }

func (o *figureOptions) write(stdout io.Writer, page *figure.Page) error {
	var b bytes.Buffer
	if err := page.Write(&b, o.format); err != nil {
		return err
	}
	if o.file == "" {
		_, err := stdout.Write(b.Bytes())
		return err
	}
	f, err := files.Pictures.Open("output", o.file, "", o.Options)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := f.Write(b.Bytes()); err != nil {
		return err
	}
	return f.Commit()
}
