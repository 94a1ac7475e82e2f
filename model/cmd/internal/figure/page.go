// Package figure draws alignments, training curves and scores by sentence length as SVG and PNG.
//
// [Alignments], [Curves] and [ByLength] return a [Page], which is written in either format. Text in
// SVG remains text: the viewer aligns it and substitutes fonts for missing glyphs. PNG uses
// Liberation Sans and Serif, which cover Latin, Greek and Cyrillic; other characters appear as boxes.
//
// The same figure always gives the same bytes.
package figure

import (
	"errors"
	"fmt"
	"image/color"
	"io"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
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
	c.SetColor(paper)
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

// middle aligns text vertically to its visual center: halfway between half the x-height and half
// the cap height.
const middle text.YAlignment = -0.37

// The styles of text in charts, and of words of a sentence.
var (
	style = text.Style{Color: color.Gray{Y: 0x22}, Font: font.Font{Size: 9}, Handler: newAnchorHandler()}
	serif = text.Style{Color: ink, Font: font.Font{Typeface: serifTypeface, Size: 14 * pixel}, Handler: style.Handler, YAlign: middle}
)

const serifTypeface font.Typeface = "serif"

const italic = 1 // StyleItalic of golang.org/x/image/font

// families are the fonts of styles: that of a PNG, what an SVG says instead, where a viewer has one of
// several, and how much wider than the first these are at most.
var families = []struct {
	style, png font.Font
	svg        string
	spare      vg.Length
}{
	{font.Font{}, font.Font{Typeface: "Liberation", Variant: "Sans"}, "liberation sans,arial,sans-serif", 1.15},
	{font.Font{Typeface: serifTypeface}, font.Font{Typeface: "Liberation", Variant: "Serif"}, serifFamilies, serifSpare},
	{font.Font{Typeface: serifTypeface, Style: italic}, font.Font{Typeface: "Liberation", Variant: "Serif", Style: italic}, serifFamilies, serifSpare},
}

const (
	serifFamilies = "iowan old style,palatino linotype,palatino,p052,georgia,liberation serif,serif"
	serifSpare    = 1.3
)

// anchors are the horizontal alignments in SVG.
var anchors = map[text.XAlignment]string{draw.XLeft: "start", draw.XCenter: "middle", draw.XRight: "end"}

const anchorProperty = ";text-anchor:"

// An anchorHandler leaves horizontal alignment to the canvas, so that an SVG viewer without the font of the
// PNG aligns text by the widths of the font it has. It encodes alignment and families as a font variant, which
// vgsvg writes into the style attribute.
type anchorHandler struct{ text.Plain }

func newAnchorHandler() anchorHandler {
	var faces font.Collection
	for _, f := range families {
		face := plot.DefaultTextHandler.Cache().Lookup(f.png, 0).Face
		faces = append(faces, font.Face{Font: f.style, Face: face})
		for _, anchor := range anchors {
			f.style.Variant = variant(f.svg, anchor)
			faces = append(faces, font.Face{Font: f.style, Face: face})
		}
	}
	return anchorHandler{text.Plain{Fonts: font.NewCache(faces)}}
}

func variant(families, anchor string) font.Variant {
	return font.Variant("normal;font-family:" + families + anchorProperty + anchor)
}

// Draw draws s with its alignment as the font variant.
func (h anchorHandler) Draw(c vg.Canvas, s string, sty text.Style, at vg.Point) {
	for _, f := range families {
		if f.style.Typeface == sty.Font.Typeface {
			sty.Font.Variant = variant(f.svg, anchors[sty.XAlign])
		}
	}
	sty.XAlign = draw.XLeft
	h.Plain.Draw(c, printable(s), sty, at)
}

// Box returns the space for s in any font: it allows for glyphs wider than those of
// Liberation, and treats scripts other than Latin, Greek and Cyrillic as full width.
func (h anchorHandler) Box(s string, f font.Font) (width, height, depth vg.Length) {
	const afterCyrillic, fullWidth = 0x0530, '—'
	width, height, depth = h.Plain.Box(strings.Map(func(r rune) rune {
		if r >= afterCyrillic {
			return fullWidth
		}
		return r
	}, printable(s)), f)
	for _, family := range families {
		if family.style == (font.Font{Typeface: f.Typeface, Style: f.Style}) {
			width *= family.spare
		}
	}
	return width, height, depth
}

// printable returns s in NFC, with U+FFFD for characters that XML forbids.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.Cc, unicode.Noncharacter_Code_Point) {
			return unicode.ReplacementChar
		}
		return r
	}, norm.NFC.String(s))
}

// An anchorCanvas draws text aligned according to its font variant.
type anchorCanvas struct{ *vgimg.Canvas }

// FillString draws s at the anchor point at.
func (c anchorCanvas) FillString(f font.Face, at vg.Point, s string) {
	for align, anchor := range anchors {
		if strings.HasSuffix(string(f.Font.Variant), anchorProperty+anchor) {
			at.X += vg.Length(float64(align) * float64(f.Width(s)))
		}
	}
	c.Canvas.FillString(f, at, s)
}
