package moses

import (
	"strings"
	"unicode"
)

// wordContext holds what the reversible rules know about the words of a line before they join them.
type wordContext struct {
	next   []int  // for a word ' or ", the index of the next equal one; the number of words if there is none
	closed []bool // whether all words after it are closing brackets and punctuation
}

func contextOf(words []string) wordContext {
	n := len(words)
	c := wordContext{next: make([]int, n), closed: make([]bool, n)}
	next := map[string]int{`'`: n, `"`: n}
	closed := true
	for i := n - 1; i >= 0; i-- {
		c.closed[i] = closed
		closed = closed && consistsOf(words[i], isClosing)
		if at, found := next[words[i]]; found {
			c.next[i] = at
			next[words[i]] = i
		}
	}
	return c
}

// restore writes word i if the reversible rules for it differ from those of Moses, and reports whether
// it did.
func (j *joiner) restore(i int, word, before, after string) bool {
	switch word {
	case "'":
		j.restoreApostrophe(i, before, after)
	case `"`:
		j.restoreQuote(i, before)
	case "…", "²", "³", "¹", "™", "®":
		j.write(word, false, true)
	case "«", "»":
		french := j.Language == "fr"
		opening := !j.open["«"]
		j.open["«"] = opening
		j.write(word, opening || french, !opening || french)
	case "°":
		number, figure := unicode.IsDigit(lastRune(before)), unicode.IsDigit(firstRune(after))
		if after == "C" || after == "F" || after == "K" {
			j.write(word, !number || j.Language == "fr" || j.Language == "de", false)
		} else {
			j.write(word, !number && !strings.EqualFold(before, "n"), !number || !figure)
		}
	case "′", "″":
		j.write(word, false, !unicode.IsDigit(firstRune(after)))
	case "/":
		j.write(word, false, false)
	case "–":
		spaced := !unicode.IsDigit(lastRune(before)) || !unicode.IsDigit(firstRune(after))
		j.write(word, spaced, spaced)
	case "?", "!":
		if j.Language != "fr" || before != "?" && before != "!" {
			return false
		}
		j.write(word, false, true)
	default:
		if !consistsOf(word, isCurrency) {
			return false
		}
		left := unicode.IsDigit(lastRune(before)) && (j.Language == "fr" || j.Language == "de")
		j.write(word, true, left || !unicode.IsDigit(firstRune(after)))
	}
	return true
}

// restoreApostrophe writes word i, a single '.
func (j *joiner) restoreApostrophe(i int, before, after string) {
	next := j.context.next[i]
	last := next == len(j.words)
	number := unicode.IsDigit(lastRune(before))
	switch {
	case j.open["'"]:
		j.open["'"] = false
		j.write("'", false, true)
	case j.Language == "en" && after == "s":
		j.write("'", false, false)
	case j.possessive(before) && (last || j.possessive(j.words[next-1])):
		j.write("'", false, true)
	case !last:
		j.open["'"] = true
		j.write("'", true, false)
	case before != "" && j.context.closed[i]:
		j.write("'", false, true)
	default:
		j.write("'", !number, number && !unicode.IsDigit(firstRune(after)))
	}
}

// possessive reports whether an apostrophe alone makes the possessive of word.
func (j *joiner) possessive(word string) bool {
	switch j.Language {
	case "en":
		return strings.HasSuffix(word, "s") && !strings.HasPrefix(word, "'")
	case "de":
		return strings.ContainsRune("sßxz", lastRune(word))
	}
	return false
}

func (j *joiner) restoreQuote(i int, before string) {
	closes := j.open[`"`]
	if !closes && j.context.next[i] == len(j.words) {
		closes = j.context.closed[i] && before != "" || unicode.IsDigit(lastRune(before))
		j.write(`"`, !closes, closes)
		return
	}
	j.open[`"`] = !closes
	j.write(`"`, !closes, closes)
}

func isCurrency(r rune) bool { return unicode.Is(unicode.Sc, r) }
