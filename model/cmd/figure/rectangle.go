package figure

import (
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"math"
)

var white = grey(1)

// A rectangle is filled. Its edges are on borders of pixels.
type rectangle struct {
	at            point // the corner above on the left
	width, height float64
	fill          color.RGBA
}

func (r rectangle) svg(w *svgWriter) {
	fmt.Fprintf(w, `<rect x="%s" y="%s" width="%s" height="%s" fill="%s" shape-rendering="crispEdges"/>`+"\n",
		decimal(r.at.x), decimal(r.at.y), decimal(r.width), decimal(r.height), hex(r.fill))
}

func (r rectangle) png(p *painter) {
	from, to := p.pixel(r.at), p.pixel(r.at.plus(r.width, r.height))
	area := image.Rect(int(math.Round(from.x)), int(math.Round(from.y)), int(math.Round(to.x)), int(math.Round(to.y)))
	draw.Draw(p.image, area, image.NewUniform(r.fill), image.Point{}, draw.Src)
}
