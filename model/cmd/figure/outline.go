package figure

import (
	"math"

	"golang.org/x/image/vector"
)

// An outline is what a painter fills: closed curves, all of which turn the same way where they
// overlap.
type outline struct{ segments []segment }

// A segment goes on to the last of its points: a line to one, a curve of degree two or three to
// the last of two or three. A segment that moves begins a closed curve.
type segment struct {
	moves  bool
	points []point
}

func (o *outline) move(p point)    { o.segments = append(o.segments, segment{true, []point{p}}) }
func (o *outline) line(p point)    { o.segments = append(o.segments, segment{false, []point{p}}) }
func (o *outline) quad(p, q point) { o.segments = append(o.segments, segment{false, []point{p, q}}) }
func (o *outline) cube(p, q, r point) {
	o.segments = append(o.segments, segment{false, []point{p, q, r}})
}

// bounds returns the corners of a rectangle of whole numbers around the outline.
func (o *outline) bounds() (low, high point) {
	low, high = point{math.Inf(1), math.Inf(1)}, point{math.Inf(-1), math.Inf(-1)}
	for _, s := range o.segments {
		for _, p := range s.points {
			low = point{min(low.x, math.Floor(p.x)), min(low.y, math.Floor(p.y))}
			high = point{max(high.x, math.Ceil(p.x)), max(high.y, math.Ceil(p.y))}
		}
	}
	return low, high
}

// draw draws the outline with origin at 0, 0.
func (o *outline) draw(r *vector.Rasterizer, origin point) {
	at := func(p point) (x, y float32) { return float32(p.x - origin.x), float32(p.y - origin.y) }
	for i, s := range o.segments {
		if s.moves && i > 0 {
			r.ClosePath()
		}
		bx, by := at(s.points[0])
		switch {
		case s.moves:
			r.MoveTo(bx, by)
		case len(s.points) == 1:
			r.LineTo(bx, by)
		case len(s.points) == 2:
			cx, cy := at(s.points[1])
			r.QuadTo(bx, by, cx, cy)
		default:
			cx, cy := at(s.points[1])
			dx, dy := at(s.points[2])
			r.CubeTo(bx, by, cx, cy, dx, dy)
		}
	}
	r.ClosePath()
}
