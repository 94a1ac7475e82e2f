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

// middle puts the middle of letters, between half the height of small ones and half that of
// capitals, at the point where text is drawn.
const middle text.YAlignment = -0.37

// style is that of all text.
var style = text.Style{Color: color.Gray{Y: 0x22}, Font: font.Font{Size: 9}, Handler: newAnchored()}

// anchors are the alignments of text as variants of its font. SVG has the variant among the
// properties of text, where it also names fonts of the same widths and then any without serifs.
var anchors = map[text.XAlignment]font.Variant{
	draw.XLeft:   "normal;font-family:liberation sans,arial,sans-serif;text-anchor:start",
	draw.XCenter: "normal;font-family:liberation sans,arial,sans-serif;text-anchor:middle",
	draw.XRight:  "normal;font-family:liberation sans,arial,sans-serif;text-anchor:end",
}

// An anchored handler leaves the alignment of text along its line to the canvas, so that a viewer
// of SVG without Liberation Sans aligns what it draws.
type anchored struct{ text.Plain }

func newAnchored() anchored {
	sans := plot.DefaultTextHandler.Cache().Lookup(font.Font{Typeface: "Liberation", Variant: "Sans"}, 0)
	faces := font.Collection{{Face: sans.Face}}
	for _, anchor := range anchors {
		faces = append(faces, font.Face{Font: font.Font{Variant: anchor}, Face: sans.Face})
	}
	return anchored{text.Plain{Fonts: font.NewCache(faces)}}
}

// Draw draws s with its alignment as the variant of the font.
func (a anchored) Draw(c vg.Canvas, s string, sty text.Style, at vg.Point) {
	sty.Font.Variant, sty.XAlign = anchors[sty.XAlign], draw.XLeft
	a.Plain.Draw(c, legible(s), sty, at)
}

// Box returns what s needs in any font: letters may be wider than those of Liberation Sans, and
// those of scripts other than Latin, Greek and Cyrillic count as squares.
func (a anchored) Box(s string, f font.Font) (width, height, depth vg.Length) {
	const spare, afterCyrillic, square = 1.15, 0x0530, '—'
	width, height, depth = a.Plain.Box(strings.Map(func(r rune) rune {
		if r >= afterCyrillic {
			return square
		}
		return r
	}, legible(s)), f)
	return width * spare, height, depth
}

// legible returns s with accents as parts of their letters, and U+FFFD for what XML cannot have.
func legible(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.Cc, unicode.Noncharacter_Code_Point) {
			return unicode.ReplacementChar
		}
		return r
	}, norm.NFC.String(s))
}

// An anchoring canvas aligns text as anchors say.
type anchoring struct{ *vgimg.Canvas }

// FillString draws s from where its anchor puts its beginning.
func (c anchoring) FillString(f font.Face, at vg.Point, s string) {
	for align, anchor := range anchors {
		if anchor == f.Font.Variant {
			at.X += vg.Length(float64(align) * float64(f.Width(s)))
		}
	}
	c.Canvas.FillString(f, at, s)
}
