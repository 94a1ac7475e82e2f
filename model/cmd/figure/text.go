package figure

import (
	"image/color"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
)

// middle aligns text vertically to its visual center: halfway between half the x-height and half
// the cap height.
const middle text.YAlignment = -0.37

var style = text.Style{Color: color.Gray{Y: 0x22}, Font: font.Font{Size: 9}, Handler: newAnchorHandler()}

// anchors encode horizontal alignment as font variants. vgsvg writes the variant into the style
// attribute, where it also lists fallback fonts: some of the same widths, then any sans-serif.
var anchors = map[text.XAlignment]font.Variant{
	draw.XLeft:   "normal;font-family:liberation sans,arial,sans-serif;text-anchor:start",
	draw.XCenter: "normal;font-family:liberation sans,arial,sans-serif;text-anchor:middle",
	draw.XRight:  "normal;font-family:liberation sans,arial,sans-serif;text-anchor:end",
}

// An anchorHandler leaves horizontal alignment to the canvas, so that an SVG viewer without
// Liberation Sans aligns text by the widths of the font it has.
type anchorHandler struct{ text.Plain }

func newAnchorHandler() anchorHandler {
	sans := plot.DefaultTextHandler.Cache().Lookup(font.Font{Typeface: "Liberation", Variant: "Sans"}, 0)
	faces := font.Collection{{Face: sans.Face}}
	for _, anchor := range anchors {
		faces = append(faces, font.Face{Font: font.Font{Variant: anchor}, Face: sans.Face})
	}
	return anchorHandler{text.Plain{Fonts: font.NewCache(faces)}}
}

// Draw draws s with its alignment as the font variant.
func (h anchorHandler) Draw(c vg.Canvas, s string, sty text.Style, at vg.Point) {
	sty.Font.Variant, sty.XAlign = anchors[sty.XAlign], draw.XLeft
	h.Plain.Draw(c, printable(s), sty, at)
}

// Box returns the space for s in any font: it allows for glyphs wider than those of Liberation
// Sans, and treats scripts other than Latin, Greek and Cyrillic as full width.
func (h anchorHandler) Box(s string, f font.Font) (width, height, depth vg.Length) {
	const spare, afterCyrillic, fullWidth = 1.15, 0x0530, '—'
	width, height, depth = h.Plain.Box(strings.Map(func(r rune) rune {
		if r >= afterCyrillic {
			return fullWidth
		}
		return r
	}, printable(s)), f)
	return width * spare, height, depth
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
		if anchor == f.Font.Variant {
			at.X += vg.Length(float64(align) * float64(f.Width(s)))
		}
	}
	c.Canvas.FillString(f, at, s)
}
