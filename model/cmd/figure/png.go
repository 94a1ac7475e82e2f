package figure

import (
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io"
	"math"

	"golang.org/x/image/vector"
)

// ErrSize is the error for a page that is too large for a picture of pixels.
var ErrSize = errors.New("picture too large")

const (
	pixels     = 2       // of a PNG for a unit of the page
	mostPixels = 1 << 26 // of a PNG, 256 MiB while it is drawn
)

// WritePNG writes the page to w, two pixels for each of its units. The error wraps ErrSize or is
// that of w.
func (p *Page) WritePNG(w io.Writer) error {
	width, height := math.Ceil(p.width*pixels), math.Ceil(p.height*pixels)
	if width*height > mostPixels {
		return fmt.Errorf("%w: %.0f×%.0f pixels, expected at most %d, or SVG", ErrSize, width, height, mostPixels)
	}
	canvas := image.NewRGBA(image.Rect(0, 0, int(width), int(height)))
	draw.Draw(canvas, canvas.Rect, image.NewUniform(white), image.Point{}, draw.Src)
	painter := painter{image: canvas, scale: pixels, letters: newLetters()}
	for _, s := range p.shapes {
		s.png(&painter)
	}
	return png.Encode(w, canvas)
}

// A painter draws shapes on an image.
type painter struct {
	image   *image.RGBA
	scale   float64 // pixels for a unit of the page
	letters *letters
}

// pixel returns where a point of the page is on the image.
func (p *painter) pixel(at point) point {
	return point{float64(at.x * p.scale), float64(at.y * p.scale)}
}

// fill fills an outline. What lies outside of the image is not drawn.
func (p *painter) fill(o outline, c color.RGBA) {
	if len(o.segments) == 0 {
		return
	}
	low, high := o.bounds()
	area := image.Rect(int(low.x), int(low.y), int(high.x), int(high.y)).Intersect(p.image.Rect)
	r := vector.NewRasterizer(area.Dx(), area.Dy())
	o.draw(r, point{float64(area.Min.X), float64(area.Min.Y)})
	r.Draw(p.image, area, image.NewUniform(c), image.Point{})
}
