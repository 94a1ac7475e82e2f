package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// trainings are the rows of the table of trainings on captions as they are: NAME.jsonl is the log
// of rnnsearch train, NAME.bleu what rnnsearch bleu --confidence printed of the test. An ensemble
// has no log of its own.
var trainings = []struct {
	name, file string
	ensemble   bool
}{
	{"our recipe, seed 1", "seed-1", false},
	{"our recipe, seed 2", "seed-2", false},
	{"our recipe, seed 3", "seed-3", false},
	{"ensemble of the three", "ensemble", true},
	{"the paper's recipe", "paper", false},
}

// published is the table of what trainings took and came to.
func published(folder string) (string, error) {
	var b strings.Builder
	b.WriteString("| model | updates | epochs | hours | sentences/s | validation, greedy | test | 13a | chrF2 |\n")
	b.WriteString("| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n")
	for _, t := range trainings {
		fmt.Fprintf(&b, "| %s | ", t.name)
		if t.ensemble {
			b.WriteString("| | | | ")
		} else {
			s, err := readSummary(filepath.Join(folder, t.file+".jsonl"))
			if err != nil {
				return "", err
			}
			fmt.Fprintf(&b, "%d | %d | %.1f | %.0f | %.1f ", s.updates, s.epochs, s.hours, s.speed, s.bleu)
		}
		scores, err := readScores(filepath.Join(folder, t.file+".bleu"))
		if err != nil {
			return "", err
		}
		for _, s := range scores {
			fmt.Fprintf(&b, "| %s ", s)
		}
		b.WriteString("|\n")
	}
	return b.String(), nil
}

// readScores reads the table that rnnsearch bleu --confidence prints: BLEU, BLEU 13a and chrF2.
func readScores(path string) ([]score, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	_, table, _ := strings.Cut(string(content), "low     high\n")
	var scores []score
	for _, name := range []string{"BLEU", "BLEU 13a", "chrF2"} {
		var s score
		row, rest, _ := strings.Cut(table, "\n")
		values, ok := strings.CutPrefix(row, name+" ")
		if _, err := fmt.Sscan(values, &s.BLEU, &s.Low, &s.High); !ok || err != nil {
			return nil, fmt.Errorf("%s: expected the scores of rnnsearch bleu --confidence", path)
		}
		scores = append(scores, s)
		table = rest
	}
	return scores, nil
}
