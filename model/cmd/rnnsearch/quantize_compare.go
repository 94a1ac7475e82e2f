package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/cmd/terminal"
)

// A comparison holds the scores of the same pairs by both forms of a model. A pair that one of them
// cannot score is bad in int8.
type comparison struct{ float32, int8 []scoredPair }

// compare scores the text with both forms, and warns of bad pairs.
func (o quantizeOptions) compare(ctx context.Context, stderr io.Writer, f forms, bad *terminal.Warnings) (*comparison, error) {
	pairs, err := terminal.UntilInterrupted(ctx, func() ([]inputPair, error) { return readPairs(ctx, f.float32, o.source, o.target) })
	if err != nil {
		return nil, err
	}
	warnOfPairs(bad, pairs)
	before, err := o.score(ctx, stderr, "float32", f.float32, pairs)
	if err != nil {
		return nil, err
	}
	usable := make([]inputPair, len(before))
	for i, s := range before {
		usable[i] = s.inputPair
	}
	after, err := o.score(ctx, stderr, "int8", f.int8, usable)
	if err != nil {
		return nil, err
	}
	warnOfScores(bad, pairs, after)
	return &comparison{before, after}, nil
}

// score returns the scores of the pairs by the form of that name.
func (o quantizeOptions) score(ctx context.Context, stderr io.Writer, form string, m *model.Model, pairs []inputPair) ([]scoredPair, error) {
	start := func(title, unit string, total int) terminal.Progress {
		if o.quiet {
			return terminal.NoProgress{}
		}
		return terminal.ProgressOn(stderr)(title+" with "+form, unit, total)
	}
	scores, err := scoreAll(ctx, start, m, pairs, scoreOptions{source: o.source, threads: o.threads})
	if ctx.Err() != nil {
		return nil, terminal.ErrInterrupted
	}
	return scores, err
}

// lines returns the number of pairs, bad ones included.
func (c *comparison) lines() int { return len(c.int8) }

// table returns the comparison as text, empty if all pairs are bad.
func (c *comparison) table() string {
	pairs, line, largest := 0, 0, -1.0
	var before, after mean
	for i := range c.float32 {
		b, a := c.float32[i], c.int8[i]
		if a.bad != nil {
			continue
		}
		pairs++
		before.add(b.LogProb, len(b.IDs))
		after.add(a.LogProb, len(a.IDs))
		if change := math.Abs(a.perWord() - b.perWord()); change > largest {
			line, largest = i+1, change
		}
	}
	if pairs == 0 {
		return ""
	}
	var t strings.Builder
	fmt.Fprintf(&t, "%s, %.0f target words; the largest change is in line %d\n", terminal.Plural(pairs, "pair"), before.Terms, line)
	fmt.Fprintf(&t, "%-10s%10s%10s%10s\n", "", "float32", "int8", "change")
	row := func(name string, before, after float64) {
		fmt.Fprintf(&t, "%-10s%10.5f%10.5f%+10.5f\n", name, before, after, after-before)
	}
	row("log p/word", before.value(), after.value())
	row(fmt.Sprintf("  line %d", line), c.float32[line-1].perWord(), c.int8[line-1].perWord())
	row("perplexity", math.Exp(-before.value()), math.Exp(-after.value()))
	return t.String()
}

// perWord returns log p of the target per word.
func (s scoredPair) perWord() float64 { return s.LogProb / float64(len(s.IDs)) }
