package figure

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/softsearch-go/softsearch/kernels"
)

// example has words that XML must escape, accents and a long word; other has several scripts.
var example = Alignment{
	Source:  []string{"the", "R&D", "\"cat\"", "Żółć", "<end>"},
	Target:  []string{"l'", "été", "Donaudampfschifffahrtsgesellschaft", "<end>"},
	Weights: kernels.View([]float32{1, 0, 0, 0, 0, 0.1, 0.25, 0.65, 0, 0, 0, 0.8, 0.2, 0, 0, 0, 0, 0.5, 0.498, 0.002}, 4, 5),
}

var other = Alignment{
	Source: []string{"кошка", "猫", "<end>"}, Target: []string{"γάτα", "<end>"},
	Weights: kernels.View([]float32{0.3, 0.3, 0.4, 0.9, 0.05, 0.05}, 2, 3),
}

// levels returns the weights of the alignments as gray levels.
func levels(list ...Alignment) []uint8 {
	var all []uint8
	for _, a := range list {
		for _, w := range a.Weights.Data {
			all = append(all, uint8(math.Round(255*float64(w))))
		}
	}
	return all
}

// A square is a cell, in points from the lower left corner of the page.
type square struct{ left, bottom, right, top float64 }

// squares returns the cells of a document: everything filled after the background.
func squares(t *testing.T, d document) (list []square, fills []string) {
	t.Helper()
	for _, p := range d.paths[1:] {
		points := p.points(t)
		low, high := points[0], points[2]
		list = append(list, square{low[0], low[1], high[0], high[1]})
		fills = append(fills, p.fill())
	}
	return list, fills
}

func TestAlignmentsSVG(t *testing.T) {
	d := parsed(t, Alignments([]Alignment{example, other}))
	want := slices.Concat(example.Source, example.Target, []string{"(a)"}, other.Source, other.Target, []string{"(b)"})
	if got := d.texts(); !slices.Equal(got, want) {
		t.Errorf("words %q, want %q", got, want)
	}
	cells, fills := squares(t, d)
	shades := levels(example, other)
	if len(cells) != len(shades) {
		t.Fatalf("%d cells, want %d", len(cells), len(shades))
	}
	for i, c := range cells {
		if want := "#" + strings.Repeat(fmt.Sprintf("%02X", shades[i]), 3); fills[i] != want {
			t.Errorf("cell %d is %s, want %s", i, fills[i], want)
		}
		if c.right-c.left != c.top-c.bottom || c.right <= c.left || c.left < 0 || c.bottom < 0 || c.right > d.width || c.top > d.height {
			t.Errorf("cell %d of %v is not a square on the page of %v×%v", i, c, d.width, d.height)
		}
	}
	for j, word := range example.Source {
		l, c := d.labels[j], cells[j]
		if !l.upright || l.anchor() != "start" || l.x <= c.left || l.x >= c.right || l.y <= c.top {
			t.Errorf("source word %s above %v: %+v", word, c, l)
		}
	}
	for i, word := range example.Target {
		l, c := d.labels[len(example.Source)+i], cells[i*len(example.Source)]
		if l.upright || l.anchor() != "end" || l.x >= c.left || l.y <= c.bottom || l.y >= c.top {
			t.Errorf("target word %s before %v: %+v", word, c, l)
		}
	}
	for _, l := range d.labels {
		if !strings.Contains(l.style, "sans-serif") {
			t.Errorf("%s in %s", l.text, l.style)
		}
	}
}

// TestAlignmentsPNG compares every pixel of every cell with the level at its position in the SVG.
func TestAlignmentsPNG(t *testing.T) {
	page := Alignments([]Alignment{example, other})
	picture, d := decoded(t, page), parsed(t, page)
	if size := picture.Bounds().Size(); size.X != int(pixels*d.width) || size.Y != int(pixels*d.height) {
		t.Fatalf("%v pixels, want %v times %v×%v", size, pixels, d.width, d.height)
	}
	cells, _ := squares(t, d)
	for i, level := range levels(example, other) {
		c, want := cells[i], color.RGBA{level, level, level, 255}
		for y := pixels * (d.height - c.top); y < pixels*(d.height-c.bottom); y++ {
			for x := pixels * c.left; x < pixels*c.right; x++ {
				if got := color.RGBAModel.Convert(picture.At(int(x), int(y))); got != want {
					t.Fatalf("pixel %v, %v of cell %d is %v, want %v", x, y, i, got, want)
				}
			}
		}
	}
}

// TestMargin checks that no letter is cut off at the edge of the page, however long its word is.
func TestMargin(t *testing.T) {
	for _, a := range []Alignment{example, other, {
		Source: []string{strings.Repeat("W", 60), "<end>"}, Target: []string{strings.Repeat("Щ", 70)},
		Weights: kernels.View([]float32{1, 0}, 1, 2),
	}} {
		for _, list := range [][]Alignment{{a}, {a, a, a}} {
			picture := decoded(t, Alignments(list))
			const edge = 13 // pixels, 5 points
			if inside, all := picture.Bounds().Inset(edge), ink(picture); !all.In(inside) {
				t.Errorf("ink in %v, want in %v", all, inside)
			}
		}
	}
}

// TestWide checks that words fit on the page in a font wider than Liberation Sans, which a viewer
// may substitute.
func TestWide(t *testing.T) {
	const wider = 1.14
	face := style.Handler.Cache().Lookup(style.Font, style.Font.Size)
	d := parsed(t, Alignments([]Alignment{example, example}))
	for _, l := range d.labels {
		width := wider * float64(face.Width(l.text))
		if l.upright && l.y+width > d.height || l.anchor() == "end" && l.x < width {
			t.Errorf("%s at %v, %v", l.text, l.x, l.y)
		}
	}
}

func TestAlignmentsSame(t *testing.T) {
	sameTwice(t, func() *Page { return Alignments([]Alignment{other, example, other}) })
}

func TestTooLarge(t *testing.T) {
	n := 600
	words := slices.Repeat([]string{"a"}, n)
	a := Alignment{Source: words, Target: words, Weights: kernels.NewMatrix(n, n)}
	if err := Alignments([]Alignment{a}).WritePNG(new(bytes.Buffer)); !errors.Is(err, ErrSize) {
		t.Errorf("got %v, want %v", err, ErrSize)
	}
}

// TestGrid checks that panels of any number and size do not overlap.
func TestGrid(t *testing.T) {
	for n := 1; n <= 10; n++ {
		list := slices.Repeat([]Alignment{other, example}, n)[:n]
		cells, _ := squares(t, parsed(t, Alignments(list)))
		var seen []image.Rectangle
		for i, a := range list {
			first, last := cells[0], cells[len(a.Weights.Data)-1]
			panel := image.Rect(int(first.left), int(first.top), int(last.right), int(last.bottom)).Inset(-10)
			for _, p := range seen {
				if p.Overlaps(panel) {
					t.Errorf("panel %d of %d at %v overlaps another at %v", i, n, panel, p)
				}
			}
			seen, cells = append(seen, panel), cells[len(a.Weights.Data):]
		}
	}
}

// TestControlCharacter draws a character that XML forbids.
func TestControlCharacter(t *testing.T) {
	a := Alignment{Source: []string{"a\x01b"}, Target: []string{"c"}, Weights: kernels.View([]float32{1}, 1, 1)}
	if got := parsed(t, Alignments([]Alignment{a})).labels[0].text; got != "a\uFFFDb" {
		t.Errorf("got %q", got)
	}
}

func TestLetters(t *testing.T) {
	for i, want := range map[int]string{0: "a", 25: "z", 26: "aa", 51: "az", 52: "ba", 701: "zz", 702: "aaa"} {
		if got := letters(i); got != want {
			t.Errorf("letters(%d) = %s, want %s", i, got, want)
		}
	}
}

// TestGray includes values that no softmax gives.
func TestGray(t *testing.T) {
	for level, want := range map[float32]uint8{-1: 0, 0: 0, 0.5: 128, 1: 255, 7: 255, float32(math.NaN()): 0} {
		if got := gray(level); got.Y != want {
			t.Errorf("gray(%v) = %v, want %d", level, got.Y, want)
		}
	}
}
