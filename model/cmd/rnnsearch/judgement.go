package main

import (
	"strings"

	"github.com/softsearch-go/softsearch/model/bleu"
	"github.com/softsearch-go/softsearch/model/bootstrap"
	"github.com/softsearch-go/softsearch/model/chrf"
)

// A judgement holds the counts of each sentence of a system.
type judgement struct {
	name       string            // of the file
	references int               // of each sentence
	words      []bleu.Statistics // of the words as they are
	plain      []bleu.Statistics // of the tokens of 13a
	characters []chrf.Statistics
}

// judge counts in each sentence of a system what the references of the same line have.
func judge(system sentenceFile, references []sentenceFile) *judgement {
	n, k := len(system.sentences), len(references)
	j := &judgement{system.name, k, make([]bleu.Statistics, n), make([]bleu.Statistics, n), make([]chrf.Statistics, n)}
	words, tokens, lines := make([][]string, k), make([][]string, k), make([]string, k)
	for i, hypothesis := range system.sentences {
		for r, file := range references {
			words[r] = file.sentences[i]
			lines[r] = strings.Join(words[r], " ")
			tokens[r] = bleu.Tokenize13a(lines[r])
		}
		line := strings.Join(hypothesis, " ")
		j.words[i].Add(hypothesis, words...)
		j.plain[i].Add(bleu.Tokenize13a(line), tokens...)
		j.characters[i].Add(line, lines...)
	}
	return j
}

// all returns the numbers of all sentences.
func (j *judgement) all() []int {
	numbers := make([]int, len(j.words))
	for i := range numbers {
		numbers[i] = i
	}
	return numbers
}

// lines returns the scores of all sentences as the tools print them.
func (j *judgement) lines() []string {
	all := j.all()
	return []string{
		sum(j.words, all).String(),
		sum(j.plain, all).SacreBLEU(j.references),
		sum(j.characters, all).SacreBLEU(j.references),
	}
}

// A measure scores some of the sentences.
type measure struct {
	name  string
	score bootstrap.Score
}

// measures returns what scores the system, in the order of lines.
func (j *judgement) measures() []measure {
	return []measure{
		{"BLEU", func(sentences []int) float64 { return sum(j.words, sentences).BLEU() }},
		{"BLEU 13a", func(sentences []int) float64 { return sum(j.plain, sentences).Smoothed() }},
		{"chrF2", func(sentences []int) float64 { return sum(j.characters, sentences).ChrF2() }},
	}
}

// counts are those of one sentence or of many.
type counts[S any] interface {
	*S
	Merge(*S)
}

// sum returns the counts of some sentences together.
func sum[S any, P counts[S]](each []S, sentences []int) P {
	total := P(new(S))
	for _, i := range sentences {
		total.Merge(&each[i])
	}
	return total
}
