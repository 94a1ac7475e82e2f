package figure

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/softsearch-go/softsearch/kernels"
)

// example has words that XML must escape, accents and a long word; other has several scripts.
var example = Alignment{
	Source:  []string{"the", "R&D", "\"cat\"", "Żółć", End},
	Target:  []string{"l'", "été", "Donaudampfschifffahrtsgesellschaft", End},
	Weights: kernels.View([]float32{1, 0, 0, 0, 0, 0.1, 0.25, 0.65, 0, 0, 0, 0.8, 0.2, 0, 0, 0, 0, 0.5, 0.498, 0.002}, 4, 5),
}

var other = Alignment{
	Source: []string{"кошка", "猫", End}, Target: []string{"γάτα", End},
	Weights: kernels.View([]float32{0.3, 0.3, 0.4, 0.9, 0.05, 0.05}, 2, 3),
}

// colors returns those of the weights of the alignments.
func colors(list ...Alignment) []color.RGBA {
	var all []color.RGBA
	for _, a := range list {
		for _, w := range a.Weights.Data {
			all = append(all, shade(w))
		}
	}
	return all
}

// labels returns the words of a sentence as they are drawn.
func labels(words []string) []string {
	list := slices.Clone(words)
	if n := len(list) - 1; list[n] == End {
		list[n] = "end"
	}
	return list
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
	want := slices.Concat(labels(example.Source), labels(example.Target), []string{"(a)"}, labels(other.Source), labels(other.Target), []string{"(b)"})
	if got := d.texts(); !slices.Equal(got, want) {
		t.Errorf("words %q, want %q", got, want)
	}
	cells, fills := squares(t, d)
	shades := colors(example, other)
	if len(cells) != len(shades) {
		t.Fatalf("%d cells, want %d", len(cells), len(shades))
	}
	for i, c := range cells {
		if want := fmt.Sprintf("#%02X%02X%02X", shades[i].R, shades[i].G, shades[i].B); fills[i] != want {
			t.Errorf("cell %d is %s, want %s", i, fills[i], want)
		}
		if c.right-c.left != c.top-c.bottom || c.right <= c.left || c.left < 0 || c.bottom < 0 || c.right > d.width || c.top > d.height {
			t.Errorf("cell %d of %v is not a square on the page of %v×%v", i, c, d.width, d.height)
		}
	}
	for j, word := range example.Source {
		l, c := d.labels[j], cells[j]
		if l.turn != 45 || l.anchor() != "start" || l.x <= c.left || l.x >= c.right || l.y <= c.top {
			t.Errorf("source word %s above %v: %+v", word, c, l)
		}
	}
	for i, word := range example.Target {
		l, c := d.labels[len(example.Source)+i], cells[i*len(example.Source)]
		if l.turn != 0 || l.anchor() != "end" || l.x >= c.left || l.y <= c.bottom || l.y >= c.top {
			t.Errorf("target word %s before %v: %+v", word, c, l)
		}
	}
	for _, l := range d.labels {
		if !strings.Contains(l.style, ",georgia,") || strings.Contains(l.style, "italic") != (l.text == "end") {
			t.Errorf("%s in %s", l.text, l.style)
		}
	}
}

// TestFrames frames two cells within their edges, and no other.
func TestFrames(t *testing.T) {
	cells, _ := squares(t, parsed(t, Alignments([]Alignment{example})))
	framed := example
	framed.Frames = []Frame{{Target: 2, Source: 1}, {Target: 0, Source: 4, Muted: true}}
	d := parsed(t, Alignments([]Alignment{framed}))
	lines := d.lines(t)
	if len(lines) != len(framed.Frames) {
		t.Fatalf("%d lines, want %d", len(lines), len(framed.Frames))
	}
	for i, f := range framed.Frames {
		cell := cells[f.Target*len(example.Source)+f.Source]
		for _, p := range lines[i] {
			if p[0] <= cell.left || p[0] >= cell.right || p[1] <= cell.bottom || p[1] >= cell.top {
				t.Errorf("frame %v outside %v", lines[i], cell)
			}
		}
		style, color := d.paths[len(d.paths)-len(lines)+i].style, map[bool]string{false: "#22201D", true: "#6F6A62"}[f.Muted]
		if !strings.Contains(style, "stroke:"+color) {
			t.Errorf("frame %v has the style %s, want %s", f, style, color)
		}
	}
}

// TestAlignmentsPNG compares every pixel of every cell with the color of its weight in the SVG.
func TestAlignmentsPNG(t *testing.T) {
	page := Alignments([]Alignment{example, other})
	picture, d := decoded(t, page), parsed(t, page)
	if size := picture.Bounds().Size(); size.X != int(pixels*d.width) || size.Y != int(pixels*d.height) {
		t.Fatalf("%v pixels, want %v times %v×%v", size, pixels, d.width, d.height)
	}
	cells, _ := squares(t, d)
	for i, want := range colors(example, other) {
		c := cells[i]
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
		Source: []string{strings.Repeat("W", 60), End}, Target: []string{strings.Repeat("Щ", 70)},
		Weights: kernels.View([]float32{1, 0}, 1, 2),
	}} {
		for _, list := range [][]Alignment{{a}, {a, a, a}} {
			picture := decoded(t, Alignments(list))
			const edge = 11 // pixels, 4 points
			if inside, all := picture.Bounds().Inset(edge), inked(picture); !all.In(inside) {
				t.Errorf("ink in %v, want in %v", all, inside)
			}
		}
	}
}

// TestWide checks that words fit on the page in a font wider than Liberation Serif, which a viewer
// may substitute.
func TestWide(t *testing.T) {
	const wider = 1.29
	face := serif.Handler.Cache().Lookup(serif.Font, serif.Font.Size)
	d := parsed(t, Alignments([]Alignment{example, example}))
	for _, l := range d.labels {
		width := wider * float64(face.Width(l.text))
		side := width * math.Sqrt2 / 2
		if l.turn > 0 && (l.y+side > d.height || l.x+side > d.width) || l.anchor() == "end" && l.x < width {
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

// TestShade includes values that no softmax gives.
func TestShade(t *testing.T) {
	half := color.RGBA{0xde, 0xab, 0x7a, 0xff}
	for weight, want := range map[float32]color.RGBA{-1: grid, 0: grid, 0.5: half, 1: heat, 7: heat, float32(math.NaN()): grid} {
		if got := shade(weight); got != want {
			t.Errorf("shade(%v) = %v, want %v", weight, got, want)
		}
	}
}

// TestPage compares colors and sizes with those of the page, whose figure looks the same.
func TestPage(t *testing.T) {
	code := ""
	scripts, err := filepath.Glob("../../server/page/*.js")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range scripts {
		content, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		code += string(content)
	}
	hex := func(c color.RGBA) string { return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B) }
	for _, want := range []string{
		fmt.Sprintf(`print = { paper: "%s", ink: "%s", muted: "%s", grid: "%s", heat: "%s" };`, hex(paper), hex(ink), hex(muted), hex(grid), hex(heat)),
		fmt.Sprintf("const exportCell = %v;", cellSize/pixel), fmt.Sprintf("const gap = %v;", labelGap/pixel),
		fmt.Sprintf("size: %v };", serif.Font.Size/pixel), fmt.Sprintf("? -90 : -%.0f;", turn*180/math.Pi),
	} {
		if !strings.Contains(code, want) {
			t.Errorf("the page has no %s", want)
		}
	}
}
