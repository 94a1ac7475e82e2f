package main

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/softsearch-go/softsearch/model/grammar"
	"github.com/softsearch-go/softsearch/model/internal/portable"
	"github.com/softsearch-go/softsearch/model/text"
	"github.com/softsearch-go/softsearch/model/text/pipeline"
)

// demoExamples are English sentences that the model translates.
var demoExamples = []string{
	"The red car.",
	"The old king buys twenty-one green books.",
	"On Sunday the first of March this happy actress sees an old friend.",
}

// A sentence is a pair of sentences of the grammar: lines as people write them, as a model reads them.
type sentence struct {
	source, target pipeline.Reading
}

// A reader makes sentences of what the grammar generates.
type reader struct {
	*portable.Generator
	source, target pipeline.Pipeline
}

// newReader returns a reader of plain text.
func newReader(seed uint64) (*reader, error) {
	const stream = 2 // package grammar has 0 and 1
	source, err := pipeline.New(pipeline.Defaults("en"))
	if err != nil {
		return nil, err
	}
	target, err := pipeline.New(pipeline.Defaults("fr"))
	return &reader{portable.NewGenerator(seed, stream), source, target}, err
}

func (r *reader) sentences(pairs []text.Pair) []sentence {
	list := make([]sentence, len(pairs))
	for i, p := range pairs {
		source, target := r.write(p)
		list[i].source, list[i].target, _ = pipeline.ReadPair(r.source, r.target, source, target) // they agree
	}
	return list
}

// write writes a pair in one of the ways in which people do: with commas and hyphens or without, as a
// sentence, which begins with a capital letter and ends with a mark, or like a heading, and a short noun without
// its article, too.
func (r *reader) write(p text.Pair) (source, target string) {
	const clause = 5 // the words of a short one
	english, french := p.Source[:len(p.Source)-1], grammar.Hyphenate(p.Target[:len(p.Target)-1])
	if len(english) < clause && slices.Contains(articles, english[0]) && r.Chance(50) {
		english, french = english[1:], french[1:]
	}
	if !r.Chance(25) {
		english = grammar.Hyphenate(english)
	}
	commas := r.Chance(50)
	source, target = string(grammar.AppendLine(nil, english, commas)), string(grammar.AppendLine(nil, french, commas))
	mark, space := ".", ""
	switch n := r.Below(100); {
	case n < 25:
		return source, target
	case n < 30:
		mark, space = "!", " "
	case n < 35:
		mark, space = "?", " "
	}
	return capitalized(source) + mark, capitalized(target) + space + mark
}

var articles = []string{"a", "an", "the", "some", "this", "these"}

// capitalized returns a line with a capital at the beginning.
func capitalized(line string) string {
	_, n := utf8.DecodeRuneInString(line)
	return strings.ToUpper(line[:n]) + line[n:]
}
