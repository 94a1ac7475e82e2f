package report

import (
	"fmt"
	"slices"
	"strings"
)

// machine is a sentence of what the results were measured on and one of the libraries.
func machine(r *Results) string {
	text := fmt.Sprintf("%s (%s), one thread at %s GHz, %s, %s, %s.",
		r.Fact("cpu"), r.Fact("caches"), r.Fact("ghz"), r.Fact("os"), r.Fact("go"), r.Fact("date"))
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
