package main

import (
	"log"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A cleaner mends pairs. It drops bad ones, pairs of the tests and pairs that it has seen.
type cleaner struct {
	tests map[string]bool // folded lines of four words or more
	seen  map[pair]bool
}

// newCleaner reads the tests: all English files of the corpora that are not compressed, but train.en, and what people typed.
func newCleaner(corpora string) (*cleaner, error) {
	c := &cleaner{tests: map[string]bool{}, seen: map[pair]bool{}}
	for _, pattern := range []string{"*/*.en", "*/*/*.en", "typed/*.tsv"} {
		names, err := filepath.Glob(filepath.Join(corpora, pattern))
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			if filepath.Base(name) == "train.en" {
				continue
			}
			lines, err := readLines(name)
			if err != nil {
				return nil, err
			}
			for _, line := range lines {
				line, _, _ = strings.Cut(line, "\t")
				if len(strings.Fields(line)) >= 4 {
					c.tests[folded(line)] = true
				}
			}
		}
	}
	return c, nil
}

// folded returns the letters and digits of a line, in lower case.
func folded(line string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, line)
}

// longest is the number of words of the longest lines.
const longest = 60

// pairs returns the first good pairs of a corpus, mended, at most so many. It logs why others were dropped.
func (c *cleaner) pairs(corpus string, pairs []pair, limit int) []pair {
	dropped := map[string]int{}
	var kept []pair
	for i, p := range pairs {
		if len(kept) == limit {
			pairs = pairs[:i]
			break
		}
		words := 0
		for side, line := range p {
			fields := strings.Fields(line)
			p[side] = strings.Join(fields, " ")
			words = max(words, len(fields))
		}
		if words > longest {
			dropped["long"]++
			continue
		}
		p[french] = ligatures.Replace(p[french])
		if strings.HasPrefix(corpus, "europarl/") {
			p = mended(p)
		}
		reason := fault(p)
		switch {
		case reason != "":
		case strings.HasPrefix(corpus, "laws/") && len(strings.Fields(p[english])) < 4:
			reason = "heading" // lists are sorted by language
		case c.tests[folded(p[english])] || c.tests[folded(p[french])]:
			reason = "test"
		case c.seen[p]:
			reason = "again"
		default:
			c.seen[p] = true
			kept = append(kept, p)
			continue
		}
		dropped[reason]++
	}
	log.Printf("%s: %d of %d pairs; dropped: %v", corpus, len(kept), len(pairs), dropped)
	return kept
}

var (
	entity    = regexp.MustCompile(`&(?:[a-z]+|#\w+);`)
	separator = regexp.MustCompile(`(\d)[., ](\d\d\d)\b`)
	kept      = regexp.MustCompile(`\d\d+|\{+[^{}]*\}+|%(?:\d+\$)?[sdif@]\b|%\([a-z_]+\)[sd]`)

	common = [2]string{
		" the of and to in that for it was with be this are have not you we they he she is will ",
		" le la les et est une dans que pour qui pas vous nous avec du au sont il elle ce par plus ",
	}
)

// fault says why a pair teaches nothing or something wrong, or returns "".
func fault(p pair) string {
	en, fr := utf8.RuneCountInString(p[english]), utf8.RuneCountInString(p[french])
	words := max(len(strings.Fields(p[english])), len(strings.Fields(p[french])))
	switch {
	case en == 0 || fr == 0:
		return "empty"
	case max(en, fr) > 3*min(en, fr)+8:
		return "length"
	case words > 3 && strings.EqualFold(p[english], p[french]) || foreign(p, english) || foreign(p, french):
		return "language"
	case rubbish(p[english]) || rubbish(p[french]):
		return "rubbish"
	case !slices.Equal(spans(p[english]), spans(p[french])):
		return "numbers"
	}
	return ""
}

// rubbish reports whether a line has lost words, is half of a parenthesis or was decoded wrongly, or has letters of
// another script.
func rubbish(line string) bool {
	return strings.HasPrefix(line, ")") || strings.Count(line, "(") > strings.Count(line, ")") ||
		strings.HasSuffix(line, " .") || strings.Contains(line, " , ") || entity.MatchString(line) ||
		strings.ContainsFunc(line, func(r rune) bool {
			return r == 'Ã' || r == utf8.RuneError || r > 'ɏ' && unicode.IsLetter(r) && !unicode.In(r, unicode.Latin, unicode.Greek)
		})
}

// foreign reports whether a side has more words of the other language than of its own.
func foreign(p pair, side int) bool {
	var counts [2]int
	for w := range strings.FieldsSeq(strings.ToLower(p[side])) {
		for language := range counts {
			if strings.Contains(common[language], " "+w+" ") {
				counts[language]++
			}
		}
	}
	return counts[1-side] > 1 && counts[1-side] > counts[side]
}

// spans returns the numbers of two digits and more and the placeholders of a line, sorted.
func spans(line string) []string {
	if !strings.ContainsAny(line, "0123456789{%") {
		return nil
	}
	list := kept.FindAllString(separator.ReplaceAllString(separator.ReplaceAllString(line, "$1$2"), "$1$2"), -1)
	slices.Sort(list)
	return list
}

var (
	ligatures = strings.NewReplacer("?œ", "œ", "oeu", "œu", "Oeu", "Œu", "oeil", "œil", "Oeil", "Œil")

	// lost has words that lost their œ.
	lost = strings.NewReplacer("l'il ", "l'œil ", "l’il ", "l’œil ", "d'il ", "d'œil ", "d’il ", "d’œil ", " uvr", " œuvr", " ?uvr", " œuvr",
		"manuvr", "manœuvr", "contrecur", "contrecœur", "bonnes murs", "bonnes mœurs", "belle-sur", "belle-sœur")
	sister = regexp.MustCompile(`\b([Mm]a|[Ss]a|[Ll]a|[Uu]ne|grande|petite) sur\b`)
	wish   = regexp.MustCompile(`\b(le|ce|un|mon|pieux) vu\b`)
	wishes = regexp.MustCompile(`(?i)\b(wish|desire|hope|vow)`)

	label    = regexp.MustCompile(`^(?:[^.]{0,80}\. ?[-–] ?)?\([A-Z]{2}\) `) // on behalf of the group. - (DE)
	noise    = regexp.MustCompile(`\((?:Applause|Applaudissements|Laughter|Rires)[^)]*\) ?`)
	elided   = regexp.MustCompile(`\b([CcDdJjLlMmNnSsTt]|[Qq]u|lorsqu|puisqu|jusqu)(['’]) (\pL)`)
	genitive = strings.NewReplacer("' s ", "'s ", "’ s ", "’s ")
)

// mended repairs a pair of Europarl.
func mended(p pair) pair {
	p[english] = genitive.Replace(p[english])
	p[french] = lost.Replace(p[french])
	if strings.Contains(p[french], "' ") || strings.Contains(p[french], "’ ") {
		p[french] = elided.ReplaceAllString(p[french], "$1$2$3")
	}
	if strings.Contains(p[english], "sister") {
		p[french] = sister.ReplaceAllString(p[french], "$1 sœur")
	}
	if strings.Contains(p[french], " vu") && wishes.MatchString(p[english]) {
		p[french] = wish.ReplaceAllString(p[french], "$1 vœu")
	}
	for side := range p {
		if strings.Contains(p[side], "(") {
			p[side] = label.ReplaceAllString(noise.ReplaceAllString(p[side], ""), "")
		}
		for i := 2; i+2 < len(p[side]); i++ {
			if s := p[side]; s[i] == '.' && lower(s[i-2]) && lower(s[i-1]) && 'A' <= s[i+1] && s[i+1] <= 'Z' && lower(s[i+2]) {
				p[side] = s[:i+1] + " " + s[i+1:]
			}
		}
	}
	return p
}

func lower(b byte) bool { return 'a' <= b && b <= 'z' }
