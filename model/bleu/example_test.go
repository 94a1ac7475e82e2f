package bleu_test

import (
	"fmt"
	"strings"

	"github.com/softsearch-go/softsearch/model/bleu"
	"github.com/softsearch-go/softsearch/model/bootstrap"
)

// Score tokenized text like multi-bleu.perl.
func ExampleStatistics() {
	var s bleu.Statistics
	s.Add(strings.Fields("la voiture rouge est ici ."), strings.Fields("la voiture rouge est là ."))
	s.Add(strings.Fields("le chat dort ."), strings.Fields("le chat noir dort ."))
	fmt.Println(s.String())
	// Output:
	// BLEU = 42.10, 90.0/62.5/33.3/25.0 (BP=0.905, ratio=0.909, hyp_len=10, ref_len=11)
}

// Score plain text like sacreBLEU, here with two references per sentence.
func ExampleStatistics_SacreBLEU() {
	var s bleu.Statistics
	s.Add(bleu.Tokenize13a("The dog bit the man."),
		bleu.Tokenize13a("The dog bit the man."), bleu.Tokenize13a("The dog had bit the man."))
	s.Add(bleu.Tokenize13a("It wasn't surprising."),
		bleu.Tokenize13a("It was not unexpected."), bleu.Tokenize13a("No one was surprised."))
	s.Add(bleu.Tokenize13a("The man had just bitten him."),
		bleu.Tokenize13a("The man bit him first."), bleu.Tokenize13a("The man had bitten the dog."))
	fmt.Println(s.SacreBLEU(2))
	// Output:
	// BLEU|nrefs:2|case:mixed|eff:no|tok:13a|smooth:exp = 48.53 82.4/50.0/45.5/37.5 (BP = 0.943 ratio = 0.944 hyp_len = 17 ref_len = 18)
}

func ExampleTokenize13a() {
	fmt.Printf("%q\n", bleu.Tokenize13a("It wasn't 3.5 meters (well, 3.4)."))
	// Output:
	// ["It" "wasn't" "3.5" "meters" "(" "well" "," "3.4" ")" "."]
}

// BLEU and its confidence interval by the length of the source.
func ExampleByLength() {
	source := strings.Split("the cat sleeps .|the dog eats .|the black cat sleeps under the old red table .", "|")
	references := strings.Split("le chat dort .|le chien mange .|le chat noir dort sous la vieille table rouge .", "|")
	hypotheses := strings.Split("le chat dort .|le chien mange .|le chat noir dort sur la table rouge .", "|")

	lengths := make([]int, len(source))
	counts := make([]bleu.Statistics, len(source))
	for i := range source {
		lengths[i] = len(strings.Fields(source[i]))
		counts[i].Add(strings.Fields(hypotheses[i]), strings.Fields(references[i]))
	}
	score := bootstrap.Score(func(sentences []int) float64 {
		var sum bleu.Statistics
		for _, i := range sentences {
			sum.Merge(&counts[i])
		}
		return sum.BLEU()
	})
	fmt.Println("words sentences  BLEU  95 %")
	for _, b := range bleu.ByLength(lengths, 5, 20) {
		const seed = 1
		i := bootstrap.Confidence(len(b.Sentences), seed, score.Subset(b.Sentences))
		fmt.Printf("%-5v %9d %5.1f  %.1f to %.1f\n", b, len(b.Sentences), score(b.Sentences), i.Low, i.High)
	}
	// Output:
	// words sentences  BLEU  95 %
	// 1-5           2 100.0  100.0 to 100.0
	// 6-10          1  39.9  39.9 to 39.9
}
