package figure

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
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

// Curves returns a figure of trainings: their losses against updates on the left, BLEU on the
// right, and legends below. What no run has is left out. Best models have a ring. The error
// wraps ErrCount.
func Curves(runs []Run) (*Page, error) {
	if err := distinct(len(runs), "runs"); err != nil {
		return nil, err
	}
	charts := []*plot.Plot{newChart("updates", "loss per word (nats)"), newChart("updates", "BLEU")}
	kinds := drawRuns(charts, runs)
	charts = slices.DeleteFunc(charts, func(p *plot.Plot) bool { return math.IsInf(p.X.Max, -1) })
	if len(charts) == 0 {
		return nil, fmt.Errorf("%w of runs with measurements: 0, expected 1", ErrCount)
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
				charts[j].Add(k.parts(i, places(samples))...)
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
		explain(charts[0], name, k.parts(0, nil)...)
	}
	for i, r := range runs {
		if len(runs) > 1 {
			explain(charts[len(charts)-1], r.Name+r.bestBLEU(), marked(i, nil)...)
		}
	}
}

// places returns where samples are in a chart.
func places(samples []Sample) plotter.XYs {
	var points plotter.XYs
	for _, s := range samples {
		points = append(points, plotter.XY{X: float64(s.Update), Y: s.Value})
	}
	return points
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
