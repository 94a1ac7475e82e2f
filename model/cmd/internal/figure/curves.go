package figure

import (
	"fmt"
	"image/color"
	"io"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"

	"github.com/softsearch-go/softsearch/model/cmd/internal/files"
	"github.com/softsearch-go/softsearch/model/cmd/internal/training"
	"github.com/softsearch-go/softsearch/model/text"
)

// A Run holds the measurements of a training run. Samples are in the order of their updates.
type Run struct {
	Name       string
	Training   []Sample // loss per target word
	Validation []Sample // loss per target word
	BLEU       []Sample
	Best       int // update of the best model, 0 if there is none
}

// A Sample is a measurement after a number of updates.
type Sample struct {
	Update int
	Value  float64
}

// Curves returns a figure of training runs: loss against updates on the left, BLEU on the right,
// legends below, and a ring around the best model of each run. A chart without measurements is
// omitted. The error wraps ErrCount.
func Curves(runs []Run) (*Page, error) {
	if err := checkCount(len(runs), "runs"); err != nil {
		return nil, err
	}
	charts := []*plot.Plot{newChart("updates", "loss per word (nats)"), newChart("updates", "BLEU")}
	all := addCurves(charts, runs)
	charts = slices.DeleteFunc(charts, func(p *plot.Plot) bool { return math.IsInf(p.X.Max, -1) })
	if len(charts) == 0 {
		return nil, fmt.Errorf("%w of runs with measurements: 0, expected 1", ErrCount)
	}
	addLegends(charts, runs, all)
	return sideBySide(charts), nil
}

// A curve is one of the curves of a run, by its name in the legend.
type curve string

const (
	trainingLoss curve = "training"
	validation   curve = "validation"
	best         curve = "best model"
)

// addCurves adds losses to the first chart and BLEU to the second, the best models on top, and
// returns the curves that have samples.
func addCurves(charts []*plot.Plot, runs []Run) []curve {
	var all []curve
	for _, c := range []curve{trainingLoss, validation, best} {
		drawn := 0
		for i, r := range runs {
			for j, samples := range r.samples(c) {
				charts[j].Add(c.plotters(i, points(samples))...)
				drawn += len(samples)
			}
		}
		if drawn > 0 {
			all = append(all, c)
		}
	}
	return all
}

// addLegends names the curves below the first chart and, if there are several, the runs below the
// last.
func addLegends(charts []*plot.Plot, runs []Run, all []curve) {
	for _, c := range all {
		name := string(c)
		if c == best && len(runs) == 1 {
			name += runs[0].bestBLEU()
		}
		addLegend(charts[0], name, c.plotters(0, nil)...)
	}
	for i, r := range runs {
		if len(runs) > 1 {
			addLegend(charts[len(charts)-1], r.Name+r.bestBLEU(), lineWithMarkers(i, nil)...)
		}
	}
}

// samples returns the losses and the BLEU scores of a curve.
func (r Run) samples(c curve) [2][]Sample {
	switch c {
	case trainingLoss:
		return [2][]Sample{r.Training, nil}
	case validation:
		return [2][]Sample{r.Validation, r.BLEU}
	}
	return [2][]Sample{r.best(r.Validation), r.best(r.BLEU)}
}

func (r Run) best(samples []Sample) []Sample {
	i := slices.IndexFunc(samples, func(s Sample) bool { return s.Update == r.Best })
	return samples[max(i, 0) : i+1]
}

// bestBLEU returns the BLEU score of the best model for a legend, or nothing if there is none.
func (r Run) bestBLEU() string {
	for _, s := range r.best(r.BLEU) {
		return fmt.Sprintf(", %.1f BLEU", s.Value)
	}
	return ""
}

func points(samples []Sample) plotter.XYs {
	var points plotter.XYs
	for _, s := range samples {
		points = append(points, plotter.XY{X: float64(s.Update), Y: s.Value})
	}
	return points
}

// plotters returns what draws the points of a run, bottom to top.
func (c curve) plotters(run int, points plotter.XYs) []plot.Plotter {
	disc := draw.CircleGlyph{}
	switch c {
	case trainingLoss:
		return []plot.Plotter{line(points, translucent(run), 1)}
	case validation:
		return lineWithMarkers(run, points)
	}
	return []plot.Plotter{scatter(points, palette[run], 5, disc), scatter(points, color.White, 3.8, disc), markers(run, points)}
}

// ReadRuns reads logs of trainings from the files, whose names are those of the runs, or one from
// stdin if there are none.
func ReadRuns(stdin io.Reader, paths []string) ([]Run, error) {
	if len(paths) == 0 {
		r, err := readRun(files.NewInput(files.StandardInput, stdin))
		return []Run{r}, err
	}
	var runs []Run
	names := runNames(paths)
	for i, path := range paths {
		in, err := files.Open(path)
		if err != nil {
			return nil, err
		}
		r, err := readRun(in)
		if err != nil {
			return nil, err
		}
		r.Name = names[i]
		runs = append(runs, r)
	}
	return runs, nil
}

func readRun(in *files.Input) (Run, error) {
	defer in.Close()
	records, err := training.ReadLog(in.Name(), in)
	if err != nil {
		return Run{}, err
	}
	return runOf(in.Name(), records)
}

// runOf returns the curves of a log. Of several records for the same update, the last one counts.
// The best model is the last one that was the best so far. A log without progress records has the
// training loss of its validations. log is the name of the log in errors.
func runOf(log string, records []training.Record) (Run, error) {
	progress, trainingLoss, validation, bleu := map[int]float64{}, map[int]float64{}, map[int]float64{}, map[int]float64{}
	best := map[int]bool{}
	for _, r := range records {
		switch r.Event {
		case training.EventProgress:
			progress[r.Update] = *r.Loss
		case training.EventValidation:
			trainingLoss[r.Update], validation[r.Update], bleu[r.Update] = *r.Loss, *r.ValidationLoss, *r.BLEU
			best[r.Update] = r.Best != nil && *r.Best
		}
	}
	const expected = "expected the log of rnnsearch train --log json"
	switch {
	case len(records) == 0:
		return Run{}, fmt.Errorf("%s: %w, %s", log, text.ErrEmptyFile, expected)
	case len(progress)+len(validation) == 0:
		return Run{}, fmt.Errorf("%s: no record of progress or validation, %s", log, expected)
	case len(progress) > 0:
		trainingLoss = progress
	}
	r := Run{Training: samples(trainingLoss), Validation: samples(validation), BLEU: samples(bleu)}
	for update, ok := range best {
		if ok {
			r.Best = max(r.Best, update)
		}
	}
	return r, nil
}

// samples returns measurements in the order of their updates.
func samples(values map[int]float64) []Sample {
	var list []Sample
	for _, update := range slices.Sorted(maps.Keys(values)) {
		list = append(list, Sample{Update: update, Value: values[update]})
	}
	return list
}

// runNames returns the file names without folders and extensions, or the paths if two of those are
// equal.
func runNames(paths []string) []string {
	var names []string
	seen := map[string]bool{}
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
		names = append(names, name)
		seen[name] = true
	}
	if len(seen) < len(paths) {
		return paths
	}
	return names
}
