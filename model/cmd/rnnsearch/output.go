package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/softsearch-go/softsearch/model/cmd/figure"
)

// The formats of figures.
const (
	formatSVG = "svg"
	formatPNG = "png"
)

// outputOptions are the flags of commands that draw figures: the format of the output and the
// file of a figure.
type outputOptions struct{ format, file string }

// add adds the flags to a command whose output has one of the formats, the first by default.
func (o *outputOptions) add(c *cobra.Command, formats []string) {
	c.Flags().StringVar(&o.format, "format", formats[0], "one of "+strings.Join(formats, ", "))
	c.Flags().StringVar(&o.file, "output", "", "`file` to write the figure to instead of standard output; required for png")
}

// check returns an error for flags that do not go together.
func (o *outputOptions) check(formats []string) error {
	switch {
	case !slices.Contains(formats, o.format):
		return fmt.Errorf("--format %q: expected one of %s", o.format, strings.Join(formats, ", "))
	case o.format == formatPNG && o.file == "":
		return fmt.Errorf("--format %s: expected --output with the file to write", o.format)
	case o.file != "" && o.format != formatPNG && o.format != formatSVG:
		return fmt.Errorf("--output %s: expected --format %s or %s", o.file, formatSVG, formatPNG)
	}
	return nil
}

// write draws a page and writes it to the file or to stdout.
func (o *outputOptions) write(stdout io.Writer, page *figure.Page) error {
	var b bytes.Buffer
	draw := page.WriteSVG
	if o.format == formatPNG {
		draw = page.WritePNG
	}
	if err := draw(&b); err != nil {
		return err
	}
	if o.file == "" {
		_, err := stdout.Write(b.Bytes())
		return err
	}
	return os.WriteFile(o.file, b.Bytes(), 0o666)
}
