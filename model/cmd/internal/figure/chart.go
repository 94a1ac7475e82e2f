package figure

import (
	"math"
	"strconv"
	"strings"
)

// A chart shows curves of y against x, where x starts at 0, above a legend.
type chart struct {
	x, y           string
	low            float64 // the largest value that the axis of y may start at
	curves, legend []curve
}

// A curve connects points.
type curve struct {
	name   string
	style  style
	run    int // whose color and markers it has
	points []point
}

type point struct{ x, y float64 }

type style int

const (
	thin   style = iota // a translucent line
	marked              // a line with markers
	ring                // around markers
)

// Sizes of a chart.
const (
	fontSize   = 12
	margin     = 16.0 // around charts
	axisWidth  = 64.0 // left of the curves
	axisHeight = 44.0 // below the curves
	plotWidth  = 336.0
	plotHeight = 224.0
	sampleSize = 24.0 // of a curve in the legend
	lineHeight = 18.0
)

// palette holds the colors of runs, which differ in hue and, when printed in gray, in lightness; shapes holds
// their markers, reused in turn.
var (
	palette = []string{"#0b3c7d", "#c93a4f", "#3fb0b8", "#e8b023", "#9aa0a6", "#3d1f47"}
	shapes  = []string{"M-3 0a3 3 0 1 0 6 0a3 3 0 1 0-6 0Z", "M-3-3H3V3H-3Z", "M0-3.5L3 2.5H-3Z", "M0-4L4 0 0 4-4 0Z"}
)

// sideBySide draws charts in a row.
func sideBySide(charts []chart) string {
	const area = axisWidth + plotWidth
	wide, lines := area, 0
	for _, c := range charts {
		lines = max(lines, len(c.legend))
		for _, l := range c.legend {
			wide = max(wide, axisWidth+sampleSize+margin+fontSize*width(l.name))
		}
	}
	var d drawing
	for i, c := range charts {
		c.draw(&d, margin+float64(i)*(wide+margin)+axisWidth, margin)
	}
	n := float64(len(charts))
	return d.document(margin+n*(wide+margin), 2*margin+plotHeight+axisHeight+lineHeight*float64(lines), fontSize, sans)
}

// draw draws a chart whose curves have their upper left corner at left, top.
func (c chart) draw(d *drawing, left, top float64) {
	right, low, high := c.limits()
	at := func(p point) (x, y float64) {
		return left + plotWidth*p.x/right, top + plotHeight*(high-p.y)/(high-low)
	}
	bottom := top + plotHeight
	for _, t := range ticks(0, right) {
		x, _ := at(point{x: t.value})
		d.add(`<path d="M%v %vV%v" stroke="#e0e0e0"/>`, x, top, bottom)
		d.text(x, bottom+12, "middle", t.label)
	}
	for _, t := range ticks(low, high) {
		_, y := at(point{y: t.value})
		d.add(`<path d="M%v %vH%v" stroke="#e0e0e0"/>`, left, y, left+plotWidth)
		d.text(left-6, y, "end", t.label)
	}
	d.text(left+plotWidth/2, bottom+30, "middle", c.x)
	x, y := left-axisWidth+fontSize/2, top+plotHeight/2
	d.text(x, y, "middle", c.y, turned(-90, x, y))
	for _, curve := range c.curves {
		curve.draw(d, at)
	}
	for i, l := range c.legend {
		y := bottom + axisHeight + lineHeight*(float64(i)+0.5)
		l.points = []point{{0, 0}, {sampleSize, 0}}
		if l.style == ring {
			l.points = []point{{sampleSize / 2, 0}}
		}
		l.draw(d, func(p point) (float64, float64) { return left + p.x, y })
		d.text(left+sampleSize+8, y, "start", l.name)
	}
}

// limits returns the right end of the axis of x and both ends of the axis of y, with space for markers
// except at 0.
func (c chart) limits() (right, low, high float64) {
	const padding = 0.04
	low, high = c.low, math.Inf(-1)
	for _, curve := range c.curves {
		for _, p := range curve.points {
			right, low, high = max(right, p.x), min(low, p.y), max(high, p.y)
		}
	}
	if low == high {
		high++
	}
	space := padding * (high - low)
	if low != 0 {
		low -= space
	}
	return right * (1 + padding), low, high + space
}

func (c curve) draw(d *drawing, at func(point) (x, y float64)) {
	color, opacity, strokeWidth := palette[c.run], 1.0, 2.0
	if c.style == thin {
		opacity, strokeWidth = 0.5, 1.3
	}
	var line strings.Builder
	for _, p := range c.points {
		x, y := at(p)
		line.WriteString(strconv.FormatFloat(x, 'f', 2, 64) + "," + strconv.FormatFloat(y, 'f', 2, 64) + " ")
	}
	if c.style != ring {
		d.add(`<polyline points="%s" fill="none" stroke="%s" stroke-opacity="%v" stroke-width="%v"/>`, strings.TrimSpace(line.String()), color, opacity, strokeWidth)
	}
	for _, p := range c.points {
		switch x, y := at(p); c.style {
		case marked:
			d.add(`<path transform="translate(%v %v)" d="%s" fill="%s"/>`, x, y, shapes[c.run%len(shapes)], color)
		case ring:
			d.add(`<circle cx="%v" cy="%v" r="6" fill="none" stroke="%s" stroke-width="1.5"/>`, x, y, color)
		}
	}
}

type tick struct {
	value float64
	label string
}

// ticks returns three to seven round numbers from low to high.
func ticks(low, high float64) (list []tick) {
	exponent := math.Floor(math.Log10((high - low) / 3))
	step := math.Pow(10, exponent)
	for _, factor := range []float64{5, 2} {
		if (high-low)/(step*factor) >= 3 {
			step *= factor
			break
		}
	}
	for k := math.Ceil(low / step); k*step <= high; k++ {
		list = append(list, tick{k * step, strconv.FormatFloat(k*step+0, 'f', int(max(0, -exponent)), 64)})
	}
	return list
}
