package figure

import (
	"image"
	"math"
	"testing"
)

// ink returns the smallest rectangle of units of a page around everything on it.
func ink(t *testing.T, p *Page) (low, high point) {
	t.Helper()
	picture := decoded(t, p)
	low, high = point{math.Inf(1), math.Inf(1)}, point{math.Inf(-1), math.Inf(-1)}
	for y := range picture.Bounds().Dy() {
		for x := range picture.Bounds().Dx() {
			if same(picture, image.NewUniform(white), image.Rect(x, y, x+1, y+1)) {
				continue
			}
			low = point{min(low.x, float64(x)/pixels), min(low.y, float64(y)/pixels)}
			high = point{max(high.x, float64(x+1)/pixels), max(high.y, float64(y+1)/pixels)}
		}
	}
	return low, high
}

// TestLabelPNG: a word without descenders begins, is in the middle or ends where its label is, to
// the right or upwards.
func TestLabelPNG(t *testing.T) {
	const size, at = 20.0, 100.0
	width := newLetters().width("HHHHHH") * size
	for anchor, share := range map[anchor]float64{start: 0, middle: 0.5, end: 1} {
		for _, upright := range []bool{false, true} {
			p := &Page{width: 2 * at, height: 2 * at}
			p.add(label{point{at, at}, "HHHHHH", size, anchor, upright, black})
			low, high := ink(t, p)
			if upright { // turned back
				low, high = point{2*at - high.y, low.x}, point{2*at - low.y, high.x}
			}
			first, last := at-share*width, at+(1-share)*width
			if math.Abs(low.x-first) > 3 || math.Abs(high.x-last) > 3 || math.Abs(high.y-at) > 1 || low.y > at-0.6*size || low.y < at-size {
				t.Errorf("%s, upright %v: ink from %v to %v, want from %v to %v above %v", anchor, upright, low, high, first, last, at)
			}
		}
	}
}
