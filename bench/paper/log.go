package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

// A record is what this program reads of a line that rnnsearch train --log json writes.
type record struct {
	Event              string
	Epoch              int
	Update             int
	Seconds            float64
	Loss               float64
	SentencesPerSecond float64 `json:"sentences_per_second"`
	ValidationLoss     float64 `json:"validation_loss"`
	BLEU               float64
	Best               bool
}

// readLog reads the records of a training.
func readLog(path string) ([]record, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var list []record
	for in := json.NewDecoder(f); ; {
		var r record
		err := in.Decode(&r)
		if errors.Is(err, io.EOF) {
			return list, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%s: record %d: %w", path, len(list)+1, err)
		}
		list = append(list, r)
	}
}

// A summary is what the tables say of a training.
type summary struct {
	updates    int
	epochs     int // the last one may be incomplete
	hours      float64
	speed      float64 // sentences a second while learning
	train      float64 // loss per word since the validation before the last
	validation float64 // loss per word of the best model
	bleu       float64 // of the best model in validation
}

// readSummary returns the summary of a log.
func readSummary(path string) (summary, error) {
	records, err := readLog(path)
	if err != nil {
		return summary{}, err
	}
	s := summarise(records)
	if s.updates == 0 {
		return s, fmt.Errorf("%s: no record of a validation", path)
	}
	return s, nil
}

// summarise returns the summary of records. A training that went on from a checkpoint has reported
// some updates twice; validations it has reported once.
func summarise(records []record) summary {
	var s summary
	learning, before := 0.0, 0
	for _, r := range records {
		if r.Event != "validation" {
			continue
		}
		learning += float64(r.Update-before) / r.SentencesPerSecond
		before = r.Update
		s.updates, s.epochs, s.hours, s.train = r.Update, r.Epoch, r.Seconds/3600, r.Loss
		if r.Best {
			s.validation, s.bleu = r.ValidationLoss, r.BLEU
		}
	}
	s.speed = float64(s.updates) / learning
	return s
}
