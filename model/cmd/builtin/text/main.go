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
	_ "embed"
	"flag"
	"fmt"
	"io"
	"log"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/softsearch-go/softsearch/model/cmd/internal/files"
	"github.com/softsearch-go/softsearch/model/internal/random"
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
	{"tatoeba/train.*.gz", math.MaxInt, 3},
	{"open/prose.*.zst", math.MaxInt, 2},
	{"open/ui.*.zst", math.MaxInt, 2},
	{"open/docs.*.zst", 60_000, 1},
	{"pydocs/train.*.gz", math.MaxInt, 1},
	{"laws/train.*.gz", 80_000, 1},
	{"europarl/train.*.zst", 750_000, 1},
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

// write writes the text of a source language beside each other, output.en and output.fr.
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
	var short []pair // sentences for headlines
	for i, part := range mixture {
		g := random.New(63, uint64(i))
		pairs, err := readPairs(filepath.Join(corpora, part.file))
		if err != nil {
			return err
		}
		random.Shuffle(g, pairs)
		kept := clean.pairs(part.file, pairs, part.pairs)
		for _, p := range kept {
			add(p)
			if n := len(strings.Fields(p[source])); 3 <= n && n <= 14 && i != 2 && !code(p) {
				short = append(short, p)
			}
		}
		for range part.times - 1 {
			for _, p := range kept {
				add(typed(g, p, source))
			}
		}
	}
	g := random.New(63, uint64(len(mixture)))
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
	random.Shuffle(g, short)
	for _, p := range short[:min(shouted, len(short))] {
		add(shout(g, p, source))
	}
	if source == english {
		for _, p := range short[len(short)-min(headlines, len(short)):] {
			p = unmarked(p)
			add(pair{title(p[english]), p[french]})
		}
	}
	for _, w := range text {
		if err := w.Flush(); err != nil {
			return err
		}
	}
	return nil
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

// In frames, W, H, N and T stand for a woman's, a man's, a family's and a town's name, O and U for another family's and
// town's, and # for a digit. A name that differs in French is London/Londres.
var (
	//go:embed frames.tsv
	framesFile string
	//go:embed names.tsv
	namesFile string

	frames = tabbed(framesFile)
	names  = map[string][]string{}

	variable = regexp.MustCompile(`\b[WHNOTU]\b|#`)
	elision  = regexp.MustCompile(`\b([Dd]|[Qq]u)e ([AEIOUÉÁÖ])`)
)

func init() {
	for line := range strings.Lines(namesFile) {
		fields := strings.Split(strings.TrimSpace(line), "\t")
		names[fields[0]] = append(names[fields[0]], fields[1:]...)
	}
	names["O"], names["U"] = names["N"], names["T"]
}

func tabbed(file string) (list []pair) {
	for line := range strings.Lines(file) {
		en, fr, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		list = append(list, pair{en, fr})
	}
	return list
}

// filled returns a frame with names and digits, the same ones on both sides.
func filled(g *random.Generator, frame pair) pair {
	values := map[string]pair{}
	for side, line := range frame {
		digits := 0
		frame[side] = variable.ReplaceAllStringFunc(line, func(v string) string {
			if v == "#" {
				digits++
				v = fmt.Sprint(digits)
			}
			if _, ok := values[v]; !ok {
				values[v] = value(g, v)
			}
			return values[v][side]
		})
	}
	frame[french] = elision.ReplaceAllString(frame[french], "$1'$2")
	return frame
}

// value returns a name in both languages, a third of the time one made of halves of two, or a digit.
func value(g *random.Generator, variable string) pair {
	list := names[variable]
	if list == nil {
		digit := fmt.Sprint(1 + g.Below(9))
		return pair{digit, digit}
	}
	en, fr, differs := strings.Cut(random.Pick(g, list), "/")
	if !differs {
		fr = en
	}
	if g.Chance(33) {
		a, b := []rune(fr), []rune(random.Pick(g, list))
		en = string(a[:(len(a)+1)/2]) + strings.ToLower(string(b[len(b)/2:]))
		en, _, _ = strings.Cut(en, "/")
		fr = en
	}
	return pair{en, fr}
}
