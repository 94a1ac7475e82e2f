package figure

import (
	"image/color"

	"github.com/softsearch-go/softsearch/kernels"
)

// An Alignment is what [Alignments] draws of a sentence and its translation.
type Alignment struct {
	Source, Target []string
	Weights        kernels.Matrix // target×source, each 0 to 1
}

// Sizes of the figure of an alignment.
const (
	cell      = 16.0 // side of a square
	wordSize  = 12.0
	wordGap   = 5.0  // between words and cells
	lineRoom  = 26.0 // for the letter below the cells
	lineBelow = 18.0 // from the cells to the baseline of the letter
)

var black, dark = color.RGBA{A: 255}, rgb(0x222222)

// A panel is a part of a figure with a size.
type panel struct {
	width, height float64
	draw          func(p *Page, at point) // with its corner above on the left there
}

// panel returns the alignment as Figure 3 of the paper shows one: the words of the source stand
// upright above the columns, those of the target before the rows, and each cell is as bright as
// its weight. name is below it.
func (a Alignment) panel(l *letters, name string) panel {
	left, top := room(l, a.Target), room(l, a.Source)
	width, height := cell*float64(len(a.Source)), cell*float64(len(a.Target))
	below := 0.0
	if name != "" {
		below = lineRoom
	}
	return panel{left + width, top + height + below, func(p *Page, at point) {
		corner := at.plus(left, top)
		a.words(p, corner)
		a.cells(p, corner)
		if name != "" {
			p.add(label{corner.plus(width/2, height+lineBelow), name, wordSize, middle, false, dark})
		}
	}}
}

// words draws the words around cells that begin at corner.
func (a Alignment) words(p *Page, corner point) {
	const lower = lowered * wordSize
	centre := func(i int) float64 { return float64((float64(i)+0.5)*cell) + lower }
	for j, word := range a.Source {
		p.add(label{corner.plus(centre(j), -wordGap), word, wordSize, start, true, dark})
	}
	for i, word := range a.Target {
		p.add(label{corner.plus(-wordGap, centre(i)), word, wordSize, end, false, dark})
	}
}

// cells draws the cells, the first at corner.
func (a Alignment) cells(p *Page, corner point) {
	for i := range a.Target {
		for j, weight := range a.Weights.Row(i) {
			p.add(rectangle{corner.plus(float64(j)*cell, float64(i)*cell), cell, cell, grey(float64(weight))})
		}
	}
}

// room returns what the widest of the words needs.
func room(l *letters, words []string) float64 {
	var width float64
	for _, word := range words {
		width = max(width, textWidth(l, word, wordSize))
	}
	return width + wordGap
}
