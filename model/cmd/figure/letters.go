package figure

import (
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"golang.org/x/text/unicode/norm"
)

// goRegular returns the font.
var goRegular = sync.OnceValue(func() *sfnt.Font {
	f, err := sfnt.Parse(goregular.TTF)
	if err != nil {
		panic(err)
	}
	return f
})

// letters are the outlines of the Go font. Their unit is a font of size 1.
type letters struct {
	font   *sfnt.Font
	units  fixed.Int26_6 // of the font for size 1
	buffer sfnt.Buffer
}

func newLetters() *letters {
	f := goRegular()
	return &letters{font: f, units: fixed.I(int(f.UnitsPerEm()))}
}

// runes returns the letters of text with their accents. One that the font lacks goes without.
func (l *letters) runes(s string) []rune {
	runes := []rune(norm.NFC.String(s))
	for i, r := range runes {
		if !l.has(r) {
			runes[i], _ = utf8.DecodeRuneInString(norm.NFD.String(string(r)))
		}
	}
	return runes
}

// has reports whether the font has a letter.
func (l *letters) has(r rune) bool {
	i, err := l.font.GlyphIndex(&l.buffer, r)
	return err == nil && i != 0
}

// width returns how far text of size 1 goes. A letter that the font lacks counts as a square,
// as letters of the scripts that it lacks are wide, but for a mark on the letter before it.
func (l *letters) width(s string) float64 {
	var sum float64
	for _, r := range l.runes(s) {
		sum += l.advance(r)
	}
	return sum
}

func (l *letters) advance(r rune) float64 {
	i, err := l.font.GlyphIndex(&l.buffer, r)
	if err != nil || i == 0 {
		if unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf) {
			return 0
		}
		return 1
	}
	a, err := l.font.GlyphAdvance(&l.buffer, i, l.units, font.HintingNone)
	if err != nil {
		return 1
	}
	return l.size(a)
}

// size returns a length of the font in the unit of letters.
func (l *letters) size(x fixed.Int26_6) float64 { return float64(x) / float64(l.units) }

// outline adds text of size 1 whose baseline begins at 0, 0. place puts its points on the image.
func (l *letters) outline(o *outline, s string, place func(point) point) {
	var x float64
	for _, r := range l.runes(s) {
		l.glyph(o, r, func(p fixed.Point26_6) point { return place(point{x + l.size(p.X), l.size(p.Y)}) })
		x += l.advance(r)
	}
}

// glyph adds a letter, or the box that stands for one that the font lacks.
func (l *letters) glyph(o *outline, r rune, place func(fixed.Point26_6) point) {
	i, err := l.font.GlyphIndex(&l.buffer, r)
	if err != nil || i == 0 && l.advance(r) == 0 {
		return
	}
	segments, err := l.font.LoadGlyph(&l.buffer, i, l.units, nil)
	if err != nil {
		return
	}
	for _, s := range segments {
		a, b, c := place(s.Args[0]), place(s.Args[1]), place(s.Args[2])
		switch s.Op {
		case sfnt.SegmentOpMoveTo:
			o.move(a)
		case sfnt.SegmentOpLineTo:
			o.line(a)
		case sfnt.SegmentOpQuadTo:
			o.quad(a, b)
		case sfnt.SegmentOpCubeTo:
			o.cube(a, b, c)
		}
	}
}
