package main

import (
	"github.com/softsearch-go/softsearch/model/bleu"
	"github.com/softsearch-go/softsearch/model/bootstrap"
	"github.com/softsearch-go/softsearch/model/text"
)

// A score is the BLEU of some sentences and the interval that holds 95 % of its bootstrap samples.
type score struct {
	Sentences int     `json:"sentences"`
	BLEU      float64 `json:"bleu"`
	Low       float64 `json:"low"`
	High      float64 `json:"high"`
}

// A lengthScore is the score of the sentences whose source has First to First+9 words, or in the
// last range more.
type lengthScore struct {
	First int     `json:"first"`
	Words float64 `json:"words"` // mean of the sources
	score
}

const (
	rangeWords = 10 // of a range of lengths
	lastRange  = 7  // the one of all sentences of more than 70 words
)

// rangeOf returns the number of the range of a length.
func rangeOf(words int) int { return min((words-1)/rangeWords, lastRange) }

// A judgement is the counts of translated sentences.
type judgement []bleu.Statistics

// compare compares translations with the targets of the pairs.
func compare(pairs []text.Pair, translations []translation) judgement {
	j := make(judgement, len(pairs))
	for i, p := range pairs {
		j[i].Add(translations[i].words, p.Target)
	}
	return j
}

// score returns the score of all sentences.
func (j judgement) score() score {
	total := func(sentences []int) float64 {
		var s bleu.Statistics
		for _, i := range sentences {
			s.Merge(&j[i])
		}
		return s.BLEU()
	}
	all := make([]int, len(j))
	for i := range all {
		all[i] = i
	}
	const seed = 1
	within := bootstrap.Confidence(len(j), seed, total)
	return score{len(j), total(all), within.Low, within.High}
}

// byLength returns the scores of the ranges of lengths that pairs have.
func (j judgement) byLength(pairs []text.Pair) []lengthScore {
	var parts [lastRange + 1]judgement
	var words [lastRange + 1]int
	for i, p := range pairs {
		r := rangeOf(len(p.Source))
		parts[r] = append(parts[r], j[i])
		words[r] += len(p.Source)
	}
	var list []lengthScore
	for r, part := range parts {
		if len(part) > 0 {
			list = append(list, lengthScore{r*rangeWords + 1, float64(words[r]) / float64(len(part)), part.score()})
		}
	}
	return list
}
