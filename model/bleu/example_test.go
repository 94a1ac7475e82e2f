package bleu_test

import (
	"fmt"
	"strings"

	"github.com/softsearch-go/softsearch/model/bleu"
)

// Tokenised text is measured as multi-bleu.perl does.
func ExampleStatistics() {
	var s bleu.Statistics
	s.Add(strings.Fields("la voiture rouge est ici ."), strings.Fields("la voiture rouge est là ."))
	s.Add(strings.Fields("le chat dort ."), strings.Fields("le chat noir dort ."))
	fmt.Println(s.String())
	// Output:
	// BLEU = 42.10, 90.0/62.5/33.3/25.0 (BP=0.905, ratio=0.909, hyp_len=10, ref_len=11)
}

// Plain text is measured as sacreBLEU does, here against two references a sentence.
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
	fmt.Printf("%q\n", bleu.Tokenize13a("It wasn't 3.5 metres (well, 3.4)."))
	// Output:
	// ["It" "wasn't" "3.5" "metres" "(" "well" "," "3.4" ")" "."]
}
