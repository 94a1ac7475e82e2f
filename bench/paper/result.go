package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/klauspost/cpuid/v2"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/cmd/trainlog"
)

// A result holds the measurements of an experiment. The logs of its trainings are files beside it.
type result struct {
	Settings json.RawMessage `json:"settings"` // of rnnsearch train
	Systems  []systemResult  `json:"systems"`
}

// earlierSystems returns the systems of earlier runs with the same settings in a folder of results.
func earlierSystems(folder string, settings json.RawMessage) ([]systemResult, error) {
	earlier, _, err := readResult(folder)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var a, b bytes.Buffer
	if err := errors.Join(json.Compact(&a, settings), json.Compact(&b, earlier.Settings)); err != nil {
		return nil, err
	}
	if !bytes.Equal(a.Bytes(), b.Bytes()) {
		return nil, fmt.Errorf("%s has results of other settings: %s", folder, b.Bytes())
	}
	return earlier.Systems, nil
}

// add adds systems that the result does not have, and sorts all by the length of their training
// sentences.
func (r *result) add(systems []systemResult) {
	for _, s := range systems {
		if !slices.ContainsFunc(r.Systems, func(t systemResult) bool { return t.system == s.system }) {
			r.Systems = append(r.Systems, s)
		}
	}
	slices.SortFunc(r.Systems, func(a, b systemResult) int {
		return cmp.Or(cmp.Compare(a.Limit, b.Limit), cmp.Compare(a.Kind, b.Kind))
	})
}

// lastSearch returns the last system with attention, the zero value if there is none.
func (r *result) lastSearch() (last system) {
	for _, s := range r.Systems {
		if s.Kind == model.RNNsearch {
			last = s.system
		}
	}
	return last
}

// An origin says where and when a measurement was made.
type origin struct {
	Machine string `json:"machine"`
	Date    string `json:"date"`
}

func here() origin {
	machine := fmt.Sprintf("%s, %d processors, %s kernels, %s", cpuid.CPU.BrandName, runtime.NumCPU(), kernels.Best(), runtime.Version())
	return origin{machine, time.Now().UTC().Format(time.DateOnly)}
}

// A systemResult holds the measurements of a system.
type systemResult struct {
	system
	origin
	Pairs   int           `json:"pairs"`   // in the training text
	Weights int           `json:"weights"` // of the model
	All     score         `json:"all"`     // of all test sentences
	Known   score         `json:"no_unk"`  // of the test sentences whose words all models of the run know, translated without unknown words
	Lengths []lengthScore `json:"lengths"` // of all test sentences
}

// A system is a row of Table 1: an architecture and the maximum length of its training sentences in
// words.
type system struct {
	Kind  model.Kind `json:"kind"`
	Limit int        `json:"limit"`
}

// parseSystems returns the systems of a list of different names of files, separated by commas.
func parseSystems(names string) ([]system, error) {
	var list []system
	for name := range strings.SplitSeq(names, ",") {
		kind, limit, _ := strings.Cut(name, "-")
		n, err := strconv.Atoi(limit)
		s := system{model.Kind(kind), n}
		if err != nil || n < 1 || s.file() != name || slices.Contains(list, s) || s.Kind != model.RNNencdec && s.Kind != model.RNNsearch {
			return nil, fmt.Errorf("expected different names such as %s-30 and %s-50, not %q", model.RNNencdec, model.RNNsearch, name)
		}
		list = append(list, s)
	}
	return list, nil
}

func (s system) name() string {
	return map[model.Kind]string{model.RNNencdec: "RNNencdec", model.RNNsearch: "RNNsearch"}[s.Kind] + fmt.Sprintf("-%d", s.Limit)
}

// file returns the name of the system's files, without extension.
func (s system) file() string { return fmt.Sprintf("%s-%d", s.Kind, s.Limit) }

// text returns the name of the system's training text, without extension.
func (s system) text() string { return fmt.Sprintf("train-%d", s.Limit) }

// A score is the BLEU of a corpus and the interval that holds 95 % of its bootstrap samples.
type score struct {
	Sentences int     `json:"sentences"`
	BLEU      float64 `json:"bleu"`
	Low       float64 `json:"low"`
	High      float64 `json:"high"`
}

func (s score) String() string { return fmt.Sprintf("%.2f (%.1f–%.1f)", s.BLEU, s.Low, s.High) }

// A lengthScore is the score of the sentences whose source is in a range of lengths.
type lengthScore struct {
	First int     `json:"first"` // start of the range
	Words float64 `json:"words"` // mean length of the sources
	score
}

const resultFile = "result.json"

// writeJSON writes the result of an experiment to a folder.
func writeJSON(folder string, result any) error {
	encoded, err := json.MarshalIndent(result, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, resultFile), append(encoded, '\n'), 0o666)
}

// readResult reads the result in a folder and the summary of each system's log.
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

// A summary holds what the tables show of a training.
type summary struct {
	updates int
	epochs  int // started
	hours   float64
	speed   float64 // sentences per second of updates
	bleu    float64 // of the best model, in validation
}

// readSummary returns the summary of a log. A training that resumed from a checkpoint has repeated
// updates since then, but no validation.
func readSummary(path string) (summary, error) {
	records, err := trainlog.ReadFile(path)
	if err != nil {
		return summary{}, err
	}
	var s summary
	updating := 0.0 // time of the updates in seconds per sentence of a batch
	for _, r := range records {
		if r.Event != trainlog.EventValidation {
			continue
		}
		if r.SentencesPerSecond == nil {
			return s, fmt.Errorf("%s: validation after update %d without sentences_per_second", path, r.Update)
		}
		updating += float64(r.Update-s.updates) / *r.SentencesPerSecond
		s.updates, s.epochs, s.hours = r.Update, r.Epoch, r.Seconds/3600
		if r.Best != nil && *r.Best {
			s.bleu = *r.BLEU
		}
	}
	if s.updates == 0 {
		return s, fmt.Errorf("%s: no record of a validation", path)
	}
	s.speed = float64(s.updates) / updating
	return s, nil
}
