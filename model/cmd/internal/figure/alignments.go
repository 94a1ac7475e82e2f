package figure

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/softsearch-go/softsearch/kernels"
)

// An Alignment is a sentence pair and its attention weights.
type Alignment struct {
	Source, Target []string       // a last word End is the end of the sentence
	Weights        kernels.Matrix // target×source, each 0 to 1
	Frames         []Frame
}

// A Frame is drawn around the cell of a target and a source word, counted from 0, in gray if it is muted.
type Frame struct {
	Target, Source int
	Muted          bool
}

// End is the last word of a complete sentence, which is drawn as end, in italics.
const End = "</s>"

// Sizes are multiples of pixel, so that cells have sharp edges in both formats. They and the colors are those
// of the page of package server.
const (
	pixel    vg.Length = 0.75 // of CSS, in points
	cellSize           = 24 * pixel
	cellSide           = 23 * pixel // without the line to the next cell
	labelGap           = 6 * pixel  // around words and around the figure
	nameGap            = 24 * pixel // for the name of a panel, below it
	turn               = math.Pi / 4
)

var (
	paper = color.RGBA{0xff, 0xff, 0xff, 0xff}
	ink   = color.RGBA{0x22, 0x20, 0x1d, 0xff}
	muted = color.RGBA{0x6f, 0x6a, 0x62, 0xff}
	grid  = color.RGBA{0xf3, 0xef, 0xe8, 0xff}
	heat  = color.RGBA{0xc9, 0x67, 0x0c, 0xff}
)

// Alignments returns a figure of alignments: source words above the columns, target words left of the rows,
// and cells from light for weight 0 to dark for 1, as the page of package server draws them. Several
// alignments form a grid and are named (a), (b) and so on. The page is as large as they need, which
// [Page.CheckPNG] tells before the weights are known.
func Alignments(list []Alignment) *Page {
	columns := max(1, int(math.Ceil(math.Sqrt(float64(len(list))))))
	widths, heights := make([]vg.Length, columns), make([]vg.Length, columns) // rows ≤ columns
	for i, a := range list {
		p := a.panel()
		if len(list) > 1 {
			p.height += nameGap
		}
		widths[i%columns], heights[i/columns] = max(widths[i%columns], p.width), max(heights[i/columns], p.height)
	}
	page := &Page{}
	for i := range columns {
		page.width, page.height = page.width+widths[i], page.height+heights[i]
	}
	page.draw = func(c draw.Canvas) {
		corner := vg.Point{X: c.Min.X, Y: c.Max.Y} // the upper left corner of a panel
		for i, a := range list {
			if i > 0 && i%columns == 0 {
				corner = vg.Point{X: c.Min.X, Y: corner.Y - heights[i/columns-1]}
			}
			name := ""
			if len(list) > 1 {
				name = "(" + letters(i) + ")"
			}
			a.draw(c, corner, name)
			corner.X += widths[i%columns]
		}
	}
	return page
}

// A panel is the place of an alignment: left and top are those of its cells.
type panel struct{ left, top, width, height vg.Length }

func (a Alignment) panel() panel {
	var source, target, overhang vg.Length
	for j, word := range a.Source {
		w := wordStyle(a.Source, j).Width(shown(word))
		source, overhang = max(source, w), max(overhang, cellSize*vg.Length(float64(j)+0.5)+w*vg.Length(math.Cos(turn)))
	}
	for i, word := range a.Target {
		target = max(target, wordStyle(a.Target, i).Width(shown(word)))
	}
	up := func(x vg.Length) vg.Length { return pixel * vg.Length(math.Ceil(float64(x/pixel))) }
	left, top := up(2*labelGap+target), up(2*labelGap+source*vg.Length(math.Sin(turn))+serif.Font.Size/2)
	return panel{
		left, top,
		up(left + max(cellSize*vg.Length(len(a.Source)), overhang) + 2*labelGap), top + cellSize*vg.Length(len(a.Target)) + labelGap,
	}
}

// shown returns how a word is drawn.
func shown(word string) string {
	if word == End {
		return "end"
	}
	return word
}

// wordStyle returns the style of a word of a sentence.
func wordStyle(words []string, i int) text.Style {
	s := serif
	if s.Color = ink; i == len(words)-1 && words[i] == End {
		s.Color, s.Font.Style = muted, italic
	}
	return s
}

// letters returns a to z for i from 0, then aa, ab and so on.
func letters(i int) string {
	name := ""
	for i++; i > 0; i = (i - 1) / 26 {
		name = string(rune('a'+(i-1)%26)) + name
	}
	return name
}

// draw draws the words, the cells and the name below them, with the upper left corner of the panel at corner.
func (a Alignment) draw(c draw.Canvas, corner vg.Point, name string) {
	p := a.panel()
	at := func(x, y vg.Length) vg.Point { return corner.Add(vg.Point{X: p.left + x, Y: -p.top - y}) }
	center := func(i int) vg.Length { return cellSize * vg.Length(float64(i)+0.5) }
	for j, word := range a.Source {
		s := wordStyle(a.Source, j)
		s.Rotation = turn
		c.FillText(s, at(center(j), -labelGap), shown(word))
	}
	for i, word := range a.Target {
		s := wordStyle(a.Target, i)
		s.XAlign = draw.XRight
		c.FillText(s, at(-labelGap, center(i)), shown(word))
		for j, weight := range a.Weights.Row(i) {
			c.SetColor(shade(weight))
			left, top := cellSize*vg.Length(j), cellSize*vg.Length(i)
			c.Fill(vg.Rectangle{Min: at(left, top+cellSide), Max: at(left+cellSide, top)}.Path())
		}
	}
	c.SetLineWidth(2 * pixel)
	for _, f := range a.Frames {
		if c.SetColor(ink); f.Muted {
			c.SetColor(muted)
		}
		left, top := cellSize*vg.Length(f.Source)+pixel, cellSize*vg.Length(f.Target)+pixel
		c.Stroke(vg.Rectangle{Min: at(left, top+cellSide-2*pixel), Max: at(left+cellSide-2*pixel, top)}.Path())
	}
	below := serif
	below.XAlign = draw.XCenter
	c.FillText(below, at(cellSize*vg.Length(len(a.Source))/2, cellSize*vg.Length(len(a.Target))+nameGap/2), name)
}

// shade returns the color of a weight, from grid for 0 to heat for 1. Weights outside are clamped, and NaN is
// 0.
func shade(weight float32) color.RGBA {
	share := 0.0
	if weight > 0 {
		share = float64(min(weight, 1))
	}
	mix := func(a, b uint8) uint8 { return uint8(math.Round(float64(a) + share*(float64(b)-float64(a)))) }
	return color.RGBA{mix(grid.R, heat.R), mix(grid.G, heat.G), mix(grid.B, heat.B), 0xff}
}
