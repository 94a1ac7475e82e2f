package figure

import (
	"errors"
	"fmt"
	"image/color"
	"math"
	"slices"
)

// A Run is what [Curves] draws of a training. Samples are in the order of their updates.
type Run struct {
	Name       string
	Training   []Sample // loss per target word
	Validation []Sample // loss per target word
	BLEU       []Sample
	Best       int // update of the best model, 0 if there is none
}

// A Sample is a measurement after some updates.
type Sample struct {
	Update int
	Value  float64
}

// ErrRuns is the error for a number of runs that a figure cannot tell apart, or for none.
var ErrRuns = errors.New("wrong number of runs")

// runColours differ in hue for readers of colours and in lightness for others.
var runColours = []color.RGBA{rgb(0x0b3c7d), rgb(0xc93a4f), rgb(0x3fb0b8), rgb(0xe8b023), rgb(0x3d1f47), rgb(0x9aa0a6)}

// tint returns a colour half way to white.
func tint(c color.RGBA) color.RGBA {
	half := func(v uint8) uint8 { return v/2 + 128 }
	return color.RGBA{half(c.R), half(c.G), half(c.B), 255}
}

// Sizes of the figure of curves.
const (
	chartWidth, chartHeight = 340.0, 220.0 // of the area of the curves
	scaleLeft               = 40.0         // for the numbers of the axis on the left, or more
	scaleBelow              = 40.0         // for the axis below and its title
	titleRoom               = 22.0
	chartSize               = 12.0 // of letters
	numberSize              = 11.0
	thin, thick             = 1.3, 2.0
	dotRadius, ringRadius   = 2.6, 6.0
)

// Curves returns a figure of trainings: their losses against updates on the left, BLEU on the
// right, and a legend below. What no run has is left out. Best models have a ring. The error
// wraps ErrRuns.
func Curves(runs []Run) (*Page, error) {
	if len(runs) < 1 || len(runs) > len(runColours) {
		return nil, fmt.Errorf("%w: %d, expected 1 to %d", ErrRuns, len(runs), len(runColours))
	}
	loss, bleu := chart{title: "loss per word (nats)"}, chart{title: "BLEU"}
	for i, r := range runs {
		loss.curves = append(loss.curves, curve{samples: r.Training, stroke: tint(runColours[i]), width: thin})
	}
	for i, r := range runs {
		ink := runColours[i]
		loss.curves = append(loss.curves, curve{samples: r.Validation, stroke: ink, width: thick, dots: true, best: r.Best})
		bleu.curves = append(bleu.curves, curve{samples: r.BLEU, stroke: ink, width: thick, dots: true, best: r.Best})
	}
	l := newLetters()
	var panels []panel
	for _, c := range []chart{loss, bleu} {
		if !c.empty() {
			panels = append(panels, c.panel(l))
		}
	}
	if len(panels) == 0 {
		return nil, fmt.Errorf("%w with measurements: 0, expected 1", ErrRuns)
	}
	page := grid(panels, len(panels))
	if len(runs) == 1 {
		page.below(kindLegend(runs, runColours[0], "best model"+runs[0].bestBLEU()))
	} else {
		page.below(colourLegend(runs))
		page.below(kindLegend(runs, axisColour, "best model"))
	}
	page.height += margin
	return page, nil
}

// A chart is curves with common axes.
type chart struct {
	title  string
	curves []curve
}

// A curve is a series of measurements.
type curve struct {
	samples []Sample
	stroke  color.RGBA
	width   float64
	dots    bool
	best    int // the update that has a ring, 0 for none
}

func (c chart) empty() bool {
	return !slices.ContainsFunc(c.curves, func(c curve) bool { return len(c.samples) > 0 })
}

// axes returns the axes that have room for all samples: updates from 0 on, and values.
func (c chart) axes() (updates, values axis) {
	most, low, high := 0, math.Inf(1), math.Inf(-1)
	for _, curve := range c.curves {
		for _, s := range curve.samples {
			most, low, high = max(most, s.Update), min(low, s.Value), max(high, s.Value)
		}
	}
	return newAxis(0, float64(most), 6), newAxis(low, high, 5)
}

// panel returns the chart with its axes and title.
func (c chart) panel(l *letters) panel {
	updates, values := c.axes()
	left := values.scaleRoom(l)
	return panel{left + chartWidth + chartSize, titleRoom + chartHeight + scaleBelow, func(p *Page, at point) {
		a := area{corner: at.plus(left, titleRoom), x: updates, y: values}
		a.drawAxes(p)
		p.add(label{a.corner.plus(0, -8), c.title, chartSize, start, false, dark})
		for _, curve := range c.curves {
			a.drawCurve(p, curve)
		}
		for _, curve := range c.curves {
			a.drawBest(p, curve)
		}
	}}
}
