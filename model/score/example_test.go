package score_test

import (
	"fmt"
	"strings"

	"github.com/softsearch-go/softsearch/model/score"
)

// Count the n-grams of every sentence once; a score sums the counts of a sample.
func ExampleCompare() {
	references := strings.Split("the cat sees a dog .|a dog sees the red cat .|the horse eats .|the red horse sees a cat .", "|")
	baseline := bleuOf(references, strings.Split("the cat saw dog .|a dog sees a cat .|the horse eats .|the horse sees the cat .", "|"))
	system := bleuOf(references, strings.Split("the cat sees a dog .|a dog sees a red cat .|the horse eats .|the red horse sees a cat .", "|"))

	const seed = 1
	i := score.Confidence(len(references), seed, system)
	fmt.Printf("%.1f BLEU, from %.1f to %.1f\n", system([]int{0, 1, 2, 3}), i.Low, i.High)
	c := score.Compare(len(references), seed, system, baseline)
	fmt.Printf("%.1f better, from %.1f to %.1f, p = %.3f\n", c.System-c.Baseline, c.Interval.Low, c.Interval.High, c.P)
	// Output:
	// 82.7 BLEU, from 51.3 to 100.0
	// 53.4 better, from 4.5 to 100.0, p = 0.001
}

// bleuOf returns the BLEU of samples of the hypotheses.
func bleuOf(references, hypotheses []string) score.Score {
	counts := make([]score.BLEUStatistics, len(references))
	for i := range counts {
		counts[i].Add(strings.Fields(hypotheses[i]), strings.Fields(references[i]))
	}
	return func(sentences []int) float64 {
		var sum score.BLEUStatistics
		for _, i := range sentences {
			sum.Merge(&counts[i])
		}
		return sum.BLEU()
	}
}

// Score tokenized text like multi-bleu.perl.
func ExampleBLEUStatistics() {
	var s score.BLEUStatistics
	s.Add(strings.Fields("la voiture rouge est ici ."), strings.Fields("la voiture rouge est là ."))
	s.Add(strings.Fields("le chat dort ."), strings.Fields("le chat noir dort ."))
	fmt.Println(s.String())
	// Output:
	// BLEU = 42.10, 90.0/62.5/33.3/25.0 (BP=0.905, ratio=0.909, hyp_len=10, ref_len=11)
}

// Score plain text like sacreBLEU, here with two references per sentence.
func ExampleBLEUStatistics_SacreBLEU() {
	var s score.BLEUStatistics
	s.Add(score.Tokenize13a("The dog bit the man."),
		score.Tokenize13a("The dog bit the man."), score.Tokenize13a("The dog had bit the man."))
	s.Add(score.Tokenize13a("It wasn't surprising."),
		score.Tokenize13a("It was not unexpected."), score.Tokenize13a("No one was surprised."))
	s.Add(score.Tokenize13a("The man had just bitten him."),
		score.Tokenize13a("The man bit him first."), score.Tokenize13a("The man had bitten the dog."))
	fmt.Println(s.SacreBLEU(2))
	// Output:
	// BLEU|nrefs:2|case:mixed|eff:no|tok:13a|smooth:exp = 48.53 82.4/50.0/45.5/37.5 (BP = 0.943 ratio = 0.944 hyp_len = 17 ref_len = 18)
}

func ExampleTokenize13a() {
	fmt.Printf("%q\n", score.Tokenize13a("It wasn't 3.5 meters (well, 3.4)."))
	// Output:
	// ["It" "wasn't" "3.5" "meters" "(" "well" "," "3.4" ")" "."]
}

// BLEU and its confidence interval by the length of the source.
func ExampleByLength() {
	source := strings.Split("the cat sleeps .|the dog eats .|the black cat sleeps under the old red table .", "|")
	references := strings.Split("le chat dort .|le chien mange .|le chat noir dort sous la vieille table rouge .", "|")
	hypotheses := strings.Split("le chat dort .|le chien mange .|le chat noir dort sur la table rouge .", "|")

	lengths := make([]int, len(source))
	counts := make([]score.BLEUStatistics, len(source))
	for i := range source {
		lengths[i] = len(strings.Fields(source[i]))
		counts[i].Add(strings.Fields(hypotheses[i]), strings.Fields(references[i]))
	}
	sums := score.Score(func(sentences []int) float64 {
		var sum score.BLEUStatistics
		for _, i := range sentences {
			sum.Merge(&counts[i])
		}
		return sum.BLEU()
	})
	fmt.Println("words sentences  BLEU  95 %")
	for _, b := range score.ByLength(lengths, 5, 20) {
		const seed = 1
		i := score.Confidence(len(b.Sentences), seed, sums.Subset(b.Sentences))
		fmt.Printf("%-5v %9d %5.1f  %.1f to %.1f\n", b, len(b.Sentences), sums(b.Sentences), i.Low, i.High)
	}
	// Output:
	// words sentences  BLEU  95 %
	// 1-5           2 100.0  100.0 to 100.0
	// 6-10          1  39.9  39.9 to 39.9
}

func ExampleChrFStatistics() {
	var s score.ChrFStatistics
	s.Add("The dog bit the man.", "The dog bit the man.", "The dog had bit the man.")
	s.Add("It wasn't surprising.", "It was not unexpected.", "No one was surprised.")
	s.Add("The man had just bitten him.", "The man bit him first.", "The man had bitten the dog.")
	fmt.Println(s.SacreBLEU(2))
	// Output:
	// chrF2|nrefs:2|case:mixed|eff:yes|nc:6|nw:0|space:no = 59.73
}
