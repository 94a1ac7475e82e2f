package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/softsearch-go/softsearch/bench/peers/suite"
)

// machine is a sentence of what the results were measured on and one of the libraries.
func machine(r *Results) string {
	clock := "one thread at " + r.Fact("ghz")
	if slices.ContainsFunc(r.Cases, func(c suite.Case) bool { return c.Threads > 1 }) {
		clock = r.Fact("ghz")
	}
	text := fmt.Sprintf("%s (%s), %s GHz, %s, %s, %s.",
		r.Fact("cpu"), r.Fact("caches"), clock, r.Fact("os"), r.Fact("go"), r.Fact("date"))
	var libraries []string
	for _, f := range r.Facts {
		name, _, _ := strings.Cut(f.Key, "-")
		if !slices.Contains([]string{"gonum", "vek", "tphakala", "gomlx", "openblas", "torch"}, name) {
			continue
		}
		library := title(name) + " " + f.Value
		if name == "openblas" { // its configuration begins with its name and version
			words := strings.Fields(f.Value)
			library = strings.Join(words[:min(2, len(words))], " ")
		}
		if !slices.Contains(libraries, library) {
			libraries = append(libraries, library)
		}
	}
	if len(libraries) > 0 {
		text += " " + strings.Join(libraries, ", ") + "."
	}
	return text + "\n"
}
