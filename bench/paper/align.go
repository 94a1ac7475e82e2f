package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/softsearch-go/softsearch/model/cmd/figure"
	"github.com/softsearch-go/softsearch/model/text"
	"github.com/softsearch-go/softsearch/model/text/pipeline"
)

// An alignment experiment trains a first model of each direction on sentences, and from there a second one on joined
// sentences. It links the words of a text that is also linked by hand, by attention and by the agreement of all models.
type alignment struct {
	text          map[string][2]string // of the names train, valid and that of gold: English and French files
	gold, results string
	updates       int // of the first models
	threads       int
	*trainer
}

func align(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	a := alignment{trainer: &trainer{stderr: stderr}}
	f := flag.NewFlagSet("align", flag.ContinueOnError)
	paths := map[string]*string{}
	for _, name := range []string{"train", "valid", "gold"} {
		for _, language := range []string{"en", "fr"} {
			paths[name+"-"+language] = f.String(name+"-"+language, "", "`file` of sentences, a line each")
		}
	}
	f.StringVar(&a.gold, "gold", "", "`file` of alignments by hand of --gold-en and --gold-fr, whose name results have")
	settings := f.String("settings", "bench/paper/settings/hansards.json", "settings `file` for rnnsearch train")
	f.StringVar(&a.folder, "work", "", "`folder` for text, checkpoints, models and alignments")
	f.StringVar(&a.results, "results", "bench/paper/results/hansards", "`folder` for error rates, a figure and the logs")
	f.IntVar(&a.updates, "first-updates", 5000, "`number` of updates of the first models, on sentences one by one")
	f.IntVar(&a.threads, "threads", 2, "`number` of threads")
	if err := parse(f, args, stderr); err != nil {
		return err
	}
	for name, path := range paths {
		if *path == "" || a.gold == "" || a.folder == "" {
			return fmt.Errorf("expected --%s, all other texts, --gold and --work", name)
		}
	}
	a.text = map[string][2]string{}
	for name, file := range map[string]string{"train": "train", "valid": "valid", a.name(): "gold"} {
		a.text[name] = [2]string{*paths[file+"-en"], *paths[file+"-fr"]}
	}
	if len(a.text) != 3 || a.name() == "joined" {
		return fmt.Errorf("%s: expected another name, which is that of its text in the folder", a.gold)
	}
	var err error
	if a.trainer.settings, err = filepath.Abs(*settings); err != nil {
		return err
	}
	return a.run(ctx, stdout)
}

// name returns the name of the text that is linked by hand.
func (a *alignment) name() string {
	return strings.TrimSuffix(filepath.Base(a.gold), filepath.Ext(a.gold))
}

// run prints the error rates. Text and models that are complete in the folder stay as they are.
func (a *alignment) run(ctx context.Context, stdout io.Writer) error {
	if err := errors.Join(os.MkdirAll(a.folder, 0o777), os.MkdirAll(a.results, 0o777)); err != nil {
		return err
	}
	if err := a.build(ctx); err != nil {
		return err
	}
	for name, pair := range a.text {
		for side, language := range languages {
			if err := a.write(name+"."+language, func(w io.Writer) error { return fold(w, pair[side], language, name == a.name()) }); err != nil {
				return err
			}
		}
	}
	for _, d := range directions {
		if err := a.train(ctx, d.first(), "train", d, "--updates", strconv.Itoa(a.updates)); err != nil {
			return err
		}
	}
	if err := a.join(); err != nil {
		return err
	}
	for _, d := range directions {
		// A batch has about as many words as the 64 sentences of the first training.
		if err := a.train(ctx, d.second(), "joined", d, "--init", d.first(), "--batch", "32"); err != nil {
			return err
		}
	}
	return errors.Join(a.linkByAttention(ctx, stdout), a.linkByAgreement(ctx, stdout))
}

var languages = [...]string{"en", "fr"}

// A direction is a source and a target language.
type direction struct{ source, target string }

var directions = [...]direction{{"en", "fr"}, {"fr", "en"}}

func (d direction) String() string { return d.source + "-" + d.target }

// first and second return the names of the models of a direction.
func (d direction) first() string  { return "first." + d.String() }
func (d direction) second() string { return "second." + d.String() }

// train trains a model of a direction on a text.
func (a *alignment) train(ctx context.Context, model, name string, d direction, flags ...string) error {
	log := model + ".jsonl"
	args := slices.Concat([]string{
		"train", "--settings", a.trainer.settings, "--threads", strconv.Itoa(a.threads), "--model", model, "--log", "json", "--log-file", log,
		"--source", name + "." + d.source, "--target", name + "." + d.target, "--valid-source", "valid." + d.source, "--valid-target", "valid." + d.target,
	}, flags)
	if err := a.command(ctx, args...).Run(); err != nil {
		return fmt.Errorf("training %s: %w; run the same command to resume", model, err)
	}
	return a.copyLog(model, filepath.Join(a.results, log))
}

// join writes the training text with one to maxJoinedPairs consecutive sentences in a line in turn.
func (a *alignment) join() error {
	pairs, err := readPairs([2]string{a.path("train.en"), a.path("train.fr")}, [2]pipeline.Pipeline{})
	if err != nil {
		return err
	}
	pairs = joinInTurn(pairs, maxJoinedPairs)
	return errors.Join(writeSentences(a.path("joined.en"), text.Sources(pairs)), writeSentences(a.path("joined.fr"), text.Targets(pairs)))
}

const maxJoinedPairs = 3

func (a *alignment) path(name string) string { return filepath.Join(a.folder, name) }

// linkByAttention links each target word to the source word with its largest weight in the second model.
func (a *alignment) linkByAttention(ctx context.Context, stdout io.Writer) error {
	var files [2]string
	for side, d := range directions {
		files[side] = a.name() + ".attention." + d.String()
		if err := a.save(ctx, files[side], "align", "--tokens", "--threads", strconv.Itoa(a.threads), "--model", d.second(), "--source", a.name()+"."+d.source, "--target", a.name()+"."+d.target); err != nil {
			return err
		}
	}
	return a.rate(ctx, stdout, "attention", files)
}

// linkByAgreement links words by the agreement of all models, and draws two sentences.
func (a *alignment) linkByAgreement(ctx context.Context, stdout io.Writer) error {
	pairs, err := readLinked([2]string{a.path(a.name() + ".en"), a.path(a.name() + ".fr")}, a.gold)
	if err != nil {
		return err
	}
	var models [2][]string
	for side, d := range directions {
		models[side] = []string{a.path(d.first()), a.path(d.second())}
	}
	if err := agreements(ctx, models, pairs, a.threads); err != nil {
		return err
	}
	var files [2]string
	for side, d := range directions {
		var b strings.Builder
		for _, p := range pairs {
			fmt.Fprintln(&b, p.links(side))
		}
		files[side] = a.name() + ".agreement." + d.String()
		if err := os.WriteFile(filepath.Join(a.folder, files[side]), []byte(b.String()), 0o666); err != nil {
			return err
		}
	}
	if err := a.rate(ctx, stdout, "agreement", files); err != nil {
		return err
	}
	return writeSVG(filepath.Join(a.results, a.name()+".svg"), figure.Alignments(bestAndWorst(pairs)))
}

// rate compares the links in files of both directions with those by hand.
func (a *alignment) rate(ctx context.Context, stdout io.Writer, way string, files [2]string) error {
	gold, err := filepath.Abs(a.gold)
	if err != nil {
		return err
	}
	var rates bytes.Buffer
	c := a.command(ctx, "aer", "--gold", gold, "--forward", files[0], "--backward", files[1])
	c.Stdout = &rates
	if err := c.Run(); err != nil {
		return err
	}
	fmt.Fprintf(stdout, "%s\n%s", way, rates.Bytes())
	return os.WriteFile(filepath.Join(a.results, a.name()+"."+way+".aer"), rates.Bytes(), 0o666)
}

// alignTable shows the alignment error rates of all texts linked by hand.
func alignTable(folder string) (string, error) {
	var b strings.Builder
	b.WriteString("| text | links by | en→fr | fr→en | intersection | union | grow-diag | grow-diag-final |\n| --- | --- | --- | --- | --- | --- | --- | --- |\n")
	paths, err := filepath.Glob(filepath.Join(folder, "*.attention.aer"))
	if err != nil || len(paths) == 0 {
		return "", fmt.Errorf("%s: no results of paper align: %v", folder, err)
	}
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".attention.aer")
		for _, way := range []string{"attention", "agreement"} {
			content, err := os.ReadFile(filepath.Join(folder, name+"."+way+".aer"))
			if err != nil {
				return "", err
			}
			fmt.Fprintf(&b, "| %s | %s ", name, way)
			rows := strings.Split(strings.TrimSpace(string(content)), "\n")
			for _, row := range rows[1:] {
				field := strings.Fields(row)
				if len(field) != 7 {
					return "", fmt.Errorf("%s.%s.aer: %q: expected the output of rnnsearch aer for both directions", name, way, row)
				}
				fmt.Fprintf(&b, "| %s (%s–%s) ", field[4], field[5], field[6])
			}
			b.WriteString("|\n")
		}
	}
	return b.String(), nil
}
