package figure

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// A document is a parsed SVG.
type document struct {
	width, height float64
	labels        []label
	paths         []path
}

// parsed returns the SVG of a page as an XML parser reads it.
func parsed(t *testing.T, p *Page) document {
	t.Helper()
	var b bytes.Buffer
	if err := p.WriteSVG(&b); err != nil {
		t.Fatal(err)
	}
	var d document
	var groups []string // their transforms
	var text *label
	for decoder := xml.NewDecoder(&b); ; {
		token, err := decoder.Token()
		if err == io.EOF {
			return d
		}
		if err != nil {
			t.Fatal(err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			get := func(name string) string {
				for _, a := range token.Attr {
					if a.Name.Local == name {
						return a.Value
					}
				}
				return ""
			}
			switch token.Name.Local {
			case "svg":
				d.width, d.height = number(t, get("width")), number(t, get("height"))
			case "g":
				groups = append(groups, get("transform"))
			case "path":
				d.paths = append(d.paths, path{get("d"), get("style")})
			case "text":
				d.labels = append(d.labels, label{x: number(t, get("x")), y: -number(t, get("y")), style: get("style")})
				text = &d.labels[len(d.labels)-1]
				if _, err := fmt.Sscanf(groups[len(groups)-1], "rotate(%g)", &text.turn); err == nil {
					sin, cos := math.Sincos(text.turn * math.Pi / 180)
					text.x, text.y = text.x*cos-text.y*sin, text.x*sin+text.y*cos
				}
			}
		case xml.CharData:
			if text != nil {
				text.text += string(token)
			}
		case xml.EndElement:
			text = nil
			if token.Name.Local == "g" {
				groups = groups[:len(groups)-1]
			}
		}
	}
}

// number parses a length in points.
func number(t *testing.T, s string) float64 {
	t.Helper()
	x, err := strconv.ParseFloat(strings.TrimSuffix(s, "pt"), 64)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// texts returns the texts of all labels.
func (d document) texts() []string {
	var list []string
	for _, l := range d.labels {
		list = append(list, l.text)
	}
	return list
}

// A label is a text element. Its coordinates are points from the lower left corner of the page.
type label struct {
	text  string
	x, y  float64
	turn  float64 // degrees
	style string
}

// anchor returns which end of the text its coordinates give.
func (l label) anchor() string {
	_, after, _ := strings.Cut(l.style, "text-anchor:")
	anchor, _, _ := strings.Cut(after, ";")
	return anchor
}

// A path is a filled outline or a stroked line.
type path struct {
	data, style string
}

// fill returns the color of an outline.
func (p path) fill() string {
	_, fill, found := strings.Cut(p.style, "fill:")
	if !found {
		return "#000000"
	}
	return fill[:len("#000000")]
}

// points returns the points of a path without arcs.
func (p path) points(t *testing.T) [][2]float64 {
	t.Helper()
	var list [][2]float64
	for _, step := range strings.FieldsFunc(strings.TrimSuffix(p.data, "Z"), func(r rune) bool { return r == 'M' || r == 'L' }) {
		var at [2]float64
		if _, err := fmt.Sscanf(step, "%g,%g", &at[0], &at[1]); err != nil {
			t.Fatalf("%v: %s", err, p.data)
		}
		list = append(list, at)
	}
	return list
}

// lines returns the points of each line.
func (d document) lines(t *testing.T) [][][2]float64 {
	t.Helper()
	var list [][][2]float64
	for _, p := range d.paths {
		if strings.Contains(p.style, "stroke:") {
			list = append(list, p.points(t))
		}
	}
	return list
}

// near compares points with the precision of the SVG, five digits.
func near(a, b [2]float64) bool { return math.Abs(a[0]-b[0]) < 0.02 && math.Abs(a[1]-b[1]) < 0.02 }

// through reports whether one of the lines has exactly these points.
func through(lines [][][2]float64, points [][2]float64) bool {
	return slices.ContainsFunc(lines, func(line [][2]float64) bool { return slices.EqualFunc(line, points, near) })
}

// half returns the labels and paths that start in the left or the right half of a document.
func (d document) half(t *testing.T, left bool) document {
	t.Helper()
	here := func(x float64) bool { return (x < d.width/2) == left }
	part := document{width: d.width, height: d.height}
	for _, l := range d.labels {
		if here(l.x) {
			part.labels = append(part.labels, l)
		}
	}
	for _, p := range d.paths {
		if begin, _, _ := strings.Cut(strings.TrimPrefix(p.data, "M"), ","); here(number(t, begin)) {
			part.paths = append(part.paths, p)
		}
	}
	return part
}

// grid returns the grid lines.
func (d document) grid(t *testing.T) [][][2]float64 {
	t.Helper()
	var list [][][2]float64
	for _, p := range d.paths {
		if strings.Contains(p.style, "stroke:#E0E0E0") {
			list = append(list, p.points(t))
		}
	}
	return list
}

// at returns the position of the values x and y in a chart, interpolated from its axis labels.
func (d document) at(t *testing.T, x, y float64) [2]float64 {
	t.Helper()
	return [2]float64{place(t, d.axis(t, false), x), place(t, d.axis(t, true), y)}
}

// place returns the position of a value on an axis.
func place(t *testing.T, axis []tick, value float64) float64 {
	t.Helper()
	if len(axis) < 2 {
		t.Fatalf("axis labels %v, want at least two", axis)
	}
	first, last := axis[0], axis[len(axis)-1]
	return first.at + (value-first.value)/(last.value-first.value)*(last.at-first.at)
}

// A tick is an axis label and its position.
type tick struct{ value, at float64 }

// axis returns the labeled ticks of an axis.
func (d document) axis(t *testing.T, vertical bool) []tick {
	t.Helper()
	var list []tick
	var line float64 // baseline of the labels of the horizontal axis
	for _, l := range d.labels {
		v, err := strconv.ParseFloat(l.text, 64)
		if err != nil || (l.anchor() == "end") != vertical {
			continue
		}
		switch {
		case vertical:
			list = append(list, tick{v, d.middle(t, l)})
		case list == nil || l.y == line:
			line = l.y
			list = append(list, tick{v, l.x})
		}
	}
	return list
}

// middle returns the height of the grid line beside a label.
func (d document) middle(t *testing.T, l label) float64 {
	t.Helper()
	for _, line := range d.grid(t) {
		if line[0][1] == line[1][1] && math.Abs(line[0][1]-l.y) < 5 {
			return line[0][1]
		}
	}
	t.Fatalf("no grid line beside %s", l.text)
	return 0
}

// pixels is the number of PNG pixels per point.
const pixels = dotsPerInch / 72.0

// decoded returns the pixels of a page's PNG.
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

// inked returns the bounds of everything that is not white.
func inked(picture image.Image) image.Rectangle {
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

// sameTwice draws a figure twice in both formats and compares the bytes.
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
		t.Error("drawing the same figure twice gives different bytes")
	}
}
