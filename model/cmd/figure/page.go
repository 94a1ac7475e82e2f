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

// ErrSize is the error for a page that is too large for a picture of pixels.
var ErrSize = errors.New("picture too large")

const (
	dotsPerInch = 192     // of a PNG, two pixels for one of CSS
	mostPixels  = 1 << 26 // of a PNG, 512 MiB while it is drawn
)

// A Page is a picture with a size.
type Page struct {
	width, height vg.Length
	draw          func(c draw.Canvas)
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

// WritePNG writes the page to w, two pixels for each of CSS. The error wraps ErrSize or is that
// of w.
func (p *Page) WritePNG(w io.Writer) error {
	width, height := p.width.Dots(dotsPerInch), p.height.Dots(dotsPerInch)
	if width*height > mostPixels {
		return fmt.Errorf("%w: %.0f×%.0f pixels, expected at most %d, or SVG", ErrSize, width, height, mostPixels)
	}
	sheet := vgimg.NewWith(vgimg.UseWH(p.width, p.height), vgimg.UseDPI(dotsPerInch))
	p.draw(draw.New(anchoring{sheet}))
	_, err := vgimg.PngCanvas{Canvas: sheet}.WriteTo(w)
	return err
}
