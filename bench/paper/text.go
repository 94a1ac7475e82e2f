package main

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/grammar"
	"github.com/softsearch-go/softsearch/model/text"
	"github.com/softsearch-go/softsearch/model/text/pipeline"
)

// generate writes the text of the experiment builtin to train.en, train.fr, val.en and so on. The test has 100 sentences
// of each range of lengths: 1 to 10 words, 11 to 20 and so on, and above 70.
func generate(folder string) error {
	train, heldOut := grammar.Pairs(1, 60_000, 20_000)
	var test []text.Pair
	var found [8]int
	for _, p := range heldOut[500:] {
		if i := min((len(p.Source)-1)/10, 7); found[i] < 100 {
			found[i]++
			test = append(test, p)
		}
	}
	for name, pairs := range map[string][]text.Pair{"train": train, "val": heldOut[:500], "test": test} {
		var english, french strings.Builder
		for _, p := range pairs {
			fmt.Fprintln(&english, strings.Join(p.Source, " "))
			fmt.Fprintln(&french, strings.Join(p.Target, " "))
		}
		for language, b := range map[string]*strings.Builder{"en": &english, "fr": &french} {
			if err := os.WriteFile(filepath.Join(folder, name+"."+language), []byte(b.String()), 0o666); err != nil {
				return err
			}
		}
	}
	return nil
}

// tokenize writes the tokens of the lines of standard input.
func tokenize(language string) error {
	p, err := pipeline.New(pipeline.Settings{Language: language})
	if err != nil {
		return err
	}
	return eachLine(func(line string) string { return strings.Join(p.Tokenize(line), " ") })
}

// known writes 1 for each line of standard input, a pair separated by a tab, whose words all models know, and 0 for the others.
func known(paths []string) error {
	var models []*model.Model
	for _, path := range paths {
		m, err := model.Open(path)
		if err != nil {
			return err
		}
		models = append(models, m)
	}
	return eachLine(func(line string) string {
		source, target, _ := strings.Cut(line, "\t")
		for _, m := range models {
			ids := append(m.Source.Encode(m.SourceText.Segment(strings.Fields(source))), m.Target.Encode(m.TargetText.Segment(strings.Fields(target)))...)
			for _, id := range ids {
				if id == text.UNK {
					return "0"
				}
			}
		}
		return "1"
	})
}

// eachLine writes what f returns for each line of standard input.
func eachLine(f func(line string) string) error {
	in, out := bufio.NewScanner(os.Stdin), bufio.NewWriter(os.Stdout)
	in.Buffer(nil, 1<<20)
	for in.Scan() {
		fmt.Fprintln(out, f(in.Text()))
	}
	if err := in.Err(); err != nil {
		return err
	}
	return out.Flush()
}
