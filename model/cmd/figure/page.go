package figure

import "image/color"

// A Page is a picture: shapes in the order in which they are drawn, y downwards, on white. Its
// unit is the pixel of CSS, 1/96 inch.
type Page struct {
	width, height float64
	shapes        []shape
}

// A shape is a part of a picture.
type shape interface {
	svg(w *svgWriter)
	png(p *painter)
}

func (p *Page) add(s ...shape) { p.shapes = append(p.shapes, s...) }

// A point is a place on a page.
type point struct{ x, y float64 }

// plus returns the point that is x to the right of p and y below it. The conversions keep products
// that are added from being fused, which would depend on the machine.
func (p point) plus(x, y float64) point { return point{p.x + float64(x), p.y + float64(y)} }

// grey returns a shade from 0, black, to 1, white. A level outside, or none, is the nearest.
func grey(level float64) color.RGBA {
	y := uint8(0)
	if level > 0 {
		y = uint8(float64(min(level, 1)*255) + 0.5)
	}
	return color.RGBA{y, y, y, 255}
}

// rgb returns the colour 0xRRGGBB.
func rgb(hex uint32) color.RGBA {
	return color.RGBA{uint8(hex >> 16), uint8(hex >> 8), uint8(hex), 255}
}
