package figure

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/softsearch-go/softsearch/model/cmd/internal/files"
	"github.com/softsearch-go/softsearch/model/cmd/internal/training"
	"github.com/softsearch-go/softsearch/model/text"
)

// A run holds the measurements of a training against its updates, or of translations against the lengths of
// their sources.
type run struct {
	name       string
	training   []point // loss per target word
	validation []point // loss per target word
	bleu       []point
	best       float64 // update of the best model, 0 if there is none
	byLength   bool
}

// Plot draws the files, or stdin if there are none. Logs of trainings become two charts: losses and BLEU
// against updates, with a ring around the best models. Results of bleu --json --by-length become one, of BLEU
// against sentence length, as in Figure 2 of the paper.
func Plot(ctx context.Context, stdin io.Reader, paths []string) (string, error) {
	if len(paths) > len(palette) {
		return "", fmt.Errorf("%d files, expected at most %d, which differ in color", len(paths), len(palette))
	}
	inputs := []*files.Input{files.NewInput(ctx, files.StandardInput, stdin)}
	if len(paths) > 0 {
		inputs = nil
	}
	for _, path := range paths {
		in, err := files.Open(ctx, path)
		if err != nil {
			return "", err
		}
		defer in.Close()
		inputs = append(inputs, in)
	}
	runs, names := make([]run, len(inputs)), runNames(paths)
	for i, in := range inputs {
		in.Limit(64 << 20)
		var err error
		if runs[i], err = read(in); err != nil {
			return "", err
		}
		if i < len(names) {
			runs[i].name = names[i]
		}
		if runs[i].byLength != runs[0].byLength {
			return "", fmt.Errorf("%s, %s: expected either logs of trainings or scores by length", inputs[0].Name(), in.Name())
		}
	}
	if runs[0].byLength {
		return lengths(runs), nil
	}
	return curves(runs), nil
}

func curves(runs []run) string {
	loss, bleu := chart{x: "updates", y: "loss per word (nats)", low: math.Inf(1)}, chart{x: "updates", y: "BLEU", low: math.Inf(1)}
	var kinds []curve // of the legend
	for _, kind := range []curve{{name: "training", style: thin}, {name: "validation", style: marked}, {name: "best model", style: ring}} {
		drawn := 0
		for i, r := range runs {
			losses, scores := r.points(kind.style)
			loss.curves = append(loss.curves, curve{"", kind.style, i, losses})
			bleu.curves = append(bleu.curves, curve{"", kind.style, i, scores})
			drawn += len(losses) + len(scores)
		}
		if kind.style == ring && len(runs) == 1 {
			kind.name += runs[0].bestBLEU()
		}
		if drawn > 0 {
			kinds = append(kinds, kind)
		}
	}
	var charts []chart
	for _, c := range []chart{loss, bleu} {
		if slices.ContainsFunc(c.curves, func(c curve) bool { return len(c.points) > 0 }) {
			charts = append(charts, c)
		}
	}
	charts[0].legend = kinds
	for i, r := range runs {
		if len(runs) > 1 {
			last := &charts[len(charts)-1]
			last.legend = append(last.legend, curve{name: r.name + r.bestBLEU(), style: marked, run: i})
		}
	}
	return sideBySide(charts)
}

func lengths(runs []run) string {
	c := chart{x: "sentence length (words)", y: "BLEU"}
	for i, r := range runs {
		c.curves = append(c.curves, curve{r.name, marked, i, r.bleu})
	}
	if len(runs) > 1 {
		c.legend = c.curves
	}
	return sideBySide([]chart{c})
}

// points returns the losses and the BLEU scores of a curve.
func (r run) points(s style) (losses, scores []point) {
	switch s {
	case thin:
		return r.training, nil
	case marked:
		return r.validation, r.bleu
	}
	others := func(p point) bool { return p.x != r.best }
	return slices.DeleteFunc(slices.Clone(r.validation), others), slices.DeleteFunc(slices.Clone(r.bleu), others)
}

// bestBLEU returns the BLEU score of the best model for a legend, or nothing if there is none.
func (r run) bestBLEU() string {
	if _, scores := r.points(ring); len(scores) > 0 {
		return fmt.Sprintf(", %.1f BLEU", scores[0].y)
	}
	return ""
}

func read(in *files.Input) (run, error) {
	r := bufio.NewReader(in)
	if first, _ := r.Peek(1); string(first) == "[" {
		return readScores(in.Name(), r)
	}
	records, err := training.ReadLog(in.Name(), r)
	if err != nil {
		return run{}, err
	}
	return runOf(in.Name(), records)
}

// readScores reads the JSON of bleu.
func readScores(name string, r io.Reader) (run, error) {
	var metrics []struct {
		ByLength []struct {
			Words string
			Score float64
		} `json:"by_length"`
	}
	content, err := io.ReadAll(r)
	if err != nil {
		return run{}, fmt.Errorf("%s: %w", name, err)
	}
	if json.Unmarshal(content, &metrics) != nil || len(metrics) == 0 || metrics[0].ByLength == nil {
		return run{}, fmt.Errorf("%s: no scores by length, expected the output of rnnsearch bleu --json --by-length", name)
	}
	s := run{byLength: true}
	for _, l := range metrics[0].ByLength {
		var low, high float64
		if n, _ := fmt.Sscanf(l.Words, "%f-%f", &low, &high); n < 2 {
			high = low // of 61+
		}
		s.bleu = append(s.bleu, point{(low + high) / 2, l.Score})
	}
	return s, nil
}

// runOf returns the curves of a log. Of several records for the same update, the last one counts. The best model
// is the last one that was the best so far. A log without progress records has the training loss of its
// validations.
func runOf(log string, records []training.Record) (r run, err error) {
	const expected = "expected the log of rnnsearch train --log json"
	last := map[string]map[int]training.Record{training.EventProgress: {}, training.EventValidation: {}}
	for _, record := range records {
		if of := last[record.Event]; of != nil {
			of[record.Update] = record
		}
	}
	progress, validations := last[training.EventProgress], last[training.EventValidation]
	switch {
	case len(records) == 0:
		return r, fmt.Errorf("%s: %w, %s", log, text.ErrEmptyFile, expected)
	case len(progress)+len(validations) == 0:
		return r, fmt.Errorf("%s: no record of progress or validation, %s", log, expected)
	case len(progress) == 0:
		progress = validations
	}
	for _, update := range slices.Sorted(maps.Keys(progress)) {
		r.training = append(r.training, point{float64(update), *progress[update].Loss})
	}
	for _, update := range slices.Sorted(maps.Keys(validations)) {
		x, v := float64(update), validations[update]
		r.validation, r.bleu = append(r.validation, point{x, *v.ValidationLoss}), append(r.bleu, point{x, *v.BLEU})
		if v.Best != nil && *v.Best {
			r.best = x
		}
	}
	return r, nil
}

// runNames returns the file names without folders and extensions, or the paths if two of those are equal.
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
