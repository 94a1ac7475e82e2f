package main

import (
	_ "embed"
	"fmt"
	"regexp"
	"strings"

	"github.com/softsearch-go/softsearch/model/internal/portable"
)

// In frames, W, H, N and T stand for a woman's, a man's, a family's and a town's name, O and U for another family's and
// town's, and # for a digit. A name that differs in French is London/Londres.
var (
	//go:embed frames.tsv
	framesFile string
	//go:embed names.tsv
	namesFile string

	frames []pair
	names  = map[string][]string{}

	variable = regexp.MustCompile(`\b[WHNOTU]\b|#`)
	elision  = regexp.MustCompile(`\b([Dd]|[Qq]u)e ([AEIOUÉÁÖ])`)
)

func init() {
	for line := range strings.Lines(framesFile) {
		en, fr, _ := strings.Cut(strings.TrimSpace(line), "\t")
		frames = append(frames, pair{en, fr})
	}
	for line := range strings.Lines(namesFile) {
		fields := strings.Split(strings.TrimSpace(line), "\t")
		names[fields[0]] = append(names[fields[0]], fields[1:]...)
	}
	names["O"], names["U"] = names["N"], names["T"]
}

// filled returns a frame with names and digits, the same ones on both sides.
func filled(g *portable.Generator, frame pair) pair {
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
func value(g *portable.Generator, variable string) pair {
	list := names[variable]
	if list == nil {
		digit := fmt.Sprint(2 + g.Below(8))
		return pair{digit, digit}
	}
	en, fr, differs := strings.Cut(portable.Pick(g, list), "/")
	if !differs {
		fr = en
	}
	if g.Chance(33) {
		a, b := []rune(fr), []rune(portable.Pick(g, list))
		en = string(a[:(len(a)+1)/2]) + strings.ToLower(string(b[len(b)/2:]))
		en, _, _ = strings.Cut(en, "/")
		fr = en
	}
	return pair{en, fr}
}
