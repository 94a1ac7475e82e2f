package figure

import (
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"
)

// A kind of curve of a run is its name.
type kind string

const (
	training   kind = "training"
	validation kind = "validation"
	best       kind = "best model"
)

// parts returns what shows the points of a run, the later on the earlier.
func (k kind) parts(run int, points plotter.XYs) []plot.Plotter {
	disc := draw.CircleGlyph{}
	switch k {
	case training:
		return []plot.Plotter{line(points, translucent(run), 1)}
	case validation:
		return marked(run, points)
	}
	return []plot.Plotter{glyphs(points, inks[run], 5, disc), glyphs(points, color.White, 3.8, disc), dots(run, points)}
}
