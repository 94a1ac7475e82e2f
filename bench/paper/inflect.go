package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/softsearch-go/softsearch/model/cmd/files"
)

// An inflection experiment trains models of several seeds for each language of task 1 of SIGMORPHON 2016, and counts
// the forms that the first model and the ensemble of all find.
type inflection struct {
	data, results string
	languages     []string
	seeds, jobs   int
	recipe        []string // flags of rnnsearch train
	*trainer
}

func inflect(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	x := inflection{trainer: &trainer{stderr: stderr}}
	f := flag.NewFlagSet("inflect", flag.ContinueOnError)
	f.StringVar(&x.data, "data", "", "`folder` of LANGUAGE-task1-train.gz, -dev.gz and -test.gz: lemma, features and form, separated by tabs")
	f.StringVar(&x.folder, "work", "", "`folder` for text, checkpoints, models and forms")
	f.StringVar(&x.results, "results", "bench/paper/results/sigmorphon2016", "`folder` for results and the logs of the first seed")
	settings := f.String("settings", "", "settings `file` for rnnsearch train (default: its recipe characters)")
	languages := f.String("languages", "arabic,german,hungarian,russian,spanish,turkish", "`list` of languages")
	f.IntVar(&x.seeds, "seeds", 5, "`number` of models of each language")
	f.IntVar(&x.jobs, "jobs", runtime.NumCPU(), "`number` of trainings at a time, of one thread each")
	if err := parse(f, args, stderr); err != nil {
		return err
	}
	if x.data == "" || x.folder == "" || x.seeds < 1 || x.jobs < 1 {
		return errors.New("expected --data, --work, and --seeds and --jobs of at least 1")
	}
	x.languages, x.recipe = strings.Split(*languages, ","), []string{"--recipe", "characters"}
	if *settings != "" {
		path, err := filepath.Abs(*settings)
		if err != nil {
			return err
		}
		x.recipe = []string{"--settings", path}
	}
	return x.run(ctx, stdout)
}

// run decodes the test when all models of all languages are there. What is complete in the folder stays as it is.
func (x *inflection) run(ctx context.Context, stdout io.Writer) error {
	if err := errors.Join(os.MkdirAll(x.folder, 0o777), os.MkdirAll(x.results, 0o777)); err != nil {
		return err
	}
	if err := x.build(ctx); err != nil {
		return err
	}
	for _, language := range x.languages {
		for _, part := range []string{"train", "dev", "test"} {
			if err := x.text(language, part); err != nil {
				return err
			}
		}
	}
	if err := x.trainAll(ctx, stdout); err != nil {
		return err
	}
	r := inflections{origin: here()}
	for _, language := range x.languages {
		l, err := x.evaluate(ctx, language)
		if err != nil {
			return err
		}
		r.Languages = append(r.Languages, l)
		fmt.Fprintf(stdout, "%s: dev %v, test %v, by one model and by all %d\n", language, l.Dev, l.Test, x.seeds)
	}
	return writeJSON(x.results, &r)
}

// text writes the features and the letters of the lemmas, and the letters of the forms, as words.
func (x *inflection) text(language, part string) error {
	in, err := files.Open(filepath.Join(x.data, language+"-task1-"+part+".gz"))
	if err != nil {
		return err
	}
	defer in.Close()
	var source, target strings.Builder
	lines := bufio.NewScanner(in)
	for n := 1; lines.Scan(); n++ {
		field := strings.Split(lines.Text(), "\t")
		if len(field) != 3 {
			return fmt.Errorf("%s-task1-%s.gz: line %d: expected lemma, features and form, separated by tabs", language, part, n)
		}
		fmt.Fprintln(&source, strings.ReplaceAll(strings.ReplaceAll(field[1], " ", "_"), ",", " "), letters(field[0]))
		fmt.Fprintln(&target, letters(field[2]))
	}
	copyTo := func(b *strings.Builder) func(io.Writer) error {
		return func(w io.Writer) error { _, err := io.WriteString(w, b.String()); return err }
	}
	name := language + "." + part
	return errors.Join(lines.Err(), x.write(name+".in", copyTo(&source)), x.write(name+".out", copyTo(&target)))
}

// letters returns the characters of a word separated by spaces.
func letters(word string) string {
	return strings.Join(strings.Split(strings.ReplaceAll(word, " ", "_"), ""), " ")
}

// trainAll trains the first seed of every language, then the second, and so on, some at a time.
func (x *inflection) trainAll(ctx context.Context, stdout io.Writer) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	free := make(chan struct{}, x.jobs)
	var running sync.WaitGroup
	for seed := range x.seeds {
		for _, language := range x.languages {
			free <- struct{}{}
			running.Go(func() {
				defer func() { <-free }()
				if ctx.Err() != nil {
					return
				}
				name := modelFile(language, seed)
				args := slices.Concat([]string{"train"}, x.recipe, []string{
					"--seed", strconv.Itoa(seed + 1), "--threads", "1", "--model", name, "--log", "json", "--log-file", name + ".jsonl",
					"--source", language + ".train.in", "--target", language + ".train.out", "--valid-source", language + ".dev.in", "--valid-target", language + ".dev.out",
				})
				if err := x.command(ctx, args...).Run(); err != nil {
					cancel(fmt.Errorf("training %s: %w; run the same command to resume", name, err))
				}
			})
		}
	}
	running.Wait()
	return context.Cause(ctx)
}

// modelFile returns the name of a model in the folder.
func modelFile(language string, seed int) string {
	return fmt.Sprintf("%s-%d.safetensors", language, seed+1)
}

// evaluate finds the forms of dev and test by the first model and by all, and copies the log of the first.
func (x *inflection) evaluate(ctx context.Context, language string) (l inflected, err error) {
	l.Language = language
	for seed := range x.seeds {
		s, err := readSummary(filepath.Join(x.folder, modelFile(language, seed)+".jsonl"))
		if err != nil {
			return l, err
		}
		l.Minutes = append(l.Minutes, math.Round(600*s.hours)/10)
	}
	if err := x.copyLog(modelFile(language, 0), filepath.Join(x.results, language+".jsonl")); err != nil {
		return l, err
	}
	for _, models := range slices.Compact([]int{1, x.seeds}) {
		for part, list := range map[string]*[]accuracy{"dev": &l.Dev, "test": &l.Test} {
			text := language + "." + part
			output := fmt.Sprintf("%s.%d", text, models)
			args := []string{"translate", "--quiet", "--beam", strconv.Itoa(inflectionBeam), "--input", text + ".in"}
			for seed := range models {
				args = append(args, "--model", modelFile(language, seed))
			}
			if err := x.save(ctx, output, args...); err != nil {
				return l, err
			}
			a, err := compareLines(filepath.Join(x.folder, output), filepath.Join(x.folder, text+".out"))
			if err != nil {
				return l, err
			}
			*list = append(*list, a)
		}
	}
	return l, nil
}

const inflectionBeam = 12

// inflections are the results of an inflection experiment.
type inflections struct {
	origin
	Languages []inflected `json:"languages"`
}

// An inflected holds the measurements of a language. Dev and Test have the accuracy of the first model and, if there
// are several, of the ensemble of all.
type inflected struct {
	Language string     `json:"language"`
	Minutes  []float64  `json:"minutes"` // of the training of each seed
	Dev      []accuracy `json:"dev"`
	Test     []accuracy `json:"test"`
}

// An accuracy counts forms that equal the reference.
type accuracy struct {
	Correct int `json:"correct"`
	Forms   int `json:"forms"`
}

func (a accuracy) percent() float64 { return 100 * float64(a.Correct) / float64(a.Forms) }

// String returns percent and the Wilson score interval of 95 % (Wilson, 1927).
func (a accuracy) String() string {
	const z = 1.959964
	n := float64(a.Forms)
	p := float64(a.Correct) / n
	center := (p + z*z/(2*n)) / (1 + z*z/n)
	half := z / (1 + z*z/n) * math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	return fmt.Sprintf("%.2f (%.1f–%.1f)", 100*p, 100*(center-half), 100*(center+half))
}

// compareLines counts the equal lines of two files, which must have equally many.
func compareLines(path, reference string) (a accuracy, err error) {
	var list [2][]string
	for i, p := range []string{path, reference} {
		content, err := os.ReadFile(p)
		if err != nil {
			return a, err
		}
		list[i] = strings.Split(strings.TrimSuffix(string(content), "\n"), "\n")
	}
	if len(list[0]) != len(list[1]) {
		return a, fmt.Errorf("%s: %d lines, expected %d as in %s", path, len(list[0]), len(list[1]), reference)
	}
	for i, line := range list[0] {
		if line == list[1][i] {
			a.Correct++
		}
	}
	a.Forms = len(list[1])
	return a, nil
}

// winner has the accuracy on test of the ensemble of five models that won the competition (Kann and Schütze, 2016).
var winner = map[string]float64{"arabic": 95.47, "german": 95.80, "hungarian": 99.30, "russian": 91.46, "spanish": 98.84, "turkish": 98.93}

// inflectTable shows the result of an inflection experiment beside the winner's.
func inflectTable(folder string) (string, error) {
	encoded, err := os.ReadFile(filepath.Join(folder, resultFile))
	if err != nil {
		return "", err
	}
	var r inflections
	if err := json.Unmarshal(encoded, &r); err != nil || len(r.Languages) == 0 {
		return "", fmt.Errorf("%s: expected the result of paper inflect: %v", folder, err)
	}
	var b strings.Builder
	names := []string{"one model", fmt.Sprintf("%d models", len(r.Languages[0].Minutes))}[:len(r.Languages[0].Test)]
	fmt.Fprintf(&b, "%s, %s.\n\n| language | forms | the winner's five | %s | dev, %s | minutes |\n", r.Machine, r.Date, strings.Join(names, " | "), strings.Join(names, " | dev, "))
	fmt.Fprintln(&b, strings.Repeat("| --- ", 4+2*len(names))+"|")
	mean := make([]float64, 1+2*len(names))
	for _, l := range r.Languages {
		fmt.Fprintf(&b, "| %s | %d | %.2f ", strings.ToUpper(l.Language[:1])+l.Language[1:], l.Test[0].Forms, winner[l.Language])
		mean[0] += winner[l.Language]
		for i, a := range slices.Concat(l.Test, l.Dev) {
			fmt.Fprintf(&b, "| %v ", a)
			mean[1+i] += a.percent()
		}
		fmt.Fprintf(&b, "| %.1f |\n", slices.Min(l.Minutes))
	}
	b.WriteString("| mean | ")
	for _, sum := range mean {
		fmt.Fprintf(&b, "| %.2f ", sum/float64(len(r.Languages)))
	}
	b.WriteString("| |\n")
	return b.String(), nil
}
