package figure

import (
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/softsearch-go/softsearch/kernels"
)

// An element is one of a document, with its attributes and its text.
type element struct {
	name       string
	attributes map[string]string
	text       string
}

func (e element) number(t *testing.T, attribute string) float64 {
	t.Helper()
	x, err := strconv.ParseFloat(e.attributes[attribute], 64)
	if err != nil {
		t.Fatalf("%v: %+v", err, e)
	}
	return x
}

// A document is a parsed SVG.
type document []element

func parsed(t *testing.T, svg string) (d document) {
	t.Helper()
	for decoder := xml.NewDecoder(strings.NewReader(svg)); ; {
		token, err := decoder.Token()
		if err == io.EOF {
			return d
		}
		if err != nil {
			t.Fatal(err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			e := element{token.Name.Local, map[string]string{}, ""}
			for _, a := range token.Attr {
				e.attributes[a.Name.Local] = a.Value
			}
			d = append(d, e)
		case xml.CharData:
			d[len(d)-1].text += strings.TrimSpace(string(token))
		}
	}
}

// all returns the elements of that name.
func (d document) all(name string) document {
	return slices.DeleteFunc(slices.Clone(d), func(e element) bool { return e.name != name })
}

// texts returns what the texts say.
func (d document) texts() (list []string) {
	for _, e := range d.all("text") {
		list = append(list, e.text)
	}
	return list
}

// checkInside fails if a text ends outside the page in fonts as wide as allowed for.
func (d document) checkInside(t *testing.T) {
	t.Helper()
	pageWidth, pageHeight, size := d[0].number(t, "width"), d[0].number(t, "height"), d[0].number(t, "font-size")
	for _, e := range d.all("text") {
		x, y, w := e.number(t, "x"), e.number(t, "y"), size*width(e.text)
		left, right, top := x, x+w, y
		switch {
		case strings.Contains(e.attributes["transform"], "rotate(-45"):
			right, top = x+w*math.Sqrt2/2, y-w*math.Sqrt2/2
		case strings.Contains(e.attributes["transform"], "rotate(-90"):
			right, top = x, y-w/2
		case e.attributes["text-anchor"] == "end":
			left, right = x-w, x
		case e.attributes["text-anchor"] == "middle":
			left, right = x-w/2, x+w/2
		}
		if left < 0 || right > pageWidth || top < 0 || y > pageHeight {
			t.Errorf("%q from %v to %v, %v to %v on a page of %v×%v", e.text, left, right, top, y, pageWidth, pageHeight)
		}
	}
}

// example has words that XML must escape, accents and a long word; other has several scripts.
var example = AttentionMap{
	Source:  []string{"the", "R&D", "\"cat\"", "Żółć", End},
	Target:  []string{"l'", "été", "Donaudampfschifffahrtsgesellschaft", End},
	Weights: kernels.View([]float32{1, 0, 0, 0, 0, 0.1, 0.25, 0.65, 0, 0, 0, 0.8, 0.2, 0, 0, 0, 0, 0.5, 0.498, 0.002}, 4, 5),
}

var other = AttentionMap{
	Source: []string{"кошка", "猫", End}, Target: []string{"γάτα", End},
	Weights: kernels.View([]float32{0.3, 0.3, 0.4, 0.9, 0.05, 0.05}, 2, 3),
}

func TestAlignments(t *testing.T) {
	svg := Alignments([]AttentionMap{example, other})
	if again := Alignments([]AttentionMap{example, other}); again != svg {
		t.Error("drawing the same figure twice gives different bytes")
	}
	d := parsed(t, svg)
	d.checkInside(t)
	want := []string{"the", "R&D", "\"cat\"", "Żółć", "end", "l'", "été", "Donaudampfschifffahrtsgesellschaft", "end", "(a)", "кошка", "猫", "end", "γάτα", "end", "(b)"}
	if got := d.texts(); !slices.Equal(got, want) {
		t.Errorf("words %q, want %q", got, want)
	}
	cells, labels := d.all("rect")[1:], d.all("text")
	weights := slices.Concat(example.Weights.Data, other.Weights.Data)
	if len(cells) != len(weights) {
		t.Fatalf("%d cells, want %d", len(cells), len(weights))
	}
	for i, c := range cells {
		if got, want := c.attributes["fill"], shade(weights[i]); got != want {
			t.Errorf("cell %d is %s, want %s", i, got, want)
		}
	}
	for j := range example.Source { // above the cells of their columns
		if l, c := labels[j], cells[j]; l.number(t, "x") <= c.number(t, "x") || l.number(t, "x") >= c.number(t, "x")+cellSide || l.number(t, "y") >= c.number(t, "y") {
			t.Errorf("source word %+v above %+v", l, c)
		}
	}
	for i := range example.Target { // left of the cells of their rows
		l, c := labels[len(example.Source)+i], cells[i*len(example.Source)]
		if y := c.number(t, "y"); l.number(t, "x") >= c.number(t, "x") || l.number(t, "y") <= y || l.number(t, "y") >= y+cellSide {
			t.Errorf("target word %+v before %+v", l, c)
		}
	}
	for _, l := range labels {
		if (l.attributes["font-style"] == "italic") != (l.text == "end") {
			t.Errorf("%+v", l)
		}
	}
}

// TestGrid checks that panels of any number do not overlap, and that long words fit.
func TestGrid(t *testing.T) {
	long := AttentionMap{Source: []string{strings.Repeat("W", 60), End}, Target: []string{strings.Repeat("Щ", 70)}, Weights: kernels.View([]float32{1, 0}, 1, 2)}
	for n := 1; n <= 10; n++ {
		list := slices.Repeat([]AttentionMap{other, example, long}, n)[:n]
		d := parsed(t, Alignments(list))
		d.checkInside(t)
		cells := d.all("rect")[1:]
		type box struct{ left, top, right, bottom float64 }
		var seen []box
		for i, a := range list {
			first, last := cells[0], cells[len(a.Weights.Data)-1]
			b := box{first.number(t, "x") - 10, first.number(t, "y") - 10, last.number(t, "x") + cellSide, last.number(t, "y") + cellSide}
			for _, s := range seen {
				if b.left < s.right && s.left < b.right && b.top < s.bottom && s.top < b.bottom {
					t.Errorf("panel %d of %d at %v overlaps another at %v", i, n, b, s)
				}
			}
			seen, cells = append(seen, b), cells[len(a.Weights.Data):]
		}
	}
}

// TestForbidden draws characters that XML forbids.
func TestForbidden(t *testing.T) {
	a := AttentionMap{Source: []string{"a\x01b"}, Target: []string{"\xff"}, Weights: kernels.View([]float32{1}, 1, 1)}
	if got := parsed(t, Alignments([]AttentionMap{a})).texts(); !slices.Equal(got, []string{"a\uFFFDb", "\uFFFD"}) {
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
	for weight, want := range map[float32]string{-1: "#f3efe8", 0: "#f3efe8", 0.5: "#deab7a", 1: "#c9670c", 7: "#c9670c", float32(math.NaN()): "#f3efe8"} {
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
	for _, want := range []string{
		fmt.Sprintf(`print = { paper: "%s", ink: "%s", muted: "%s", grid: "%s", heat: "%s" };`, paper, ink, muted, shade(0), shade(1)),
		fmt.Sprintf("const exportCell = %v;", cellSize), fmt.Sprintf("const gap = %v;", labelGap),
		fmt.Sprintf("size: %v };", wordSize), fmt.Sprintf("? -90 : -%v;", turn),
	} {
		if !strings.Contains(code, want) {
			t.Errorf("the page has no %s", want)
		}
	}
}
