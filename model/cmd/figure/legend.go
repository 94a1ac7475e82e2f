package figure

import (
	"fmt"
	"image/color"
	"slices"
)

const (
	legendRow    = 20.0
	legendSample = 26.0 // length of a piece of a curve
	legendGap    = 6.0  // from it to its name
	legendRoom   = 22.0 // from a name to the next entry
)

// A legend says what the curves of a figure are.
type legend []entry

// An entry is a name and a piece of a curve that has it.
type entry struct {
	name  string
	curve curve
	ring  bool
}

// colourLegend returns the colours of runs, with BLEU of their best models.
func colourLegend(runs []Run) legend {
	var l legend
	for i, r := range runs {
		l = append(l, entry{name: r.Name + r.bestBLEU(), curve: curve{stroke: runColours[i], width: 3}})
	}
	return l
}

// kindLegend returns the kinds of curves that runs have, in the colour ink. best is the name of
// the ring.
func kindLegend(runs []Run, ink color.RGBA, best string) legend {
	var l legend
	if slices.ContainsFunc(runs, func(r Run) bool { return len(r.Training) > 0 }) {
		l = append(l, entry{name: "training", curve: curve{stroke: tint(ink), width: thin}})
	}
	if slices.ContainsFunc(runs, func(r Run) bool { return len(r.Validation) > 0 }) {
		l = append(l, entry{name: "validation", curve: curve{stroke: ink, width: thick, dots: true}})
	}
	if slices.ContainsFunc(runs, func(r Run) bool { return r.Best > 0 }) {
		l = append(l, entry{name: best, curve: curve{stroke: ink}, ring: true})
	}
	return l
}

// bestBLEU returns what a legend says of the best model of a run, nothing if it has none.
func (r Run) bestBLEU() string {
	for _, s := range r.BLEU {
		if s.Update == r.Best {
			return fmt.Sprintf(", %.1f BLEU", s.Value)
		}
	}
	return ""
}

// below puts a legend below everything else, in as many rows as it needs. The page grows with
// the legend.
func (p *Page) below(l legend) {
	letters := newLetters()
	left := margin + scaleLeft
	at := point{left, p.height}
	for i, e := range l {
		width := legendSample + legendGap + textWidth(letters, e.name, chartSize)
		if i > 0 && at.x+width > p.width-margin {
			at = point{left, at.y + legendRow}
		}
		p.width = max(p.width, at.x+width+margin)
		e.draw(p, at)
		at.x += width + legendRoom
	}
	p.height = at.y + legendRow
}

// draw draws an entry whose corner above on the left is there.
func (e entry) draw(p *Page, at point) {
	from, to := at.plus(0, legendRow/2), at.plus(legendSample, legendRow/2)
	centre := at.plus(legendSample/2, legendRow/2)
	switch c := e.curve; {
	case e.ring:
		p.add(ring(centre, c)...)
	case c.dots:
		p.add(line{[]point{from, to}, c.width, c.stroke}, dot(centre, c))
	default:
		p.add(line{[]point{from, to}, c.width, c.stroke})
	}
	p.add(label{to.plus(legendGap, lowered*chartSize), e.name, chartSize, start, false, dark})
}
