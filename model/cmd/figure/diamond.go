package figure

import (
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A diamond is a glyph: a square on its corner, of about the area of a box of the same radius.
type diamond struct{}

func (diamond) DrawGlyph(c *draw.Canvas, sty draw.GlyphStyle, at vg.Point) {
	var p vg.Path
	r := sty.Radius * 5 / 4
	p.Move(at.Add(vg.Point{Y: r}))
	p.Line(at.Add(vg.Point{X: r}))
	p.Line(at.Add(vg.Point{Y: -r}))
	p.Line(at.Add(vg.Point{X: -r}))
	p.Close()
	c.Fill(p)
}
