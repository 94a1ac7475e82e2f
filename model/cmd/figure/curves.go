package figure

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
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

// Sizes of the figure of curves.
const (
	chartWidth, chartHeight vg.Length = 300, 200 // with the axes
	around                  vg.Length = 12       // charts, and between them and legends
	scaleRoom               vg.Length = 60       // for the axis on the left
)

// Curves returns a figure of trainings: their losses against updates on the left, BLEU on the
// right, and legends below. What no run has is left out. Best models have a ring. The error
// wraps ErrRuns.
func Curves(runs []Run) (*Page, error) {
	if len(runs) < 1 || len(runs) > len(inks) {
		return nil, fmt.Errorf("%w: %d, expected 1 to %d", ErrRuns, len(runs), len(inks))
	}
	charts := []*plot.Plot{newChart("loss per word (nats)"), newChart("BLEU")}
	kinds := drawRuns(charts, runs)
	charts = slices.DeleteFunc(charts, func(p *plot.Plot) bool { return math.IsInf(p.X.Max, -1) })
	if len(charts) == 0 {
		return nil, fmt.Errorf("%w with measurements: 0, expected 1", ErrRuns)
	}
	explainRuns(charts, runs, kinds)
	return beside(charts), nil
}

// drawRuns draws losses in the first chart and BLEU in the second, the best models above all
// curves, and returns the kinds that there are.
func drawRuns(charts []*plot.Plot, runs []Run) []kind {
	var kinds []kind
	for _, k := range []kind{training, validation, best} {
		drawn := 0
		for i, r := range runs {
			for j, samples := range r.samples(k) {
				charts[j].Add(k.parts(i, samples)...)
				drawn += len(samples)
			}
		}
		if drawn > 0 {
			kinds = append(kinds, k)
		}
	}
	return kinds
}

// explainRuns adds kinds to the legend of the first chart, and several runs to that of the last.
func explainRuns(charts []*plot.Plot, runs []Run, kinds []kind) {
	for _, k := range kinds {
		name := string(k)
		if k == best && len(runs) == 1 {
			name += runs[0].bestBLEU()
		}
		k.explain(charts[0], 0, name)
	}
	for i, r := range runs {
		if len(runs) > 1 {
			validation.explain(charts[len(charts)-1], i, r.Name+r.bestBLEU())
		}
	}
}

// samples returns the losses and the BLEU of a kind.
func (r Run) samples(k kind) [2][]Sample {
	switch k {
	case training:
		return [2][]Sample{r.Training, nil}
	case validation:
		return [2][]Sample{r.Validation, r.BLEU}
	}
	return [2][]Sample{r.best(r.Validation), r.best(r.BLEU)}
}

// best returns the sample of the best model, none if there is none.
func (r Run) best(samples []Sample) []Sample {
	i := slices.IndexFunc(samples, func(s Sample) bool { return s.Update == r.Best })
	return samples[max(i, 0) : i+1]
}

// bestBLEU returns what a legend says of the best model, nothing if there is none.
func (r Run) bestBLEU() string {
	for _, s := range r.best(r.BLEU) {
		return fmt.Sprintf(", %.1f BLEU", s.Value)
	}
	return ""
}

// beside returns a page of charts beside each other, with their legends below.
func beside(charts []*plot.Plot) *Page {
	width, height := chartWidth, vg.Length(0) // of a chart, of the legends
	for _, p := range charts {
		finish(p)
		size := p.Legend.Rectangle(draw.Canvas{}).Size()
		width, height = max(width, scaleRoom+size.X), max(height, size.Y)
	}
	below := height + 2*around
	return &Page{around + vg.Length(vg.Length(len(charts))*(width+around)), around + chartHeight + below, func(c draw.Canvas) {
		tiles := draw.Tiles{Rows: 1, Cols: len(charts), PadX: around}
		area := draw.Crop(c, around, -around, below, -around)
		for i, tile := range plot.Align([][]*plot.Plot{charts}, tiles, area)[0] {
			charts[i].Legend.YOffs = height + around - tile.Max.Y
			charts[i].Draw(tile)
		}
	}}
}
