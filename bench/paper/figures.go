package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/cmd/figure"
	"github.com/softsearch-go/softsearch/model/text"
)

// drawLengths draws Figure 2: BLEU against the length of the source.
func drawLengths(folder string, r *result) error {
	var list []figure.System
	var limits []int
	for _, s := range r.Systems {
		drawn := figure.System{Name: s.name()}
		for _, l := range s.Lengths {
			drawn.Scores = append(drawn.Scores, figure.LengthScore{Words: l.Words, BLEU: l.BLEU, Low: l.Low, High: l.High})
		}
		list = append(list, drawn)
		limits = append(limits, s.Limit)
	}
	slices.Sort(limits)
	p, err := figure.ByLength(list, slices.Compact(limits))
	if err != nil {
		return err
	}
	return writeSVG(filepath.Join(folder, "figure2.svg"), p)
}

// drawAlignments draws Figure 3: the alignments of the sentences to be shown, or of some of the
// pairs, whose words are known.
func (o *runOptions) drawAlignments(ctx context.Context, m *model.Model, pairs []text.Pair) error {
	sources := slices.Collect(text.Sources(pairs))
	if o.shown != "" {
		var err error
		if sources, err = text.ReadSentences(o.shown); err != nil {
			return err
		}
	}
	translations, err := translate(ctx, m, slices.Values(sources), true)
	if err != nil {
		return err
	}
	var list []figure.Alignment
	for _, t := range translations {
		list = append(list, t.alignment)
	}
	if o.shown == "" {
		if list, err = four(list); err != nil {
			return err
		}
	}
	return writeSVG(filepath.Join(o.results, "figure3.svg"), figure.Alignments(list))
}

// four returns, of the alignments of 10 to 20 words, as in the paper, the one with the clearest
// steps back and the first three others.
func four(all []figure.Alignment) ([]figure.Alignment, error) {
	const fewest, most, panels = 10, 20, 4
	var list []figure.Alignment
	for _, a := range all {
		if words := len(a.Source) - 1; fewest <= words && words <= most {
			list = append(list, a)
		}
	}
	if len(list) < panels {
		return nil, fmt.Errorf("figure 3: %d texts of %d to %d words that all models know, expected %d", len(list), fewest, most, panels)
	}
	clearest := 0
	for i, a := range list {
		if stepsBack(a) > stepsBack(list[clearest]) {
			clearest = i
		}
	}
	first := list[clearest]
	return append([]figure.Alignment{first}, slices.Delete(list, clearest, clearest+1)[:panels-1]...), nil
}

// stepsBack counts the neighbouring words of a translation of which the second was found to the
// left of the first, each by both weights.
func stepsBack(a figure.Alignment) float64 {
	sum, last, before := 0.0, 0, 0.0
	for i := range a.Weights.Rows {
		row := a.Weights.Row(i)
		weight := slices.Max(row)
		at := slices.Index(row, weight)
		if at < last {
			sum += before * float64(weight)
		}
		last, before = at, float64(weight)
	}
	return sum
}

// writeSVG writes a page to a file.
func writeSVG(path string, p *figure.Page) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(p.WriteSVG(f), f.Close())
}
