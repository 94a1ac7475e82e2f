package main

import (
	"fmt"
	"strings"

	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/text"
)

// A form says how translations are written.
type form struct {
	lists   bool // all of a line with their numbers, not the best as text
	replace bool // <unk> by words of the source
}

// lines returns the translations of the line of that number, whose words are source.
func (f form) lines(target *text.Vocabulary, number int, source []string, best []model.Translation) string {
	var b strings.Builder
	for _, t := range best {
		words := f.words(target, source, t)
		if !f.lists {
			return words + "\n"
		}
		fmt.Fprintf(&b, "%d ||| %s ||| %.6f ||| %.6f\n", number, words, t.LogProb, t.Score)
	}
	return b.String()
}

// words returns the words of a translation.
func (f form) words(target *text.Vocabulary, source []string, t model.Translation) string {
	if f.replace {
		return strings.Join(t.ReplaceUNK(target, source), " ")
	}
	return strings.Join(target.Decode(t.Words), " ")
}
