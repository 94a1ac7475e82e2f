package figure

import (
	"bytes"
	"encoding/xml"
	"errors"
	"image"
	"image/color"
	"image/png"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/softsearch-go/softsearch/kernels"
)

// example has words that XML must escape, accents, scripts and a long word.
var example = Alignment{
	Source:  []string{"the", "R&D", "\"cat\"", "Żółć", "<end>"},
	Target:  []string{"l'", "été", "Donaudampfschifffahrtsgesellschaft", "<end>"},
	Weights: kernels.View([]float32{1, 0, 0, 0, 0, 0.1, 0.25, 0.65, 0, 0, 0, 0.8, 0.2, 0, 0, 0, 0, 0.5, 0.498, 0.002}, 4, 5),
}

var other = Alignment{
	Source: []string{"кошка", "猫", "<end>"}, Target: []string{"γάτα", "<end>"},
	Weights: kernels.View([]float32{0.3, 0.3, 0.4, 0.9, 0.05, 0.05}, 2, 3),
}

// svgText is an element of text.
type svgText struct {
	X         float64 `xml:"x,attr"`
	Y         float64 `xml:"y,attr"`
	Transform string  `xml:"transform,attr"`
	Anchor    string  `xml:"text-anchor,attr"`
	Text      string  `xml:",chardata"`
}

// document is an SVG as far as tests read it.
type document struct {
	Width  float64 `xml:"width,attr"`
	Height float64 `xml:"height,attr"`
	Font   string  `xml:"font-family,attr"`
	Rects  []struct {
		X      float64 `xml:"x,attr"`
		Y      float64 `xml:"y,attr"`
		Width  float64 `xml:"width,attr"`
		Height float64 `xml:"height,attr"`
		Fill   string  `xml:"fill,attr"`
	} `xml:"rect"`
	Texts []svgText `xml:"text"`
	Lines []struct {
		Points string `xml:"points,attr"`
		Stroke string `xml:"stroke,attr"`
	} `xml:"polyline"`
	Circles []struct {
		X float64 `xml:"cx,attr"`
		Y float64 `xml:"cy,attr"`
		R float64 `xml:"r,attr"`
	} `xml:"circle"`
}

// parsed returns the SVG of a page as an XML parser reads it.
func parsed(t *testing.T, p *Page) (d document) {
	t.Helper()
	var b bytes.Buffer
	if err := p.WriteSVG(&b); err != nil {
		t.Fatal(err)
	}
	if err := xml.Unmarshal(b.Bytes(), &d); err != nil {
		t.Fatalf("%v\n%s", err, &b)
	}
	return d
}

// texts returns what the labels of a document say.
func (d document) texts() []string {
	var list []string
	for _, t := range d.Texts {
		list = append(list, t.Text)
	}
	return list
}

// levels returns the weights of the alignments in bytes of grey.
func levels(list ...Alignment) []uint8 {
	var all []uint8
	for _, a := range list {
		for _, w := range a.Weights.Data {
			all = append(all, uint8(math.Round(255*float64(w))))
		}
	}
	return all
}

func TestAlignmentsSVG(t *testing.T) {
	d := parsed(t, Alignments([]Alignment{example, other}))
	want := slices.Concat(example.Source, example.Target, []string{"(a)"}, other.Source, other.Target, []string{"(b)"})
	if got := d.texts(); !slices.Equal(got, want) {
		t.Errorf("words %q, want %q", got, want)
	}
	if d.Font != "sans-serif" {
		t.Errorf("font %q", d.Font)
	}
	cells := d.Rects[1:] // after the page
	grey := levels(example, other)
	if len(cells) != len(grey) {
		t.Fatalf("%d cells, want %d", len(cells), len(grey))
	}
	for i, c := range cells {
		if want := "#" + strings.Repeat(strconv.FormatUint(0x100|uint64(grey[i]), 16)[1:], 3); c.Fill != want {
			t.Errorf("cell %d is %s, want %s", i, c.Fill, want)
		}
		if c.Width != c.Height || c.X < 0 || c.Y < 0 || c.X+c.Width > d.Width || c.Y+c.Height > d.Height {
			t.Errorf("cell %d of %v is no square on the page of %v×%v", i, c, d.Width, d.Height)
		}
	}
	for j, word := range example.Source {
		if at := d.Texts[j].Transform; !strings.HasSuffix(at, " rotate(-90)") || d.Texts[j].Anchor != "start" {
			t.Errorf("source word %s: transform %q, anchor %s", word, at, d.Texts[j].Anchor)
		}
	}
	for i, word := range example.Target {
		got := d.Texts[len(example.Source)+i]
		row := cells[i*len(example.Source)]
		if got.Anchor != "end" || got.X >= row.X || got.Y <= row.Y || got.Y >= row.Y+row.Height {
			t.Errorf("target word %s at %v, %v, beside a cell at %v, %v", word, got.X, got.Y, row.X, row.Y)
		}
	}
}

// TestAlignmentsPNG compares every pixel of every cell, whose places are those of the SVG.
func TestAlignmentsPNG(t *testing.T) {
	page := Alignments([]Alignment{example, other})
	picture, d := decoded(t, page), parsed(t, page)
	if size := picture.Bounds().Size(); size.X != int(pixels*d.Width) || size.Y != int(pixels*d.Height) {
		t.Fatalf("%v pixels, want %d times %v×%v", size, pixels, d.Width, d.Height)
	}
	for i, level := range levels(example, other) {
		c, want := d.Rects[i+1], color.RGBA{level, level, level, 255}
		for y := pixels * c.Y; y < pixels*(c.Y+c.Height); y++ {
			for x := pixels * c.X; x < pixels*(c.X+c.Width); x++ {
				if got := color.RGBAModel.Convert(picture.At(int(x), int(y))); got != want {
					t.Fatalf("pixel %v, %v of cell %d is %v, want %v", x, y, i, got, want)
				}
			}
		}
	}
}

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

// TestMargin: no letter reaches into the margin, however long its word is, so none is cut off.
func TestMargin(t *testing.T) {
	for _, a := range []Alignment{example, other, {
		Source: []string{strings.Repeat("W", 60), "<end>"}, Target: []string{strings.Repeat("Щ", 70)},
		Weights: kernels.View([]float32{1, 0}, 1, 2),
	}} {
		for _, list := range [][]Alignment{{a}, {a, a, a}} {
			picture := decoded(t, Alignments(list))
			size, n := picture.Bounds().Size(), int(pixels*margin/2)
			for _, edge := range []image.Rectangle{
				image.Rect(0, 0, size.X, n), image.Rect(0, size.Y-n, size.X, size.Y),
				image.Rect(0, 0, n, size.Y), image.Rect(size.X-n, 0, size.X, size.Y),
			} {
				if blank := image.NewUniform(color.White); !same(picture, blank, edge) {
					t.Errorf("ink in the edge %v of %v", edge, size)
				}
			}
		}
	}
}

// same compares the pixels of an area.
func same(a, b image.Image, area image.Rectangle) bool {
	for y := area.Min.Y; y < area.Max.Y; y++ {
		for x := area.Min.X; x < area.Max.X; x++ {
			if color.RGBAModel.Convert(a.At(x, y)) != color.RGBAModel.Convert(b.At(x, y)) {
				return false
			}
		}
	}
	return true
}

// TestSame draws twice, in both formats.
func TestSame(t *testing.T) {
	var svg, png [2]bytes.Buffer
	for i := range svg {
		p := Alignments([]Alignment{other, example, other})
		if err := errors.Join(p.WriteSVG(&svg[i]), p.WritePNG(&png[i])); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(svg[0].Bytes(), svg[1].Bytes()) || !bytes.Equal(png[0].Bytes(), png[1].Bytes()) {
		t.Error("the same figure has two forms")
	}
}

func TestTooLarge(t *testing.T) {
	n := 600
	words := slices.Repeat([]string{"a"}, n)
	a := Alignment{Source: words, Target: words, Weights: kernels.View(make([]float32, n*n), n, n)}
	if err := Alignments([]Alignment{a}).WritePNG(new(bytes.Buffer)); !errors.Is(err, ErrSize) {
		t.Errorf("got %v, want %v", err, ErrSize)
	}
}

// TestNotXML has a control character, which no XML can have.
func TestNotXML(t *testing.T) {
	a := Alignment{Source: []string{"a\x01b"}, Target: []string{"c"}, Weights: kernels.View([]float32{1}, 1, 1)}
	if got := parsed(t, Alignments([]Alignment{a})).Texts[0].Text; got != "a\uFFFDb" {
		t.Errorf("got %q", got)
	}
}

func TestLetter(t *testing.T) {
	for i, want := range map[int]string{0: "a", 25: "z", 26: "aa", 51: "az", 52: "ba", 701: "zz", 702: "aaa"} {
		if got := letter(i); got != want {
			t.Errorf("letter(%d) = %s, want %s", i, got, want)
		}
	}
}

// TestGrey has weights that no softmax gives.
func TestGrey(t *testing.T) {
	for level, want := range map[float64]uint8{-1: 0, 0: 0, 0.5: 128, 1: 255, 7: 255, math.NaN(): 0} {
		if got := grey(level); got != (color.RGBA{want, want, want, 255}) {
			t.Errorf("grey(%v) = %v, want %d", level, got, want)
		}
	}
}
