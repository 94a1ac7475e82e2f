package figure

import (
	"fmt"
	"image/color"
	"math"
)

// A line joins points with straight strokes, whose ends and corners are round.
type line struct {
	points []point
	width  float64
	stroke color.RGBA
}

func (l line) svg(w *svgWriter) {
	w.WriteString(`<polyline points="`)
	for i, p := range l.points {
		if i > 0 {
			w.WriteByte(' ')
		}
		fmt.Fprintf(w, "%s,%s", decimal(p.x), decimal(p.y))
	}
	fmt.Fprintf(w, `" fill="none" stroke="%s" stroke-width="%s" stroke-linecap="round" stroke-linejoin="round"/>`+"\n",
		hex(l.stroke), decimal(l.width))
}

func (l line) png(p *painter) {
	var o outline
	for i, to := range l.points {
		o.circle(p.pixel(to), l.width/2*p.scale)
		if i > 0 {
			o.stroke(p.pixel(l.points[i-1]), p.pixel(to), l.width*p.scale)
		}
	}
	p.fill(o, l.stroke)
}

// stroke adds the rectangle of that width between two points.
func (o *outline) stroke(from, to point, width float64) {
	dx, dy := to.x-from.x, to.y-from.y
	length := math.Hypot(dx, dy)
	if length == 0 {
		return
	}
	x, y := -dy/length*width/2, dx/length*width/2
	o.move(from.plus(-x, -y))
	o.line(to.plus(-x, -y))
	o.line(to.plus(x, y))
	o.line(from.plus(x, y))
}
