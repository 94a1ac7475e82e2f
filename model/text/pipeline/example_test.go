package pipeline_test

import (
	"fmt"
	"log"
	"strings"

	"github.com/softsearch-go/softsearch/model/text/pipeline"
)

// Every step from a line to the words of a model, and back from a translation.
func Example() {
	settings := pipeline.Defaults("en")
	settings.Known = []string{"my", "paid", "sister", "the"} // other words with a capital are names
	english, err := pipeline.New(settings)
	if err != nil {
		log.Fatal(err)
	}
	french, err := pipeline.New(pipeline.Defaults("fr"))
	if err != nil {
		log.Fatal(err)
	}
	r := english.Read("My sister Oluwaseun PAID $19.99!", nil)
	fmt.Println(strings.Join(r.Words, " "))
	for _, s := range r.Spans {
		fmt.Println(s.Text)
	}
	w := french.Write(strings.Fields("ma sœur ⟦@1⟧ a ⇪ payé ⟦#1⟧ !"), r)
	fmt.Println(w.Line)
	for _, t := range w.Tokens {
		if t.Span > 0 {
			fmt.Printf("%q is span %d\n", w.Line[t.Bytes[0]:t.Bytes[1]], t.Span)
		}
	}
	// Output:
	// my sister ⟦@1⟧ ⇪ paid ⟦#1⟧ ￭!
	// Oluwaseun
	// $19.99
	// Ma sœur Oluwaseun a PAYÉ 19,99 $ !
	// "Oluwaseun" is span 1
	// "19,99\u00a0$" is span 2
}
