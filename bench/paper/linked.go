package main

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model/cmd/figure"
	"github.com/softsearch-go/softsearch/model/cmd/files"
	"github.com/softsearch-go/softsearch/model/cmd/links"
	"github.com/softsearch-go/softsearch/model/text"
)

// A linkedPair is an English and a French sentence, linked by hand and by models.
type linkedPair struct {
	words     [2][]string
	gold      links.Alignment // English-French
	agreement kernels.Matrix  // French×English, see [agree]
}

// readUnlinked reads the sentences in PATH.en and PATH.fr.
func readUnlinked(path string) ([]linkedPair, error) {
	var list []linkedPair
	for side, language := range languages {
		sentences, err := text.ReadSentences(path + "." + language)
		if err != nil {
			return nil, err
		}
		if side == 0 {
			list = make([]linkedPair, len(sentences))
		} else if len(sentences) != len(list) {
			return nil, fmt.Errorf("%s: %w: %d and %d", filepath.Base(path), text.ErrLineCount, len(list), len(sentences))
		}
		for i, words := range sentences {
			list[i].words[side] = words
		}
	}
	return list, nil
}

// readGold reads the links by hand of pairs.
func readGold(path string, pairs []linkedPair) error {
	in, err := files.Open(path)
	if err != nil {
		return err
	}
	defer in.Close()
	lines := links.NewReader(in)
	for i := range pairs {
		p := &pairs[i]
		if p.gold, err = lines.At(i+1, len(p.words[0]), len(p.words[1])); err != nil {
			return err
		}
	}
	return nil
}

// minAgreement is what a link needs.
const minAgreement = 0.5

// links returns the link from each target word of a direction to the source word with which it agrees most, if that is
// enough.
func (p *linkedPair) links(side int) links.Alignment {
	var a links.Alignment
	source, target := p.words[side], p.words[1-side]
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
		if n := len(p.words[0]); n < minWords || n > maxWords || len(p.gold.Sure) == 0 {
			continue
		}
		var c links.Counts
		c.Add(p.links(0), p.gold)
		a := figure.Alignment{Source: p.words[0], Target: p.words[1], Weights: p.agreement}
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
