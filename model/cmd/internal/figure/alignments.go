package figure

import (
	"fmt"
	"math"

	"github.com/softsearch-go/softsearch/kernels"
)

// An AttentionMap is a sentence pair and its attention weights.
type AttentionMap struct {
	Source, Target []string       // a last word End is the end of the sentence
	Weights        kernels.Matrix // target×source, each 0 to 1
}

// End is the last word of a complete sentence, which is drawn as end, in italics.
const End = "</s>"

// Colors and sizes are the same on the page of package server.
const (
	paper = "#ffffff"
	ink   = "#22201d"
	muted = "#6f6a62"

	cellSize = 24.0
	cellSide = 23.0 // without the line to the next cell
	labelGap = 6.0  // around words and around the figure
	wordSize = 14
	turn     = 45 // degrees of source words

	nameGap = 24.0 // for the name of a panel, below it
)

// grid and heat are the colors of the weights 0 and 1.
var grid, heat = [3]float64{0xf3, 0xef, 0xe8}, [3]float64{0xc9, 0x67, 0x0c}

// Alignments draws attention maps: source words above the columns, target words left of the rows, and cells
// from light for weight 0 to dark for 1. Several maps form a grid and are named (a), (b) and so on.
func Alignments(list []AttentionMap) string {
	columns := max(1, int(math.Ceil(math.Sqrt(float64(len(list))))))
	widths, heights := make([]float64, columns), make([]float64, columns) // rows ≤ columns
	for i, a := range list {
		p := a.panel()
		if len(list) > 1 {
			p.height += nameGap
		}
		widths[i%columns], heights[i/columns] = max(widths[i%columns], p.width), max(heights[i/columns], p.height)
	}
	var d drawing
	var x, y, width float64
	for i, a := range list {
		name := ""
		if len(list) > 1 {
			name = "(" + letters(i) + ")"
		}
		a.draw(&d, x, y, name)
		x += widths[i%columns]
		if width = max(width, x); i%columns == columns-1 || i == len(list)-1 {
			x, y = 0, y+heights[i/columns]
		}
	}
	return d.document(width, y, wordSize, serif)
}

// A panel is the place of a map: left and top of its cells.
type panel struct{ left, top, width, height float64 }

func (a AttentionMap) panel() panel {
	var source, target, overhang float64
	sin, cos := math.Sincos(turn * math.Pi / 180)
	for j, word := range a.Source {
		w := wordSize * width(word)
		source, overhang = max(source, w), max(overhang, cellSize*(float64(j)+0.5)+w*cos)
	}
	for _, word := range a.Target {
		target = max(target, wordSize*width(word))
	}
	left, top := math.Ceil(2*labelGap+target), math.Ceil(2*labelGap+source*sin+wordSize/2)
	return panel{
		left, top,
		math.Ceil(left + max(cellSize*float64(len(a.Source)), overhang) + 2*labelGap), top + cellSize*float64(len(a.Target)) + labelGap,
	}
}

// draw draws the words, the cells and the name below them, with the upper left corner of the panel at x, y.
func (a AttentionMap) draw(d *drawing, x, y float64, name string) {
	p := a.panel()
	x, y = x+p.left, y+p.top
	center := func(i int) float64 { return cellSize * (float64(i) + 0.5) }
	for j := range a.Source {
		word, style := shown(a.Source, j)
		d.text(x+center(j), y-labelGap, "start", word, style, turned(-turn, x+center(j), y-labelGap))
	}
	for i := range a.Target {
		word, style := shown(a.Target, i)
		d.text(x-labelGap, y+center(i), "end", word, style)
		for j, weight := range a.Weights.Row(i) {
			d.add(`<rect x="%v" y="%v" width="%v" height="%[3]v" fill="%s"/>`, x+cellSize*float64(j), y+cellSize*float64(i), cellSide, shade(weight))
		}
	}
	if name != "" {
		d.text(x+cellSize*float64(len(a.Source))/2, y+cellSize*float64(len(a.Target))+nameGap/2, "middle", name)
	}
}

// shown returns how a word is drawn, and in what style.
func shown(words []string, i int) (word, style string) {
	if i == len(words)-1 && words[i] == End {
		return "end", fmt.Sprintf(` font-style="italic" fill="%s"`, muted)
	}
	return words[i], ""
}

// letters returns a to z for i from 0, then aa, ab and so on.
func letters(i int) string {
	name := ""
	for i++; i > 0; i = (i - 1) / 26 {
		name = string(rune('a'+(i-1)%26)) + name
	}
	return name
}

// shade returns the color of a weight, from grid for 0 to heat for 1. Weights outside are clamped, and NaN is 0.
func shade(weight float32) string {
	share := 0.0
	if weight > 0 {
		share = float64(min(weight, 1))
	}
	mix := func(i int) int { return int(math.Round(grid[i] + share*(heat[i]-grid[i]))) }
	return fmt.Sprintf("#%02x%02x%02x", mix(0), mix(1), mix(2))
}
