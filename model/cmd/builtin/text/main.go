// Command text writes the text from which the built-in models learn:
//
//	go run ./model/cmd/builtin/text [-reverse] CORPORA OUTPUT
//
// writes OUTPUT.en and OUTPUT.fr, pairs of lines from the corpora in the folder CORPORA (see [mixture]), without those
// that teach nothing or stand in a test, and with what corpora lack: names, headlines, and lines as people type them.
// The source is English, or French with -reverse. The same corpora give the same bytes.
package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/softsearch-go/softsearch/model/cmd/internal/files"
	"github.com/softsearch-go/softsearch/model/internal/portable"
)

// A pair is an English line and its French translation.
type pair [2]string

const english, french = 0, 1

var languages = [2]string{"en", "fr"}

// mixture lists the corpora: at most so many pairs of each, chosen at random, and how many times they stand in the text.
// The first time they stand as they are, then as people type them.
var mixture = []struct {
	file         string // train.*.gz stands for train.en.gz and train.fr.gz
	pairs, times int
}{
	{"tatoeba/train.*.gz", math.MaxInt, 4},
	{"open/prose.*.zst", math.MaxInt, 3},
	{"open/ui.*.zst", math.MaxInt, 2},
	{"open/docs.*.zst", math.MaxInt, 1},
	{"pydocs/train.*.gz", math.MaxInt, 2},
	{"laws/train.*.gz", 80_000, 1},
	{"europarl/train.*.zst", 1_200_000, 1},
}

// How many lines are made: of each frame with and without names, headlines, and lines in capitals.
const (
	named, constant = 300, 20
	headlines       = 8_000
	shouted         = 6_000
)

func main() {
	log.SetFlags(0)
	reverse := flag.Bool("reverse", false, "from French to English")
	flag.Parse()
	if flag.NArg() != 2 {
		log.Fatal("text [-reverse] CORPORA OUTPUT")
	}
	source := english
	if *reverse {
		source = french
	}
	if err := write(flag.Arg(0), flag.Arg(1), source); err != nil {
		log.Fatal(err)
	}
}

// write writes output.en and output.fr.
func write(corpora, output string, source int) error {
	var text [2]*bufio.Writer
	for side, language := range languages {
		f, err := os.Create(output + "." + language)
		if err != nil {
			return err
		}
		defer f.Close()
		text[side] = bufio.NewWriter(f)
	}
	add := func(p pair) {
		for side, line := range p {
			fmt.Fprintln(text[side], line)
		}
	}
	clean, err := newCleaner(corpora)
	if err != nil {
		return err
	}
	var titles []pair // lines that can be headlines
	for i, part := range mixture {
		g := portable.NewGenerator(1, uint64(i))
		pairs, err := readPairs(filepath.Join(corpora, part.file))
		if err != nil {
			return err
		}
		portable.Shuffle(g, pairs)
		kept := clean.pairs(part.file, pairs, part.pairs)
		for _, p := range kept {
			add(p)
			if n := len(strings.Fields(p[source])); 3 <= n && n <= 14 && !code(p) {
				titles = append(titles, p)
			}
		}
		for range part.times - 1 {
			for _, p := range kept {
				add(typed(g, p, source))
			}
		}
	}
	g := portable.NewGenerator(1, uint64(len(mixture)))
	for _, frame := range frames {
		n := constant
		if variable.MatchString(frame[english]) {
			n = named
		}
		for range n {
			p := filled(g, frame)
			if g.Chance(40) {
				p = lowered(g, unmarked(p), source)
			}
			add(p)
		}
	}
	portable.Shuffle(g, titles)
	for _, p := range titles[:min(shouted, len(titles))] {
		add(shout(g, p, source))
	}
	if source == english {
		for _, p := range titles[len(titles)-min(headlines, len(titles)):] {
			p = unmarked(p)
			add(pair{title(p[english]), p[french]})
		}
	}
	return errors.Join(text[english].Flush(), text[french].Flush())
}

// readPairs reads the files of both languages.
func readPairs(pattern string) ([]pair, error) {
	var pairs []pair
	for side, language := range languages {
		name := strings.Replace(pattern, "*", language, 1)
		lines, err := readLines(name)
		if err != nil {
			return nil, err
		}
		if side == 0 {
			pairs = make([]pair, len(lines))
		}
		if len(lines) != len(pairs) {
			return nil, fmt.Errorf("%s: %d lines, expected %d", name, len(lines), len(pairs))
		}
		for i, line := range lines {
			pairs[i][side] = line
		}
	}
	return pairs, nil
}

// readLines reads a file, which may be compressed.
func readLines(name string) ([]string, error) {
	in, err := files.Open(context.Background(), name)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	data, err := io.ReadAll(in)
	return strings.Split(strings.TrimSuffix(string(data), "\n"), "\n"), err
}
