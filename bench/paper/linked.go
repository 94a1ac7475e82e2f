package main

import (
	"slices"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model/cmd/figure"
	"github.com/softsearch-go/softsearch/model/cmd/files"
	"github.com/softsearch-go/softsearch/model/cmd/links"
	"github.com/softsearch-go/softsearch/model/text"
	"github.com/softsearch-go/softsearch/model/text/pipeline"
)

// A linkedPair is an English and a French sentence, linked by hand and by models.
type linkedPair struct {
	text.Pair
	gold      links.Alignment // English-French
	agreement kernels.Matrix  // French×English, see [agree]
}

// in returns the source and the target of a direction, 0 from English and 1 from French.
func (p *linkedPair) in(side int) (source, target []string) {
	if side == 0 {
		return p.Source, p.Target
	}
	return p.Target, p.Source
}

// readLinked reads English and French sentences and their links by hand.
func readLinked(names [2]string, gold string) ([]linkedPair, error) {
	pairs, err := readPairs(names, [2]pipeline.Pipeline{})
	if err != nil {
		return nil, err
	}
	in, err := files.Open(gold)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	lines, list := links.NewReader(in), make([]linkedPair, len(pairs))
	for i, p := range pairs {
		list[i].Pair = p
		if list[i].gold, err = lines.At(i+1, len(p.Source), len(p.Target)); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// minAgreement is what a link needs.
const minAgreement = 0.5

// links returns the link from each target word of a direction to the source word with which it agrees most, if that is
// enough.
func (p *linkedPair) links(side int) links.Alignment {
	var a links.Alignment
	source, target := p.in(side)
	at := func(s, t int) float32 {
		if side == 0 {
			return p.agreement.Row(t)[s]
		}
		return p.agreement.Row(s)[t]
	}
	for t := range target {
		best := 0
		for s := range source {
			if at(s, t) > at(best, t) {
				best = s
			}
		}
		if len(source) > 0 && at(best, t) >= minAgreement {
			a.Sure = append(a.Sure, links.Link{Source: best, Target: t})
		}
	}
	return a
}

// bestAndWorst returns the agreement of the pairs of 8 to 16 English words with the least and the most alignment error
// from English to French. Of equal ones, that in which more things change places is the best. Sure links by hand have a
// frame, possible ones a muted one.
func bestAndWorst(pairs []linkedPair) []figure.Alignment {
	const minWords, maxWords = 8, 16
	var best, worst figure.Alignment
	least, most := 2.0, -1.0
	for i := range pairs {
		p := &pairs[i]
		if n := len(p.Source); n < minWords || n > maxWords || len(p.gold.Sure) == 0 {
			continue
		}
		var c links.Counts
		c.Add(p.links(0), p.gold)
		a := figure.Alignment{Source: p.Source, Target: p.Target, Weights: p.agreement}
		for _, l := range p.gold.Sure {
			a.Frames = append(a.Frames, figure.Frame{Target: l.Target, Source: l.Source})
		}
		for _, l := range p.gold.Possible {
			a.Frames = append(a.Frames, figure.Frame{Target: l.Target, Source: l.Source, Muted: true})
		}
		rate := c.ErrorRate()
		if rate < least || rate == least && backwardJumps(a) > backwardJumps(best) {
			best, least = a, rate
		}
		if rate > most {
			worst, most = a, rate
		}
	}
	return slices.DeleteFunc([]figure.Alignment{best, worst}, func(a figure.Alignment) bool { return a.Source == nil })
}
