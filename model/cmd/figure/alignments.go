package figure

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/softsearch-go/softsearch/kernels"
)

// An Alignment is what [Alignments] draws of a sentence and its translation.
type Alignment struct {
	Source, Target []string
	Weights        kernels.Matrix // target×source, each 0 to 1
}

// Sizes of the figure of alignments. The edges of cells are at multiples of grain, which are whole
// pixels in both formats.
const (
	grain   vg.Length = 3
	cell              = 4 * grain // side of a square
	between           = 7 * grain // panels, and around them
	wordGap vg.Length = 4         // between words and cells
	nameGap vg.Length = 11        // from cells to the middle of the letter below
)

// Alignments returns a figure of the alignments as Figure 3 of the paper shows them: the words of
// the source stand upright above the columns, those of the target before the rows, and each cell
// is as bright as its weight. Two and more alignments are in a grid, named (a), (b) and so on. The
// page is as large as they need.
func Alignments(list []Alignment) *Page {
	columns := max(1, int(math.Ceil(math.Sqrt(float64(len(list))))))
	widths, heights := make([]vg.Length, columns), make([]vg.Length, columns) // there are no more rows
	for i, a := range list {
		size := a.cells().Add(vg.Point{X: between + room(a.Target), Y: between + room(a.Source)})
		widths[i%columns], heights[i/columns] = max(widths[i%columns], size.X), max(heights[i/columns], size.Y)
	}
	page := &Page{width: between, height: between}
	for i := range columns {
		page.width, page.height = page.width+widths[i], page.height+heights[i]
	}
	page.draw = func(c draw.Canvas) {
		foot := c.Max // the lower right corner of a panel
		for i, a := range list {
			if i%columns == 0 {
				foot = vg.Point{Y: foot.Y - heights[i/columns]}
			}
			foot.X += widths[i%columns]
			name := ""
			if len(list) > 1 {
				name = "(" + letter(i) + ")"
			}
			a.draw(c, foot.Add(vg.Point{X: -a.cells().X}), name)
		}
	}
	return page
}

// letter returns a, b and so on to z, then aa, ab and so on.
func letter(i int) string {
	name := ""
	for i++; i > 0; i = (i - 1) / 26 {
		name = string(rune('a'+(i-1)%26)) + name
	}
	return name
}

// room returns what the widest of the words needs beside cells.
func room(words []string) vg.Length {
	var widest vg.Length
	for _, word := range words {
		widest = max(widest, style.Width(word))
	}
	return grain * vg.Length(math.Ceil(float64((wordGap+widest)/grain)))
}

// cells returns the size of all cells.
func (a Alignment) cells() vg.Point {
	return vg.Point{X: cell * vg.Length(len(a.Source)), Y: cell * vg.Length(len(a.Target))}
}

// draw draws cells whose lower left corner is at corner, the words around them and the name below.
func (a Alignment) draw(c draw.Canvas, corner vg.Point, name string) {
	at := func(x, y vg.Length) vg.Point { return corner.Add(vg.Point{X: x, Y: y}) }
	source, target, below, size := style, style, style, a.cells()
	source.YAlign, source.Rotation = middle, math.Pi/2
	target.YAlign, target.XAlign = middle, draw.XRight
	below.YAlign, below.XAlign = middle, draw.XCenter
	for j, word := range a.Source {
		c.FillText(source, at(cell*(vg.Length(j)+0.5), size.Y+wordGap), word)
	}
	for i, word := range a.Target {
		foot := size.Y - vg.Length(cell*vg.Length(i+1))
		c.FillText(target, at(-wordGap, foot+cell/2), word)
		for j, weight := range a.Weights.Row(i) {
			left := vg.Length(cell * vg.Length(j))
			c.SetColor(grey(weight))
			c.Fill(vg.Rectangle{Min: at(left, foot), Max: at(left+cell, foot+cell)}.Path())
		}
	}
	c.FillText(below, at(size.X/2, -nameGap), name)
}

// grey returns a shade from 0, black, to 1, white. A level outside, or none, is the nearest.
func grey(level float32) color.Gray {
	if level > 0 {
		return color.Gray{Y: uint8(math.Round(255 * float64(min(level, 1))))}
	}
	return color.Gray{}
}
