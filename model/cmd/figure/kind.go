package figure

import (
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// inks are the colours of runs: they differ in hue and, for readers of greys, in lightness.
var inks = []color.NRGBA{
	{0x0b, 0x3c, 0x7d, 0xff}, {0xc9, 0x3a, 0x4f, 0xff}, {0x3f, 0xb0, 0xb8, 0xff},
	{0xe8, 0xb0, 0x23, 0xff}, {0x9a, 0xa0, 0xa6, 0xff}, {0x3d, 0x1f, 0x47, 0xff},
}

// shapes are the glyphs of runs, in turn.
var shapes = []draw.GlyphDrawer{draw.CircleGlyph{}, draw.BoxGlyph{}, draw.PyramidGlyph{}}

// A kind of curve is its name.
type kind string

const (
	training   kind = "training"
	validation kind = "validation"
	best       kind = "best model"
)

// parts returns what shows the samples of a run, the later on the earlier.
func (k kind) parts(run int, samples []Sample) []plot.Plotter {
	points := make(plotter.XYs, len(samples))
	for i, s := range samples {
		points[i] = plotter.XY{X: float64(s.Update), Y: s.Value}
	}
	line := func(c color.Color, width vg.Length) plot.Plotter {
		return &plotter.Line{XYs: points, LineStyle: draw.LineStyle{Color: c, Width: width}}
	}
	glyphs := func(c color.Color, radius vg.Length, shape draw.GlyphDrawer) plot.Plotter {
		return &plotter.Scatter{XYs: points, GlyphStyle: draw.GlyphStyle{Color: c, Radius: radius, Shape: shape}}
	}
	ink, light, disc := inks[run], inks[run], draw.CircleGlyph{}
	light.A = 0x80
	dots := glyphs(ink, 2.2, shapes[run%len(shapes)])
	switch k {
	case training:
		return []plot.Plotter{line(light, 1)}
	case validation:
		return []plot.Plotter{line(ink, 1.5), dots}
	}
	return []plot.Plotter{glyphs(ink, 5, disc), glyphs(color.White, 3.8, disc), dots}
}

// explain adds what a run has to the legend of a chart.
func (k kind) explain(p *plot.Plot, run int, name string) {
	var thumbs []plot.Thumbnailer
	for _, part := range k.parts(run, nil) {
		thumbs = append(thumbs, part.(plot.Thumbnailer))
	}
	p.Legend.Add(name, thumbs...)
}
