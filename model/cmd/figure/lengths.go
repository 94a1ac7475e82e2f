package figure

import (
	"fmt"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
)

// A System is what [ByLength] draws of a system of translation. Scores are in the order of their
// lengths.
type System struct {
	Name   string
	Scores []LengthScore
}

// A LengthScore is the BLEU of the sentences of about a length, with the interval that holds 95 %
// of its bootstrap samples.
type LengthScore struct {
	Words     float64 // mean length of the sentences
	BLEU      float64
	Low, High float64
}

// apart is the distance of intervals of two systems at the same length: most overlap.
const apart vg.Length = 1.2

// ByLength returns a figure of BLEU against the length of sentences, as Figure 2 of the paper shows
// it, both from 0 on: a curve for each system with light bars for its intervals, those of systems
// beside each other, and a legend below. Limits are the most words of the sentences that systems
// have learnt from: upright lines with their numbers. The error wraps ErrCount.
func ByLength(systems []System, limits []int) (*Page, error) {
	if err := distinct(len(systems), "systems"); err != nil {
		return nil, err
	}
	p := newChart("sentence length (words)", "BLEU")
	p.Y.Min, p.Y.Max = 0, 1
	for _, l := range limits {
		p.Add(limit(l))
	}
	for i, s := range systems {
		if len(s.Scores) == 0 {
			return nil, fmt.Errorf("%w of scores of %s: 0, expected 1 and more", ErrCount, s.Name)
		}
		aside := vg.Length(apart * (vg.Length(i) - vg.Length(len(systems)-1)/2))
		p.Add(intervals{i, aside, s.Scores})
	}
	for i, s := range systems {
		p.Add(marked(i, s.points())...)
		explain(p, s.Name, marked(i, nil)...)
	}
	explain(p, "95 % of bootstrap samples", intervals{})
	if len(limits) > 0 {
		explain(p, "longest sentences learnt from", limit(0))
	}
	return beside([]*plot.Plot{p}), nil
}

// points returns where the scores are in a chart.
func (s System) points() plotter.XYs {
	var points plotter.XYs
	for _, score := range s.Scores {
		points = append(points, plotter.XY{X: score.Words, Y: score.BLEU})
	}
	return points
}
