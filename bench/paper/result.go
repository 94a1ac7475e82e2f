package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// A result is what an experiment came to, beside the logs of its trainings.
type result struct {
	Machine string         `json:"machine"`
	Date    string         `json:"date"`
	Batch   int            `json:"batch"` // sentences of an update
	Systems []systemResult `json:"systems"`
}

// A systemResult is what a system came to.
type systemResult struct {
	system
	Pairs   int           `json:"pairs"`   // that it learnt from
	Weights int           `json:"weights"` // of the model
	All     score         `json:"all"`     // of all test sentences
	Known   score         `json:"no_unk"`  // of those without unknown words, of which the translations have none either
	Lengths []lengthScore `json:"lengths"` // of all test sentences
}

const resultFile = "result.json"

// write writes the result to a folder.
func (r *result) write(folder string) error {
	encoded, err := json.MarshalIndent(r, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, resultFile), append(encoded, '\n'), 0o666)
}

// readResult reads what write wrote, and summaries of the logs beside it, one for each system.
func readResult(folder string) (*result, []summary, error) {
	path := filepath.Join(folder, resultFile)
	encoded, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, err
	}
	r := new(result)
	if err := json.Unmarshal(encoded, r); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	if len(r.Systems) == 0 {
		return nil, nil, fmt.Errorf("%s: no systems", path)
	}
	var list []summary
	for _, s := range r.Systems {
		summary, err := readSummary(filepath.Join(folder, s.file()+".jsonl"))
		if err != nil {
			return nil, nil, err
		}
		list = append(list, summary)
	}
	return r, list, nil
}
