package figure

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/softsearch-go/softsearch/kernels"
)

// An Alignment is a sentence pair and its attention weights.
type Alignment struct {
	Source, Target []string
	Weights        kernels.Matrix // target×source, each 0 to 1
}

// Sizes are multiples of unit, which is a whole number of pixels in both formats, so that cells
// have sharp edges.
const (
	unit     vg.Length = 3
	cellSize           = 4 * unit
	panelGap           = 7 * unit // between panels and around them
	wordGap  vg.Length = 4        // between words and cells
	nameGap  vg.Length = 11       // from the cells down to the center of the panel's name
)

// Alignments returns a figure of alignments in the style of Figure 3 of the paper: source words
// upright above the columns, target words beside the rows, and cells from black for weight 0 to
// white for 1. Several alignments form a grid and are named (a), (b) and so on. The page is as
// large as they need, which [Page.CheckPNG] tells before the weights are known.
func Alignments(list []Alignment) *Page {
	columns := max(1, int(math.Ceil(math.Sqrt(float64(len(list))))))
	widths, heights := make([]vg.Length, columns), make([]vg.Length, columns) // rows ≤ columns
	for i, a := range list {
		size := a.cells().Add(vg.Point{X: panelGap + labelSpace(a.Target), Y: panelGap + labelSpace(a.Source)})
		widths[i%columns], heights[i/columns] = max(widths[i%columns], size.X), max(heights[i/columns], size.Y)
	}
	page := &Page{width: panelGap, height: panelGap}
	for i := range columns {
		page.width, page.height = page.width+widths[i], page.height+heights[i]
	}
	page.draw = func(c draw.Canvas) {
		corner := c.Max // the lower right corner of a panel
		for i, a := range list {
			if i%columns == 0 {
				corner = vg.Point{Y: corner.Y - heights[i/columns]}
			}
			corner.X += widths[i%columns]
			name := ""
			if len(list) > 1 {
				name = "(" + letters(i) + ")"
			}
			a.draw(c, corner.Add(vg.Point{X: -a.cells().X}), name)
		}
	}
	return page
}

func (a Alignment) cells() vg.Point {
	return vg.Point{X: cellSize * vg.Length(len(a.Source)), Y: cellSize * vg.Length(len(a.Target))}
}

func labelSpace(words []string) vg.Length {
	var widest vg.Length
	for _, word := range words {
		widest = max(widest, style.Width(word))
	}
	return unit * vg.Length(math.Ceil(float64((wordGap+widest)/unit)))
}

// letters returns a to z for i from 0, then aa, ab and so on.
func letters(i int) string {
	name := ""
	for i++; i > 0; i = (i - 1) / 26 {
		name = string(rune('a'+(i-1)%26)) + name
	}
	return name
}

// draw draws the cells with their lower left corner at corner, the words around them and the name
// below.
func (a Alignment) draw(c draw.Canvas, corner vg.Point, name string) {
	at := func(x, y vg.Length) vg.Point { return corner.Add(vg.Point{X: x, Y: y}) }
	source, target, below, size := style, style, style, a.cells()
	source.YAlign, source.Rotation = middle, math.Pi/2
	target.YAlign, target.XAlign = middle, draw.XRight
	below.YAlign, below.XAlign = middle, draw.XCenter
	for j, word := range a.Source {
		c.FillText(source, at(cellSize*(vg.Length(j)+0.5), size.Y+wordGap), word)
	}
	for i, word := range a.Target {
		bottom := size.Y - vg.Length(cellSize*vg.Length(i+1))
		c.FillText(target, at(-wordGap, bottom+cellSize/2), word)
		for j, weight := range a.Weights.Row(i) {
			left := vg.Length(cellSize * vg.Length(j))
			c.SetColor(gray(weight))
			c.Fill(vg.Rectangle{Min: at(left, bottom), Max: at(left+cellSize, bottom+cellSize)}.Path())
		}
	}
	c.FillText(below, at(size.X/2, -nameGap), name)
}

// gray returns a gray level from black for 0 to white for 1. Values outside are clamped, and NaN
// is black.
func gray(level float32) color.Gray {
	if level > 0 {
		return color.Gray{Y: uint8(math.Round(255 * float64(min(level, 1))))}
	}
	return color.Gray{}
}
