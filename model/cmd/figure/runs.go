package figure

import (
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/softsearch-go/softsearch/model/cmd/files"
	"github.com/softsearch-go/softsearch/model/cmd/trainlog"
	"github.com/softsearch-go/softsearch/model/text"
)

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
	records, err := trainlog.Read(in.Name(), in)
	if err != nil {
		return Run{}, err
	}
	return runOf(in.Name(), records)
}

// runOf returns the curves of a log. Of several records for the same update, the last one counts.
// The best model is the last one that was the best so far. A log without progress records has the
// training loss of its validations. log is the name of the log in errors.
func runOf(log string, records []trainlog.Record) (Run, error) {
	progress, training, validation, bleu := map[int]float64{}, map[int]float64{}, map[int]float64{}, map[int]float64{}
	best := map[int]bool{}
	for _, r := range records {
		switch r.Event {
		case trainlog.EventProgress:
			progress[r.Update] = *r.Loss
		case trainlog.EventValidation:
			training[r.Update], validation[r.Update], bleu[r.Update] = *r.Loss, *r.ValidationLoss, *r.BLEU
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
		training = progress
	}
	r := Run{Training: samples(training), Validation: samples(validation), BLEU: samples(bleu)}
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
