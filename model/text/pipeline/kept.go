package pipeline

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Kept is what a translation keeps of its source line.
type Kept struct {
	Before, After string   // the ends of the line that are no words: marks of lists, symbols
	Spans         []string // for which placeholders stand, in order
	names         bool     // Spans may be names
	letters       letterCase
}

// Kept returns what translations of a source line keep: the different spans that match Settings.Copied and not
// Stressed, and with Settings.Copied also [moses.Names], at most as many as there are placeholders, and all literal
// placeholders. With a language, also the ends of the line that are no words, and its capitals, if it is in capitals or
// a word alone that begins with one, and p knows its words better in lower case.
func (p Pipeline) Kept(line string) Kept {
	from, to := p.ends(line)
	kept := Kept{Before: strings.TrimLeftFunc(line[:from], isSpaceOrControl), After: strings.TrimRightFunc(line[to:], isSpaceOrControl), names: true}
	if from == len(line) { // no words
		kept.Before = strings.TrimRightFunc(kept.Before, isSpaceOrControl)
	}
	line = line[from:to]
	if kept.Spans = p.copies(line, true); kept.Spans != nil {
		line = p.mark(line, kept)
	}
	kept.letters = p.letterCase(line)
	return kept
}

// KeptByPair returns the spans of a source line that a target line copies, for [Pipeline.WordsOf] of both. As in
// training, names count only where Settings.Copied has them, and ends and capitals are read as they are written.
func KeptByPair(source, target Pipeline, sourceLine, targetLine string) Kept {
	copies := source.copies(sourceLine, false)
	if copies != nil {
		var spans []string
		for _, at := range target.copied.Find(targetLine) {
			spans = append(spans, targetLine[at[0]:at[1]])
		}
		copies = slices.DeleteFunc(copies, func(s string) bool { return !slices.Contains(spans, s) })
	}
	return Kept{Spans: copies}
}

// WordsOf returns the words of a line like Words, where kept is that of the line, or of the source that it translates.
func (p Pipeline) WordsOf(line string, kept Kept) []string {
	line, _ = kept.within(line)
	line = p.mark(line, kept)
	if kept.names {
		line = p.divide(line)
	}
	return p.Segment(p.Tokenize(kept.letters.of(line)))
}

// within returns what a line has between the ends, if it has them, and the byte where that begins.
func (kept Kept) within(line string) (string, int) {
	if kept.Before == "" && kept.After == "" {
		return line, 0
	}
	rest := strings.TrimPrefix(strings.TrimLeftFunc(line, isSpaceOrControl), kept.Before)
	return strings.TrimSuffix(strings.TrimRightFunc(rest, isSpaceOrControl), kept.After), len(line) - len(rest)
}

// LineOf returns the line that words make like Line, with what it keeps of the source.
func (p Pipeline) LineOf(words []string, kept Kept) string {
	line := p.Restore(p.Line(words), kept)
	if kept.letters == wordCase && !strings.HasPrefix(line, "<unk>") {
		line = upperFirst(line)
	}
	return kept.Before + line + kept.After
}

// wordParts are the words of a vocabulary that stand for no text, and what is between them.
var wordParts = regexp.MustCompile(`</s>|<unk>|<|[^<]+`)

// Restore returns a word, or several, with what they keep: in capitals, and with kept.Spans[i] in place of ⟦i+1⟧.
// Placeholders without a span vanish.
func (p Pipeline) Restore(words string, kept Kept) string {
	if kept.letters == lowerCase || kept.letters == sentenceCase {
		words = wordParts.ReplaceAllStringFunc(words, func(part string) string {
			if part == "</s>" || part == "<unk>" {
				return part
			}
			return strings.ToUpper(part)
		})
	}
	if p.copied == nil {
		return words
	}
	return placeholders.ReplaceAllStringFunc(words, func(word string) string {
		n, _ := strconv.Atoi(word[len("⟦") : len(word)-len("⟧")])
		if n < 1 || n > len(kept.Spans) || word != placeholder(n-1) {
			return ""
		}
		return kept.Spans[n-1]
	})
}
