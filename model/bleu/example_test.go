package bleu_test

import (
	"fmt"
	"strings"

	"github.com/softsearch-go/softsearch/model/bleu"
)

func Example() {
	var s bleu.Statistics
	s.Add(strings.Fields("la voiture rouge est ici ."), strings.Fields("la voiture rouge est là ."))
	s.Add(strings.Fields("le chat dort ."), strings.Fields("le chat noir dort ."))
	fmt.Println(s.String())
	// Output:
	// BLEU = 42.10, 90.0/62.5/33.3/25.0 (BP=0.905, ratio=0.909, hyp_len=10, ref_len=11)
}
