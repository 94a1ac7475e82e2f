package figure

import (
	"fmt"
	"image/color"
)

// A disc is a filled circle with a border.
type disc struct {
	centre       point
	radius       float64 // to the middle of the border
	width        float64 // of the border
	fill, stroke color.RGBA
}

func (d disc) svg(w *svgWriter) {
	fmt.Fprintf(w, `<circle cx="%s" cy="%s" r="%s" fill="%s" stroke="%s" stroke-width="%s"/>`+"\n",
		decimal(d.centre.x), decimal(d.centre.y), decimal(d.radius), hex(d.fill), hex(d.stroke), decimal(d.width))
}

func (d disc) png(p *painter) {
	var outer, inner outline
	outer.circle(p.pixel(d.centre), (d.radius+d.width/2)*p.scale)
	inner.circle(p.pixel(d.centre), (d.radius-d.width/2)*p.scale)
	p.fill(outer, d.stroke)
	p.fill(inner, d.fill)
}

// circle adds a circle of four cubic curves, whose error is below 0.03 % of the radius.
func (o *outline) circle(c point, r float64) {
	const handle = 0.5522847498 // 4/3 (√2 - 1)
	h := handle * r
	o.move(c.plus(r, 0))
	o.cube(c.plus(r, h), c.plus(h, r), c.plus(0, r))
	o.cube(c.plus(-h, r), c.plus(-r, h), c.plus(-r, 0))
	o.cube(c.plus(-r, -h), c.plus(-h, -r), c.plus(0, -r))
	o.cube(c.plus(h, -r), c.plus(r, -h), c.plus(r, 0))
}
