package chrf_test

import (
	"fmt"

	"github.com/softsearch-go/softsearch/model/chrf"
)

func Example() {
	var s chrf.Statistics
	s.Add("The dog bit the man.", "The dog bit the man.", "The dog had bit the man.")
	s.Add("It wasn't surprising.", "It was not unexpected.", "No one was surprised.")
	s.Add("The man had just bitten him.", "The man bit him first.", "The man had bitten the dog.")
	fmt.Println(s.SacreBLEU(2))
	// Output:
	// chrF2|nrefs:2|case:mixed|eff:yes|nc:6|nw:0|space:no = 59.73
}
