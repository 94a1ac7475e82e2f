// Command text writes the text that the corpora of the built-in models lack: sentences with names, places,
// times and amounts that no corpus has, and sentences as people type them, without capitals and full stops.
//
//	go run ./model/cmd/builtin/text -source train.en -target train.fr -output made
//
// writes made.en and made.fr, line by line; with -short, what people type first instead: words alone, greetings, amounts
// and headlines. With -reverse, the files and made are those of French–English. The same corpus gives the same bytes.
package main

import (
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"log"
	"math/rand/v2"
	"os"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// invented is the number of sentences with invented names.
const invented = 30_000

func main() {
	log.SetFlags(0)
	source := flag.String("source", "", "`file` of everyday sentences")
	target := flag.String("target", "", "`file` of their translations")
	output := flag.String("output", "made", "`prefix` of the files to write")
	reverse := flag.Bool("reverse", false, "from French to English")
	isShort := flag.Bool("short", false, "words alone, greetings, amounts and headlines")
	flag.Parse()
	languages := [2]string{"en", "fr"}
	if *reverse {
		languages = [2]string{"fr", "en"}
	}
	text := sentences
	if *isShort {
		text = short
	}
	if err := run(*source, *target, *output, languages, text); err != nil {
		log.Fatal(err)
	}
}

// A writer adds text made of sentences and their translations.
type writer func(sources, targets []string, languages [2]string, add func(s, t string))

func run(source, target, output string, languages [2]string, write writer) error {
	sources, err := readLines(source)
	if err != nil {
		return err
	}
	targets, err := readLines(target)
	if err != nil {
		return err
	}
	if len(sources) != len(targets) {
		return fmt.Errorf("%s has %d lines, %s %d", source, len(sources), target, len(targets))
	}
	var text [2]strings.Builder
	add := func(s, t string) { text[0].WriteString(s + "\n"); text[1].WriteString(t + "\n") }
	write(sources, targets, languages, add)
	return errors.Join(
		os.WriteFile(output+"."+languages[0], []byte(text[0].String()), 0o644),
		os.WriteFile(output+"."+languages[1], []byte(text[1].String()), 0o644))
}

// sentences adds invented sentences, and half of the others as people type them.
func sentences(sources, targets []string, languages [2]string, add func(s, t string)) {
	random := rand.New(rand.NewPCG(1, 2))
	for i := range invented {
		add(ordered(filled(random, templates[i%len(templates)]), languages))
	}
	for i := 0; i < len(sources); i += 2 {
		if s, t, ok := typed(sources[i], targets[i], i%4 == 0); ok {
			add(s, t)
		}
	}
}

func readLines(path string) ([]string, error) {
	text, err := os.ReadFile(path)
	return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n"), err
}

// typed returns a pair without its last mark and, if lower is true, without capitals. It is false for pairs of
// several sentences.
func typed(source, target string, lower bool) (string, string, bool) {
	strip := func(s string) (string, bool) {
		text := strings.TrimRight(s, ".?!")
		text = strings.TrimRight(text, " \u00a0\u202f")
		return text, text != "" && text != s && !strings.ContainsAny(text, ".?!\"«»“”:")
	}
	s, ok := strip(source)
	t, ok2 := strip(target)
	if !ok || !ok2 {
		return "", "", false
	}
	if lower {
		s, t = lowered(s, t)
	}
	return s, t, true
}

// lowered returns a source without capitals, and its translation, which begins with one if that is a name.
func lowered(source, target string) (string, string) {
	first, _, _ := strings.Cut(target, " ")
	if name, _, _ := strings.Cut(first, "'"); name != "I" && !strings.HasPrefix(source, name) {
		r, n := utf8.DecodeRuneInString(target)
		target = string(unicode.ToLower(r)) + target[n:]
	}
	return strings.ToLower(source), target
}

// Pairs of English and French lines. In templates and amounts, N, P and Q stand for names, T for a time in hours and
// minutes, H for an hour of the afternoon, Y for a year, and 1 to 4 for numbers of so many digits. Phrases are what
// people say alone.
var (
	//go:embed templates.tsv
	templatesFile string
	//go:embed amounts.tsv
	amountsFile string
	//go:embed phrases.tsv
	phrasesFile string

	templates, amounts, phrases = readPairs(templatesFile), readPairs(amountsFile), readPairs(phrasesFile)
)

func readPairs(file string) (list [][2]string) {
	for line := range strings.Lines(file) {
		english, french, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		list = append(list, [2]string{english, french})
	}
	return list
}

var (
	variables = regexp.MustCompile(`\b[NPQTHY]\b|\b[1-4]\b`)
	elision   = regexp.MustCompile(`\b([dq]u?)e ([AEIOUÉ])`)
	onsets    = strings.Fields("b br c ch d dr f g gr h j k kh kr l m n p r s sh st t th tr v w y z b d k l m n r s t v") // frequent ones twice
	vowels    = strings.Fields("a e i o u a e i o ai ei ou ee ia é ü ö")
	codas     = strings.Fields("n r l s k t m nd rt ck x n r l s th sh ng")
)

// ordered returns an English–French pair from one language to the other.
func ordered(pair, languages [2]string) (source, target string) {
	if languages[0] == "fr" {
		return pair[1], pair[0]
	}
	return pair[0], pair[1]
}

// filled returns a template with values of its variables.
func filled(r *rand.Rand, template [2]string) [2]string {
	values := map[string][2]string{}
	fill := func(side int) string {
		return variables.ReplaceAllStringFunc(template[side], func(v string) string {
			if _, ok := values[v]; !ok {
				values[v] = value(r, v)
			}
			return values[v][side]
		})
	}
	source := fill(0)
	return [2]string{source, elision.ReplaceAllString(fill(1), "$1'$2")}
}

// value returns the English and French values of a variable.
func value(r *rand.Rand, variable string) [2]string {
	same := func(s string) [2]string { return [2]string{s, s} }
	switch variable {
	case "T":
		h, m := r.IntN(24), r.IntN(60)
		return [2]string{fmt.Sprintf("%d:%02d", h, m), fmt.Sprintf("%d h %02d", h, m)}
	case "H":
		h := 2 + r.IntN(10)
		return [2]string{fmt.Sprintf("%d p.m.", h), fmt.Sprintf("%d heures de l'après-midi", h)}
	case "Y":
		return same(fmt.Sprint(1000 + r.IntN(1100)))
	case "1", "2", "3", "4":
		low := map[string]int{"1": 1, "2": 10, "3": 100, "4": 1000}[variable]
		return same(fmt.Sprint(low + r.IntN(9*low)))
	}
	var name string
	for i := range 1 + r.IntN(3) {
		if i > 0 || r.IntN(4) > 0 {
			name += onsets[r.IntN(len(onsets))]
		}
		name += vowels[r.IntN(len(vowels))]
		if r.IntN(3) == 0 {
			name += codas[r.IntN(len(codas))]
		}
	}
	if len(name) < 3 {
		name += "ra"
	}
	return same(capital(name))
}
