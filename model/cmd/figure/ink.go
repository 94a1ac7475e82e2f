package figure

import (
	"errors"
	"fmt"
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// ErrCount is the error for a number of curves that a figure cannot tell apart, and where there is
// nothing to draw.
var ErrCount = errors.New("wrong number")

// inks are the colours of curves: they differ in hue and, for readers of greys, in lightness.
var inks = []color.NRGBA{
	{0x0b, 0x3c, 0x7d, 0xff}, {0xc9, 0x3a, 0x4f, 0xff}, {0x3f, 0xb0, 0xb8, 0xff},
	{0xe8, 0xb0, 0x23, 0xff}, {0x9a, 0xa0, 0xa6, 0xff}, {0x3d, 0x1f, 0x47, 0xff},
}

// shapes are the glyphs of curves, in turn.
var shapes = []draw.GlyphDrawer{draw.CircleGlyph{}, draw.BoxGlyph{}, draw.PyramidGlyph{}, diamond{}}

// distinct returns an error that wraps ErrCount unless each of n of what is named has an ink.
func distinct(n int, name string) error {
	if n < 1 || n > len(inks) {
		return fmt.Errorf("%w of %s: %d, expected 1 to %d", ErrCount, name, n, len(inks))
	}
	return nil
}

// translucent returns an ink that what is below shines through.
func translucent(i int) color.NRGBA {
	ink := inks[i]
	ink.A = 0x80
	return ink
}

// marked returns a line through points, and the dots on it.
func marked(i int, points plotter.XYs) []plot.Plotter {
	return []plot.Plotter{line(points, inks[i], 1.5), dots(i, points)}
}

// dots returns the glyphs of a curve.
func dots(i int, points plotter.XYs) plot.Plotter {
	return glyphs(points, inks[i], 2.2, shapes[i%len(shapes)])
}

func line(points plotter.XYs, c color.Color, width vg.Length) plot.Plotter {
	return &plotter.Line{XYs: points, LineStyle: draw.LineStyle{Color: c, Width: width}}
}

func glyphs(points plotter.XYs, c color.Color, radius vg.Length, shape draw.GlyphDrawer) plot.Plotter {
	return &plotter.Scatter{XYs: points, GlyphStyle: draw.GlyphStyle{Color: c, Radius: radius, Shape: shape}}
}
