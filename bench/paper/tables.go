package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/softsearch-go/softsearch/bench/markdown"
)

// page updates the tables of a page from the results beside it.
func page(_ context.Context, args []string, _, stderr io.Writer) error {
	f := flag.NewFlagSet("page", flag.ContinueOnError)
	path := f.String("page", "bench/paper/README.md", "`file` whose tables to update, beside the folder results")
	check := f.Bool("check", false, "do not write, but fail if the tables are out of date")
	if err := parse(f, args, stderr); err != nil {
		return err
	}
	return markdown.Update(*path, "paper", *check, func(table, names string) (string, error) {
		var folders []string
		for name := range strings.FieldsSeq(names) {
			folders = append(folders, filepath.Join(filepath.Dir(*path), "results", name))
		}
		if tables[table] == nil || len(folders) == 0 {
			return "", fmt.Errorf("no table %q of results %q", table, names)
		}
		return tables[table](folders)
	})
}

// tables are the tables of the page by the names in its markers. Each is made from folders of results,
// at least one.
var tables = map[string]func(folders []string) (string, error){
	"table1": table1, "published": ofOne(published), "align": ofOne(alignTable), "inflect": ofOne(inflectTable),
}

// ofOne returns a function that makes a table from the first folder.
func ofOne(table func(folder string) (string, error)) func([]string) (string, error) {
	return func(folders []string) (string, error) { return table(folders[0]) }
}

// table1 shows BLEU as the paper's Table 1, the duration of each training, and on which computers and
// dates the experiments were made.
func table1(folders []string) (string, error) {
	var b strings.Builder
	b.WriteString("| results | model | minutes | all texts | normalized | of | without unknown words | of |\n| --- | --- | --- | --- | --- | --- | --- | --- |\n")
	var machines []string
	experiments, dates := map[string][]string{}, map[string][]string{}
	for _, folder := range folders {
		r, summaries, err := readResult(folder)
		if err != nil {
			return "", err
		}
		name := filepath.Base(folder)
		for i, s := range r.Systems {
			normalized, err := normalizedScore(filepath.Join(folder, s.file()+".bleu"))
			if err != nil {
				return "", err
			}
			fmt.Fprintf(&b, "| [%s](results/%[1]s) | %s | %.0f | %s | %s | %d | %s | %d |\n",
				name, s.name(), 60*summaries[i].hours, s.All, normalized, s.All.Sentences, s.Known, s.Known.Sentences)
			machines = withNew(machines, s.Machine)
			experiments[s.Machine] = withNew(experiments[s.Machine], name)
			dates[s.Machine] = withNew(dates[s.Machine], s.Date)
		}
	}
	b.WriteString("\n")
	for _, m := range machines {
		fmt.Fprintf(&b, "%s: %s, %s.\n", strings.Join(experiments[m], ", "), m, strings.Join(slices.Sorted(slices.Values(dates[m])), " and "))
	}
	return b.String(), nil
}

// withNew returns a list with an item that it may have already.
func withNew(list []string, item string) []string {
	if slices.Contains(list, item) {
		return list
	}
	return append(list, item)
}

// normalizedScore returns the score of translations ranked with length normalization, from a file with
// the output of rnnsearch bleu --confidence. Without the file it returns nothing.
func normalizedScore(path string) (string, error) {
	scores, err := readScores(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return "", nil
	case err != nil:
		return "", err
	}
	return scores[0].String(), nil
}

// trainings are the rows of the table of trainings on unjoined captions: NAME.jsonl is the log of
// rnnsearch train, and NAME.bleu the output of rnnsearch bleu --confidence for the test. An ensemble
// has no log.
var trainings = []struct {
	name, file string
	ensemble   bool
}{
	{"our recipe, seed 1", "seed-1", false},
	{"our recipe, seed 2", "seed-2", false},
	{"our recipe, seed 3", "seed-3", false},
	{"ensemble of the three", "ensemble", true},
	{"the paper's recipe", "paper", false},
	{"our recipe, seed 2, in bfloat16", "seed-2-bf16", false},
}

// published shows the trainings on unjoined captions and their scores.
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

// readScores reads the table of rnnsearch bleu --confidence: BLEU, BLEU 13a and chrF2.
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
			return nil, fmt.Errorf("%s: expected the output of rnnsearch bleu --confidence", path)
		}
		scores = append(scores, s)
		table = rest
	}
	return scores, nil
}
