package pipeline

import (
	"regexp"
	"slices"
	"strings"
)

// Kept is what a translation keeps of its source line.
type Kept struct {
	Spans   []string // for which placeholders stand, in order
	letters letterCase
}

// Kept returns what translations of a source line keep: the different spans that match Settings.Copied and not
// Stressed, at most as many as there are placeholders, and all literal placeholders; and capitals, if all letters
// outside these are and p knows the words better in lower case.
func (p Pipeline) Kept(line string) Kept {
	copies := p.copies(line)
	if copies != nil {
		line = p.mark(line, copies)
	}
	return Kept{copies, p.letterCase(line)}
}

// KeptByPair returns the spans of a source line that a target line copies, for [Pipeline.WordsOf] of both. As in
// training, capitals are read as they are written.
func KeptByPair(source, target Pipeline, sourceLine, targetLine string) Kept {
	copies := source.copies(sourceLine)
	if copies != nil {
		var spans []string
		for _, at := range target.copied.Find(targetLine) {
			spans = append(spans, targetLine[at[0]:at[1]])
		}
		copies = slices.DeleteFunc(copies, func(s string) bool { return !slices.Contains(spans, s) })
	}
	return Kept{Spans: copies}
}

// lineParts are the words of a vocabulary that stand for no text, and what is between them.
var lineParts = regexp.MustCompile(`</s>|<unk>|<|[^<]+`)

// Restore returns a line, or a word, with what it keeps: in capitals, and with kept.Spans[i] in place of ⟦i+1⟧.
// Placeholders without a span vanish.
func (p Pipeline) Restore(line string, kept Kept) string {
	if kept.letters != asWritten {
		line = lineParts.ReplaceAllStringFunc(line, func(part string) string {
			if part == "</s>" || part == "<unk>" {
				return part
			}
			return strings.ToUpper(part)
		})
	}
	if p.copied == nil {
		return line
	}
	return placeholders.ReplaceAllStringFunc(line, func(word string) string {
		for i, s := range kept.Spans {
			if word == placeholder(i) {
				return s
			}
		}
		return ""
	})
}
