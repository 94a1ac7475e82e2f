package report

import (
	"fmt"
	"strings"
)

const (
	begin = "<!-- peers:"
	end   = "<!-- /peers -->"
)

// Rewrite returns document with the text between each pair of markers,
//
//	<!-- peers:NAME -->
//	…
//	<!-- /peers -->
//
// replaced by the table of that name.
func Rewrite(document string, r *Results) (string, error) {
	var b strings.Builder
	rest, found := document, false
	for {
		before, after, ok := strings.Cut(rest, begin)
		b.WriteString(before)
		if !ok {
			break
		}
		found = true
		name, after, ok := strings.Cut(after, " -->")
		text := tables[name]
		if !ok || text == nil {
			return "", fmt.Errorf("report: marker of an unknown table %q", firstWord(name))
		}
		old, after, ok := strings.Cut(after, end)
		if !ok || strings.Contains(old, begin) {
			return "", fmt.Errorf("report: marker of table %q has no end", name)
		}
		b.WriteString(begin + name + " -->\n" + text(r) + end)
		rest = after
	}
	if !found {
		return "", fmt.Errorf("report: no markers of tables")
	}
	return b.String(), nil
}

func firstWord(text string) string {
	if words := strings.Fields(text); len(words) > 0 {
		return words[0]
	}
	return ""
}
