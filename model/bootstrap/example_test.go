package bootstrap_test

import (
	"fmt"
	"strings"

	"github.com/softsearch-go/softsearch/model/bleu"
	"github.com/softsearch-go/softsearch/model/bootstrap"
)

// Count the n-grams of every sentence once; a score sums the counts of a sample.
func Example() {
	references := strings.Split("the cat sees a dog .|a dog sees the red cat .|the horse eats .|the red horse sees a cat .", "|")
	baseline := score(references, strings.Split("the cat saw dog .|a dog sees a cat .|the horse eats .|the horse sees the cat .", "|"))
	system := score(references, strings.Split("the cat sees a dog .|a dog sees a red cat .|the horse eats .|the red horse sees a cat .", "|"))

	const seed = 1
	i := bootstrap.Confidence(len(references), seed, system)
	fmt.Printf("%.1f BLEU, from %.1f to %.1f\n", system([]int{0, 1, 2, 3}), i.Low, i.High)
	c := bootstrap.Compare(len(references), seed, system, baseline)
	fmt.Printf("%.1f better, from %.1f to %.1f, p = %.3f\n", c.System-c.Baseline, c.Interval.Low, c.Interval.High, c.P)
	// Output:
	// 82.7 BLEU, from 51.3 to 100.0
	// 53.4 better, from 4.5 to 100.0, p = 0.001
}

// score returns the BLEU of samples of the hypotheses.
func score(references, hypotheses []string) bootstrap.Score {
	counts := make([]bleu.Statistics, len(references))
	for i := range counts {
		counts[i].Add(strings.Fields(hypotheses[i]), strings.Fields(references[i]))
	}
	return func(sentences []int) float64 {
		var sum bleu.Statistics
		for _, i := range sentences {
			sum.Merge(&counts[i])
		}
		return sum.BLEU()
	}
}
