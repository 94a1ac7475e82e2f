package figure

import (
	"image/color"
	"math"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A limit is an upright line across a chart at a number of words, with the number above.
type limit int

// limitStyle is darker than that of the grid and lighter than that of axes.
var limitStyle = draw.LineStyle{Color: color.Gray{Y: 0x90}, Width: 0.75, Dashes: []vg.Length{3, 2}}

const limitGap vg.Length = 3 // between line and number

// number returns the text above the line, and its style.
func (l limit) number() (string, draw.TextStyle) {
	above := style
	above.XAlign = draw.XCenter
	return strconv.Itoa(int(l)), above
}

func (l limit) Plot(c draw.Canvas, p *plot.Plot) {
	x, _ := p.Transforms(&c)
	at := x(float64(l))
	c.StrokeLine2(limitStyle, at, c.Min.Y, at, c.Max.Y)
	text, above := l.number()
	c.FillText(above, vg.Point{X: at, Y: c.Max.Y + limitGap}, text)
}

// DataRange returns the smallest and the largest x, and of y none.
func (l limit) DataRange() (left, right, low, high float64) {
	return float64(l), float64(l), math.Inf(1), math.Inf(-1)
}

// GlyphBoxes returns the room of the number.
func (l limit) GlyphBoxes(p *plot.Plot) []plot.GlyphBox {
	text, above := l.number()
	box := above.Rectangle(text).Add(vg.Point{Y: limitGap})
	return []plot.GlyphBox{{X: p.X.Norm(float64(l)), Y: 1, Rectangle: box}}
}

func (l limit) Thumbnail(c *draw.Canvas) {
	c.StrokeLine2(limitStyle, c.Center().X, c.Min.Y, c.Center().X, c.Max.Y)
}
