// Package figure draws alignments, training curves and scores by sentence length as SVG and PNG.
//
// [Alignments], [Curves] and [ByLength] return a [Page], which is written in either format. Text in
// SVG remains text: the viewer aligns it and substitutes fonts for missing glyphs. PNG uses
// Liberation Sans, which covers Latin, Greek and Cyrillic; other characters appear as boxes.
//
// The same figure always gives the same bytes.
package figure

import (
	"errors"
	"fmt"
	"image/color"
	"io"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// ErrSize is the error for a page that is too large for a PNG.
var ErrSize = errors.New("picture too large")

const (
	dotsPerInch = 192     // PNG resolution: two pixels per CSS pixel
	maxPixels   = 1 << 26 // of a PNG, which takes 512 MiB to draw
)

// Formats of a page.
const (
	SVG = "svg"
	PNG = "png"
)

// A Page is a figure of a fixed size.
type Page struct {
	width, height vg.Length
	draw          func(c draw.Canvas)
}

// Write writes the page to w in one of the formats, see [Page.WritePNG].
func (p *Page) Write(w io.Writer, format string) error {
	if format == PNG {
		return p.WritePNG(w)
	}
	return p.WriteSVG(w)
}

// WriteSVG writes the page to w.
func (p *Page) WriteSVG(w io.Writer) error {
	sheet := vgsvg.New(p.width, p.height)
	c := draw.New(sheet)
	c.SetColor(color.White)
	c.Fill(c.Rectangle.Path())
	p.draw(c)
	_, err := sheet.WriteTo(w)
	return err
}

// CheckPNG returns an error that wraps [ErrSize] if the page is too large for WritePNG.
func (p *Page) CheckPNG() error {
	width, height := p.width.Dots(dotsPerInch), p.height.Dots(dotsPerInch)
	if width*height > maxPixels {
		return fmt.Errorf("%w: %.0f×%.0f pixels, expected at most %d, or SVG", ErrSize, width, height, maxPixels)
	}
	return nil
}

// WritePNG writes the page to w, two pixels per CSS pixel. The error wraps [ErrSize] or is that
// of w.
func (p *Page) WritePNG(w io.Writer) error {
	if err := p.CheckPNG(); err != nil {
		return err
	}
	sheet := vgimg.NewWith(vgimg.UseWH(p.width, p.height), vgimg.UseDPI(dotsPerInch))
	p.draw(draw.New(anchorCanvas{sheet}))
	_, err := vgimg.PngCanvas{Canvas: sheet}.WriteTo(w)
	return err
}
