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

// The formats of pictures.
const (
	formatSVG = "svg"
	formatPNG = "png"
)

// A picture says how a figure is written.
type picture struct{ format, output string }

// flags adds the flags of a command whose output has one of the formats, the first by default.
func (p *picture) flags(c *cobra.Command, formats []string) {
	c.Flags().StringVar(&p.format, "format", formats[0], "one of "+strings.Join(formats, ", "))
	c.Flags().StringVar(&p.output, "output", "", "`file` for a picture, instead of standard output; needed for png")
}

// check returns an error for flags that cannot be used.
func (p *picture) check(formats []string) error {
	switch {
	case !slices.Contains(formats, p.format):
		return fmt.Errorf("--format %q: expected one of %s", p.format, strings.Join(formats, ", "))
	case p.format == formatPNG && p.output == "":
		return fmt.Errorf("--format %s: expected --output, a file for the picture", p.format)
	case p.output != "" && p.format != formatPNG && p.format != formatSVG:
		return fmt.Errorf("--output %s: expected --format %s or %s", p.output, formatSVG, formatPNG)
	}
	return nil
}

// write writes a figure to its file or to stdout, once it is complete.
func (p *picture) write(stdout io.Writer, page *figure.Page) error {
	var b bytes.Buffer
	draw := page.WriteSVG
	if p.format == formatPNG {
		draw = page.WritePNG
	}
	if err := draw(&b); err != nil {
		return err
	}
	if p.output == "" {
		_, err := stdout.Write(b.Bytes())
		return err
	}
	return os.WriteFile(p.output, b.Bytes(), 0o666)
}
