package figure

import (
	"bytes"
	"errors"
	"image"
	"image/color"
	"image/png"
	"testing"
)

// pixels is the number of pixels of a PNG for a point of the page.
const pixels = dotsPerInch / 72.0

// decoded returns the PNG of a page.
func decoded(t *testing.T, p *Page) image.Image {
	t.Helper()
	var b bytes.Buffer
	if err := p.WritePNG(&b); err != nil {
		t.Fatal(err)
	}
	picture, err := png.Decode(&b)
	if err != nil {
		t.Fatal(err)
	}
	return picture
}

// ink returns the smallest rectangle of pixels around everything that is not white.
func ink(picture image.Image) image.Rectangle {
	var all image.Rectangle
	size := picture.Bounds()
	for y := range size.Dy() {
		for x := range size.Dx() {
			if color.RGBAModel.Convert(picture.At(x, y)) != (color.RGBA{255, 255, 255, 255}) {
				all = all.Union(image.Rect(x, y, x+1, y+1))
			}
		}
	}
	return all
}

// sameTwice draws a figure twice, in both formats.
func sameTwice(t *testing.T, figure func() *Page) {
	t.Helper()
	var svg, png [2]bytes.Buffer
	for i := range svg {
		p := figure()
		if err := errors.Join(p.WriteSVG(&svg[i]), p.WritePNG(&png[i])); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(svg[0].Bytes(), svg[1].Bytes()) || !bytes.Equal(png[0].Bytes(), png[1].Bytes()) {
		t.Error("the same figure has two forms")
	}
}
