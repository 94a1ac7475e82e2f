package figure

import (
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Intervals are upright bars from the low to the high ends of the scores of a system.
type intervals struct {
	system int
	aside  vg.Length // from the length that scores are of
	scores []LengthScore
}

func (v intervals) style() draw.LineStyle {
	return draw.LineStyle{Color: translucent(v.system), Width: 0.75}
}

func (v intervals) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	for _, s := range v.scores {
		at := x(s.Words) + v.aside
		c.StrokeLine2(v.style(), at, y(s.Low), at, y(s.High))
	}
}

// DataRange returns the smallest and the largest x, then those of y.
func (v intervals) DataRange() (left, right, low, high float64) {
	left, right, low, high = math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
	for _, s := range v.scores {
		left, right, low, high = min(left, s.Words), max(right, s.Words), min(low, s.Low), max(high, s.High)
	}
	return left, right, low, high
}

func (v intervals) Thumbnail(c *draw.Canvas) {
	c.StrokeLine2(v.style(), c.Center().X, c.Min.Y, c.Center().X, c.Max.Y)
}
