package moses_test

import (
	"fmt"
	"strings"

	"github.com/softsearch-go/softsearch/model/text/moses"
)

// Tokenize for a model of lowercase text, and detokenize its output.
func Example() {
	english := moses.Tokenizer{Language: "en", Lowercase: true, Normalize: true}
	words := english.Tokenize("He doesn’t know Dr. Smith’s “well-known” cat, Tom.")
	fmt.Println(strings.Join(words, " "))
	fmt.Println(moses.Detokenizer{Language: "fr"}.Detokenize(strings.Fields("l&apos; homme connaît &quot; tom &quot; , n&apos; est-ce pas ?")))
	// Output:
	// he doesn 't know dr. smith 's " well-known " cat , tom .
	// l'homme connaît "tom", n'est-ce pas ?
}

func ExampleTokenizer_Tokenize() {
	for _, t := range []struct{ language, line string }{
		{"en", "Mr. Hill's dog ate 1,000 bones (No. 5 on the list)."},
		{"fr", "M. Dupont n'a pas vu l'église aujourd'hui..."},
		{"de", "Am 3. Mai kam sie z.B. mit ca. 20 Leuten."},
	} {
		fmt.Printf("%q\n", moses.Tokenizer{Language: t.language}.Tokenize(t.line))
	}
	// Output:
	// ["Mr." "Hill" "'s" "dog" "ate" "1,000" "bones" "(" "No." "5" "on" "the" "list" ")" "."]
	// ["M." "Dupont" "n'" "a" "pas" "vu" "l'" "église" "aujourd'" "hui" "..."]
	// ["Am" "3." "Mai" "kam" "sie" "z.B." "mit" "ca." "20" "Leuten" "."]
}

func ExampleNormalize() {
	fmt.Println(moses.Normalize("en", "“Yes”, he said ; that’s 5 % more …"))
	fmt.Println(moses.Normalize("fr", "«\u00a0Oui\u00a0», dit-il\u00a0: 12\u00a0500 euros – c’est tout\u00a0!"))
	// Output:
	// "Yes," he said; that's 5% more ...
	// "Oui", dit-il: 12,500 euros - c'est tout!
}

func ExampleDetokenizer_Detokenize() {
	fmt.Println(moses.Detokenizer{Language: "en"}.Detokenize(strings.Fields("the boys ' dog isn 't \" well @-@ known \" ( in London ) .")))
	fmt.Println(moses.Detokenizer{Language: "fr"}.Detokenize(strings.Fields("l' homme d' ici , c' est \" moi \" !")))
	fmt.Println(moses.Detokenizer{Language: "de"}.Detokenize(strings.Fields("Es kostet € 5 , &quot; sagt er &quot; .")))
	// Output:
	// the boys' dog isn't "well-known" (in London).
	// l'homme d'ici, c'est "moi" !
	// Es kostet €5, "sagt er".
}

func ExampleSentences() {
	for _, sentence := range moses.Sentences("en", "Dr. Hill came at 5 p.m. on Nov. 3. “Why?” she asked. He left...  Then it rained!") {
		fmt.Println(sentence)
	}
	// Output:
	// Dr. Hill came at 5 p.m. on Nov. 3.
	// “Why?” she asked.
	// He left...
	// Then it rained!
}
