package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/softsearch-go/softsearch/model/cmd/files"
)

// An alignment experiment trains a model of each direction, aligns the training text by both, and trains again,
// guided by the symmetrized alignments. Texts have the names train, valid and gold.
type alignment struct {
	text           map[string][2]string // of these names: English and French files
	gold           string               // file of alignments by hand, of English and French
	settings, work string
	rounds         int
	method, weight string
	threads        int
	stderr         io.Writer
}

func align(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	a := alignment{text: map[string][2]string{}, stderr: stderr}
	f := flag.NewFlagSet("align", flag.ContinueOnError)
	paths := map[string]*string{}
	for _, name := range []string{"train", "valid", "gold"} {
		for _, language := range []string{"en", "fr"} {
			paths[name+"-"+language] = f.String(name+"-"+language, "", "`file` of sentences, a line each")
		}
	}
	f.StringVar(&a.gold, "gold", "", "`file` of alignments by hand of --gold-en and --gold-fr")
	f.StringVar(&a.settings, "settings", "bench/paper/settings/hansards.json", "settings `file` for rnnsearch train")
	f.StringVar(&a.work, "work", "", "`folder` for text, checkpoints, models and alignments")
	f.IntVar(&a.rounds, "rounds", 2, "trainings of each direction, guided by the round before from the second on")
	f.StringVar(&a.method, "symmetrize", "grow-diag", "`way` to combine the alignments that guide, see rnnsearch aer")
	f.StringVar(&a.weight, "weight", "1", "guided-weight of rnnsearch train")
	f.IntVar(&a.threads, "threads", 2, "`number` of threads")
	if err := parse(f, args, stderr); err != nil {
		return err
	}
	for name, path := range paths {
		if *path == "" || a.gold == "" || a.work == "" || a.rounds < 1 {
			return fmt.Errorf("expected --%s, all other texts, --gold, --work and --rounds of at least 1", name)
		}
	}
	for _, name := range []string{"train", "valid", "gold"} {
		a.text[name] = [2]string{*paths[name+"-en"], *paths[name+"-fr"]}
	}
	return a.run(ctx, stdout)
}

// run prints the error rates of each round. What is complete in the folder stays as it is.
func (a *alignment) run(ctx context.Context, stdout io.Writer) error {
	if err := os.MkdirAll(a.work, 0o777); err != nil {
		return err
	}
	settings, err := filepath.Abs(a.settings)
	if err != nil {
		return err
	}
	t := trainer{folder: a.work, settings: settings, stderr: a.stderr}
	if err := t.build(ctx); err != nil {
		return err
	}
	for name, pair := range a.text {
		for side, language := range []string{"en", "fr"} {
			if err := t.write(name+"."+language, func(w io.Writer) error { return fold(w, pair[side], language, name == "gold") }); err != nil {
				return err
			}
		}
	}
	gold, err := filepath.Abs(a.gold)
	if err != nil {
		return err
	}
	for round := range a.rounds {
		for _, d := range directions {
			if err := a.train(ctx, &t, round, d); err != nil {
				return err
			}
		}
		if err := a.link(ctx, &t, "gold", round); err != nil {
			return err
		}
		for _, links := range [][2]string{{"attention", "attention"}, {"omission", "gold"}} {
			fmt.Fprintf(stdout, "round %d, %s\n", round+1, links[0])
			c := t.command(ctx, "aer", "--gold", gold, "--forward", directions[0].file(links[1], round), "--backward", directions[1].file(links[1], round))
			c.Stdout = stdout
			if err := c.Run(); err != nil {
				return err
			}
		}
		if round+1 < a.rounds {
			if err := a.link(ctx, &t, "train", round); err != nil {
				return err
			}
		}
	}
	return nil
}

// A direction is a source and a target language.
type direction struct{ source, target string }

var directions = [...]direction{{"en", "fr"}, {"fr", "en"}}

// file returns the name of the file of a round's alignments of a text.
func (d direction) file(text string, round int) string {
	return fmt.Sprintf("%s.%s-%s.%d", text, d.source, d.target, round+1)
}

// train trains the model of a round and aligns the gold text by its attention.
func (a *alignment) train(ctx context.Context, t *trainer, round int, d direction) error {
	model := d.file("model", round)
	args := []string{
		"train", "--settings", t.settings, "--threads", strconv.Itoa(a.threads), "--model", model, "--log", "json", "--log-file", model + ".jsonl",
		"--source", "train." + d.source, "--target", "train." + d.target, "--valid-source", "valid." + d.source, "--valid-target", "valid." + d.target,
	}
	if round > 0 {
		guide, back := d.file("guide", round), direction{d.target, d.source}
		if err := t.save(ctx, guide, "aer", "--forward", d.file("train", round-1), "--backward", back.file("train", round-1), "--symmetrize", a.method); err != nil {
			return err
		}
		args = append(args, "--guided-alignment", guide, "--guided-weight", a.weight)
	}
	if err := t.command(ctx, args...).Run(); err != nil {
		return fmt.Errorf("training %s: %w; run the same command to resume", model, err)
	}
	return t.save(ctx, d.file("attention", round), "align", "--tokens", "--threads", strconv.Itoa(a.threads), "--model", model, "--source", "gold."+d.source, "--target", "gold."+d.target)
}

// link writes the links of a text by the models of a round, in both directions.
func (a *alignment) link(ctx context.Context, t *trainer, text string, round int) error {
	var links [2][]string
	for side, d := range directions {
		err := t.write(d.file(text, round), func(w io.Writer) (err error) {
			if links[side] == nil {
				var models, texts [2]string
				for i, d := range directions {
					models[i], texts[i] = filepath.Join(a.work, d.file("model", round)), filepath.Join(a.work, text+"."+d.source)
				}
				if links, err = omissions(ctx, models, texts, a.threads); err != nil {
					return err
				}
			}
			_, err = io.WriteString(w, strings.Join(links[side], "\n")+"\n")
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// fold writes a file without case and accents. Unless it is tokenized, as the text aligned by hand is, it divides
// the lines into the tokens of that text, in which French elisions and contractions are whole words.
func fold(w io.Writer, path, language string, tokenized bool) error {
	in, err := files.Open(path)
	if err != nil {
		return err
	}
	defer in.Close()
	out := bufio.NewWriter(w)
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		line := accents.Replace(strings.ToLower(lines.Text()))
		if !tokenized {
			line = tokens(line, language)
		}
		fmt.Fprintln(out, line)
	}
	return errors.Join(lines.Err(), out.Flush())
}

var accents = strings.NewReplacer("à", "a", "â", "a", "ä", "a", "é", "e", "è", "e", "ê", "e", "ë", "e", "î", "i", "ï", "i", "ô", "o", "ö", "o",
	"ù", "u", "û", "u", "ü", "u", "ç", "c", "œ", "oe", "æ", "ae", "’", "'")

var token = regexp.MustCompile(`[a-z]+'|(?:mr|hon|mrs|dr)\.|[0-9]+(?:[.,][0-9]+)*|[\pL]+|\S`)

var whole = map[string]string{
	"l'": "le", "d'": "de", "qu'": "que", "n'": "ne", "s'": "se", "j'": "je", "c'": "ce", "m'": "me", "t'": "te",
	"jusqu'": "jusque", "lorsqu'": "lorsque", "quelqu'": "quelque", "puisqu'": "puisque",
	"du": "de le", "des": "de les", "au": "a le", "aux": "a les", "aujourd'": "aujourd'",
}

func tokens(line, language string) string {
	list := token.FindAllString(line, -1)
	for i, word := range list {
		if other, ok := whole[word]; ok && language == "fr" {
			list[i] = other
		} else if stem, cut := strings.CutSuffix(word, "'"); cut && stem != "" {
			list[i] = stem + " '"
		}
	}
	line = strings.Join(list, " ")
	if language == "en" {
		line = possessive.ReplaceAllString(line, " 's$1")
	}
	return line
}

var possessive = regexp.MustCompile(` ' s( |$)`)
