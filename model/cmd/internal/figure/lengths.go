package figure

import (
	"fmt"
	"image/color"
	"math"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A System holds the scores of a translation system, in the order of their lengths.
type System struct {
	Name   string
	Scores []LengthScore
}

// A LengthScore is the BLEU score of sentences of similar length, with the 95 % interval of its
// bootstrap samples.
type LengthScore struct {
	Words     float64 // mean length of the sentences
	BLEU      float64
	Low, High float64
}

// ByLength returns a figure of BLEU against sentence length, both from 0, as in Figure 2 of the
// paper: a curve with bootstrap intervals for each system, a dashed vertical line for each of the
// maximum training lengths in limits, and a legend below. The error wraps ErrCount.
func ByLength(systems []System, limits []int) (*Page, error) {
	if err := checkCount(len(systems), "systems"); err != nil {
		return nil, err
	}
	p := newChart("sentence length (words)", "BLEU")
	p.Y.Min, p.Y.Max = 0, 1
	for _, l := range limits {
		p.Add(lengthLimit(l))
	}
	for i, s := range systems {
		if len(s.Scores) == 0 {
			return nil, fmt.Errorf("%w of scores of %s: 0, expected 1 and more", ErrCount, s.Name)
		}
		offset := vg.Length(barSpacing * (vg.Length(i) - vg.Length(len(systems)-1)/2))
		p.Add(intervalBars{i, offset, s.Scores})
	}
	for i, s := range systems {
		p.Add(lineWithMarkers(i, s.points())...)
		addLegend(p, s.Name, lineWithMarkers(i, nil)...)
	}
	addLegend(p, "95 % of bootstrap samples", intervalBars{})
	if len(limits) > 0 {
		addLegend(p, "longest training sentences", lengthLimit(0))
	}
	return sideBySide([]*plot.Plot{p}), nil
}

func (s System) points() plotter.XYs {
	var points plotter.XYs
	for _, score := range s.Scores {
		points = append(points, plotter.XY{X: score.Words, Y: score.BLEU})
	}
	return points
}

// barSpacing is the distance between the bars of two systems at the same length, which usually
// overlap.
const barSpacing vg.Length = 1.2

// intervalBars are vertical bars from Low to High of each score of a system.
type intervalBars struct {
	system int
	offset vg.Length // from the length that the scores are for
	scores []LengthScore
}

func (b intervalBars) style() draw.LineStyle {
	return draw.LineStyle{Color: translucent(b.system), Width: 0.75}
}

func (b intervalBars) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	for _, s := range b.scores {
		at := x(s.Words) + b.offset
		c.StrokeLine2(b.style(), at, y(s.Low), at, y(s.High))
	}
}

// DataRange returns the range of x, then that of y.
func (b intervalBars) DataRange() (left, right, low, high float64) {
	left, right, low, high = math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
	for _, s := range b.scores {
		left, right, low, high = min(left, s.Words), max(right, s.Words), min(low, s.Low), max(high, s.High)
	}
	return left, right, low, high
}

func (b intervalBars) Thumbnail(c *draw.Canvas) {
	c.StrokeLine2(b.style(), c.Center().X, c.Min.Y, c.Center().X, c.Max.Y)
}

// A lengthLimit is a vertical line at a number of words, which stands above the line.
type lengthLimit int

// limitStyle is darker than the grid and lighter than the axes.
var limitStyle = draw.LineStyle{Color: color.Gray{Y: 0x90}, Width: 0.75, Dashes: []vg.Length{3, 2}}

const limitGap vg.Length = 3 // between the line and the number

func (l lengthLimit) Plot(c draw.Canvas, p *plot.Plot) {
	x, _ := p.Transforms(&c)
	at := x(float64(l))
	c.StrokeLine2(limitStyle, at, c.Min.Y, at, c.Max.Y)
	text, above := l.label()
	c.FillText(above, vg.Point{X: at, Y: c.Max.Y + limitGap}, text)
}

// DataRange returns the range of x and an empty range of y.
func (l lengthLimit) DataRange() (left, right, low, high float64) {
	return float64(l), float64(l), math.Inf(1), math.Inf(-1)
}

// GlyphBoxes returns the space for the number.
func (l lengthLimit) GlyphBoxes(p *plot.Plot) []plot.GlyphBox {
	text, above := l.label()
	box := above.Rectangle(text).Add(vg.Point{Y: limitGap})
	return []plot.GlyphBox{{X: p.X.Norm(float64(l)), Y: 1, Rectangle: box}}
}

func (l lengthLimit) label() (string, draw.TextStyle) {
	above := style
	above.XAlign = draw.XCenter
	return strconv.Itoa(int(l)), above
}

func (l lengthLimit) Thumbnail(c *draw.Canvas) {
	c.StrokeLine2(limitStyle, c.Center().X, c.Min.Y, c.Center().X, c.Max.Y)
}
