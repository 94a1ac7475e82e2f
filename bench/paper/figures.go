package main

import (
	"cmp"
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
		f := figure.System{Name: s.name()}
		for _, l := range s.Lengths {
			f.Scores = append(f.Scores, figure.LengthScore{Words: l.Words, BLEU: l.BLEU, Low: l.Low, High: l.High})
		}
		list = append(list, f)
		limits = append(limits, s.Limit)
	}
	slices.Sort(limits)
	p, err := figure.ByLength(list, slices.Compact(limits))
	if err != nil {
		return err
	}
	return writeSVG(filepath.Join(folder, "figure2.svg"), p)
}

// drawAlignments draws Figure 3: the alignments of m for the sentences in the file shown, or for four
// of the pairs if shown is empty.
func drawAlignments(ctx context.Context, folder string, m *model.Model, shown string, pairs []text.Pair) error {
	sources := slices.Collect(text.Sources(pairs))
	if shown != "" {
		var err error
		if sources, err = text.ReadSentences(shown); err != nil {
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
	if shown == "" {
		if list, err = selectPanels(list); err != nil {
			return err
		}
	}
	return writeSVG(filepath.Join(folder, "figure3.svg"), figure.Alignments(list))
}

// selectPanels returns the four alignments with the largest backwardJumps of those of sources with 10
// to 20 words, the range of the paper.
func selectPanels(all []figure.Alignment) ([]figure.Alignment, error) {
	const minWords, maxWords, panels = 10, 20, 4
	var list []figure.Alignment
	for _, a := range all {
		if words := len(a.Source) - 1; minWords <= words && words <= maxWords {
			list = append(list, a)
		}
	}
	if len(list) < panels {
		return nil, fmt.Errorf("figure 3: %d sentences of %d to %d words that all models know, expected %d", len(list), minWords, maxWords, panels)
	}
	slices.SortStableFunc(list, func(a, b figure.Alignment) int { return cmp.Compare(backwardJumps(b), backwardJumps(a)) })
	return list[:panels], nil
}

// backwardJumps counts the target words whose most attended source word lies to the left of that of
// the previous target word and is that of no earlier one: translations that repeat themselves attend the
// same words again. Each counts as the product of the two weights. The end of the sentence, the last row,
// is no word.
func backwardJumps(a figure.Alignment) float64 {
	sum, last, lastWeight := 0.0, 0, 0.0
	attended := map[int]bool{}
	for i := range a.Weights.Rows - 1 {
		row := a.Weights.Row(i)
		weight := slices.Max(row)
		at := slices.Index(row, weight)
		if at < last && !attended[at] {
			sum += lastWeight * float64(weight)
		}
		attended[at] = true
		last, lastWeight = at, float64(weight)
	}
	return sum
}

func writeSVG(path string, p *figure.Page) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(p.WriteSVG(f), f.Close())
}
