package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/softsearch-go/softsearch/model/cmd/figure"
	"github.com/softsearch-go/softsearch/model/text"
)

// errNoRecords is the error for a log without measurements.
var errNoRecords = errors.New("no record of progress or validation")

// A trainLog holds the measurements of a log by update; of several after the same update, the
// last counts, as a training that goes on repeats updates.
type trainLog struct {
	progress, trained, validation, bleu map[int]float64 // trained is the training loss of validations
	best                                map[int]bool
}

// readTrainLog reads a log. Errors name the file and the line.
func readTrainLog(name string, r io.Reader) (*trainLog, error) {
	l := &trainLog{map[int]float64{}, map[int]float64{}, map[int]float64{}, map[int]float64{}, map[int]bool{}}
	in, number := bufio.NewReader(r), 0
	for {
		line, err := in.ReadBytes('\n')
		if err != nil && err != io.EOF {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if len(line) == 0 {
			break
		}
		number++
		if err := l.add(line); err != nil {
			return nil, lineError(name, number, err)
		}
	}
	if number == 0 {
		return nil, fmt.Errorf("%s: %w, expected the log of rnnsearch train --log json", name, text.ErrEmptyFile)
	}
	if len(l.progress)+len(l.validation) == 0 {
		return nil, lineError(name, number, fmt.Errorf("%w up to here, expected the log of rnnsearch train --log json", errNoRecords))
	}
	return l, nil
}

// add adds a line. An empty one has nothing, and other events do not count.
func (l *trainLog) add(line []byte) error {
	if len(bytes.TrimSpace(line)) == 0 {
		return nil
	}
	var r record
	if err := json.Unmarshal(line, &r); err != nil {
		return fmt.Errorf("%w, expected a JSON object", err)
	}
	switch r.Event {
	case eventProgress:
		if r.Update < 1 || !within(r.Loss, mostLoss) {
			return fmt.Errorf("record of progress: expected update, from 1 on, and loss, 0 to %d", mostLoss)
		}
		l.progress[r.Update] = *r.Loss
	case eventValidation:
		if r.Update < 1 || !within(r.Loss, mostLoss) || !within(r.ValidationLoss, mostLoss) || !within(r.BLEU, mostBLEU) {
			return fmt.Errorf("record of validation: expected update, from 1 on, loss and validation_loss, 0 to %d, and bleu, 0 to %d", mostLoss, mostBLEU)
		}
		l.trained[r.Update], l.validation[r.Update], l.bleu[r.Update] = *r.Loss, *r.ValidationLoss, *r.BLEU
		l.best[r.Update] = r.Best != nil && *r.Best
	}
	return nil
}

// The bounds of measurements.
const (
	mostLoss = 1_000_000
	mostBLEU = 100
)

// within reports whether a log has a value, from 0 to most.
func within(value *float64, most float64) bool { return value != nil && *value >= 0 && *value <= most }

// run returns the curves. The best model is the last that was the best so far. The training loss
// of a log without progress is that of its validations.
func (l *trainLog) run(name string) figure.Run {
	training := l.progress
	if len(training) == 0 {
		training = l.trained
	}
	r := figure.Run{Name: name, Training: samples(training), Validation: samples(l.validation), BLEU: samples(l.bleu)}
	for update, best := range l.best {
		if best {
			r.Best = max(r.Best, update)
		}
	}
	return r
}

// samples returns measurements in the order of their updates.
func samples(values map[int]float64) []figure.Sample {
	var list []figure.Sample
	for _, update := range slices.Sorted(maps.Keys(values)) {
		list = append(list, figure.Sample{Update: update, Value: values[update]})
	}
	return list
}
