package pipeline_test

import (
	"fmt"
	"log"

	"github.com/softsearch-go/softsearch/model/text/bpe"
	"github.com/softsearch-go/softsearch/model/text/pipeline"
)

func Example() {
	french, err := pipeline.New(pipeline.Settings{Language: "fr", Lowercase: true})
	if err != nil {
		log.Fatal(err)
	}
	words := french.Words("L’homme n'est pas là\u00a0!")
	fmt.Printf("%q\n", words)
	fmt.Println(french.Line(words))
	// Output:
	// ["l'" "homme" "n'" "est" "pas" "là" "!"]
	// l'homme n'est pas là !
}

// The pipeline of a new model brings back what the rules of Moses change.
func ExampleDefaults() {
	const line = "„Mehr“ – auf https://example.com/C++, bei McDonald's."
	german, err := pipeline.New(pipeline.Defaults("de"))
	if err != nil {
		log.Fatal(err)
	}
	words := german.Words(line)
	fmt.Printf("%q\n", words)
	fmt.Println(german.Line(words))
	moses, err := pipeline.New(pipeline.Settings{Language: "de"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(moses.Line(moses.Words(line)))
	// Output:
	// ["„" "Mehr" "“" "–" "auf" "https://example.com/C++" "," "bei" "McDonald's" "."]
	// „Mehr“ – auf https://example.com/C++, bei McDonald's.
	// "Mehr" - auf https: / / example.com / C + +, bei McDonald 's.
}

// Two languages share the codes learned from their tokens.
func ExampleWithCounts() {
	english, err := pipeline.New(pipeline.Settings{Language: "en"})
	if err != nil {
		log.Fatal(err)
	}
	french, err := pipeline.New(pipeline.Settings{Language: "fr"})
	if err != nil {
		log.Fatal(err)
	}
	source, target := bpe.Frequencies{}, bpe.Frequencies{}
	source.Add(english.Tokenize("The information, an invitation. No formation?"))
	target.Add(french.Tokenize("L'information, une invitation. Pas d'information ?"))
	merges, err := pipeline.Merges(source, target)
	if err != nil {
		log.Fatal(err)
	}
	var codes bpe.Codes
	for m := range merges {
		if codes = append(codes, m); len(codes) == 15 {
			break
		}
	}
	english, french, err = pipeline.WithCounts(english, french, codes, source, target, 0)
	if err != nil {
		log.Fatal(err)
	}
	words := french.Words("Pas d'invitations !")
	fmt.Printf("%q\n", words)
	fmt.Println(french.Line(words))
	// Output:
	// ["P@@" "a@@" "s" "d@@" "'" "in@@" "vit@@" "a@@" "tio@@" "n@@" "s" "!"]
	// Pas d'invitations !
}
