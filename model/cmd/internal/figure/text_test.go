package figure

import (
	"math"
	"testing"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// TestLabel checks the position of a word in capitals for each alignment, horizontal and upright, in
// both formats.
func TestLabel(t *testing.T) {
	const word, at = "HHHHHH", 100.0
	face := style.Handler.Cache().Lookup(style.Font, style.Font.Size)
	width := float64(face.Width(word))
	for align, anchor := range map[text.XAlignment]string{draw.XLeft: "start", draw.XCenter: "middle", draw.XRight: "end"} {
		for _, rotation := range []float64{0, math.Pi / 2} {
			sty := style
			sty.XAlign, sty.YAlign, sty.Rotation = align, middle, rotation
			p := &Page{2 * at, 2 * at, func(c draw.Canvas) { c.FillText(sty, vg.Point{X: at, Y: at}, word) }}
			l := parsed(t, p).labels[0]
			if l.anchor() != anchor || (l.turn == 90) != (rotation > 0) || math.Abs(l.x-at) > 4 || math.Abs(l.y-at) > 4 {
				t.Errorf("%s, rotation %v: %+v", anchor, rotation, l)
			}
			r := inked(decoded(t, p))
			first, last, low, high := float64(r.Min.X), float64(r.Max.X), float64(r.Min.Y), float64(r.Max.Y)
			if rotation > 0 { // rotate back
				first, last, low, high = 2*at*pixels-high, 2*at*pixels-low, first, last
			}
			start := at + float64(align)*width
			if math.Abs(first/pixels-start) > 1.5 || math.Abs(last/pixels-start-width) > 1.5 || low/pixels > at-2 || high/pixels < at+2 || (high-low)/pixels > 8 {
				t.Errorf("%s, rotation %v: ink from %v to %v and %v to %v, want from %v to %v around %v",
					anchor, rotation, first/pixels, last/pixels, low/pixels, high/pixels, start, start+width, at)
			}
		}
	}
}

// TestGlyphs checks that the font covers the three scripts.
func TestGlyphs(t *testing.T) {
	face := style.Handler.Cache().Lookup(style.Font, style.Font.Size)
	for _, r := range "aéçœŻłЖйщΩγάß.,'’«»<>&" {
		if i, err := face.Face.GlyphIndex(nil, r); err != nil || i == 0 {
			t.Errorf("%c is not in the font: %v", r, err)
		}
	}
}

// TestPrintable has a combining accent, characters that XML forbids, and invalid UTF-8.
func TestPrintable(t *testing.T) {
	for s, want := range map[string]string{"e\u0301t\u00e9": "\u00e9t\u00e9", "a\x01\n\ufffeb": "a\ufffd\ufffd\ufffdb", "\xff": "\ufffd", "猫": "猫"} {
		if got := printable(s); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// TestBox checks that there is space for glyphs wider than those of the font.
func TestBox(t *testing.T) {
	face := style.Handler.Cache().Lookup(style.Font, style.Font.Size)
	for s, least := range map[string]vg.Length{"": 0, "www": 1.1 * face.Width("www"), "猫猫": 2 * style.Font.Size} {
		if got := style.Width(s); got < least || got > 1.2*least {
			t.Errorf("%s: got %v, want %v to 20 %% more", s, got, least)
		}
	}
}
