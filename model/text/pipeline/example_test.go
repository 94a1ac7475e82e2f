package pipeline_test

import (
	"fmt"
	"log"
	"slices"
	"strings"

	"github.com/softsearch-go/softsearch/model/text/bpe"
	"github.com/softsearch-go/softsearch/model/text/pipeline"
)

// Every step from a line to the words of a model, and back from a translation.
func Example() {
	const line = "My sister Oluwaseun paid $19.99！"
	english, err := pipeline.New(pipeline.Defaults("en"))
	if err != nil {
		log.Fatal(err)
	}
	french, err := pipeline.New(pipeline.Defaults("fr"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("tokens", english.Read(line, nil).Words)

	// What the training text has: other words with a capital are names.
	tokens := bpe.Frequencies{"my": 25, "sister": 25, "pay": 25, "did": 25, "￭!": 25}
	if english, french, err = pipeline.WithCounts(english, french, nil, tokens, tokens, 0); err != nil {
		log.Fatal(err)
	}
	fmt.Println("names ", english.Read(line, nil).Words)

	merges, err := pipeline.Merges(tokens, tokens)
	if err != nil {
		log.Fatal(err)
	}
	if english, french, err = pipeline.WithCounts(english, french, slices.Collect(merges), tokens, tokens, 0); err != nil {
		log.Fatal(err)
	}
	r := english.Read(line, nil)
	fmt.Println("words ", r.Words)
	for _, s := range r.Spans {
		fmt.Println(s.Text)
	}
	w := french.Write(strings.Fields("ma sœur ⟦@1⟧ a payé ⟦#1⟧ !"), r)
	fmt.Println(w.Line)
	for _, t := range w.Tokens {
		if t.Span > 0 {
			fmt.Printf("%q is span %d\n", w.Line[t.Bytes[0]:t.Bytes[1]], t.Span)
		}
	}
	// Output:
	// tokens [my sister ⇧ oluwaseun paid ⟦#1⟧ ￭!]
	// names  [my sister ⟦@1⟧ paid ⟦#1⟧ ￭!]
	// words  [my sister ⟦@1⟧ pa@@ id ⟦#1⟧ ￭!]
	// Oluwaseun
	// $19.99
	// Ma sœur Oluwaseun a payé 19,99 $ !
	// "Oluwaseun" is span 1
	// "19,99\u00a0$" is span 2
}
