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
//	<!-- peers:NAME FILE -->
//	…
//	<!-- /peers -->
//
// replaced by the table of that name, made from the results that read returns for the file.
// Without FILE, read gets the empty string.
func Rewrite(document string, read func(file string) (*Results, error)) (string, error) {
	var b strings.Builder
	rest, found := document, false
	for {
		before, after, ok := strings.Cut(rest, begin)
		b.WriteString(before)
		if !ok {
			break
		}
		found = true
		marker, after, ok := strings.Cut(after, " -->")
		name, file, _ := strings.Cut(marker, " ")
		text := tables[name]
		if !ok || text == nil {
			return "", fmt.Errorf("report: marker of an unknown table %q", firstWord(name))
		}
		old, after, ok := strings.Cut(after, end)
		if !ok || strings.Contains(old, begin) {
			return "", fmt.Errorf("report: marker of table %q has no end", name)
		}
		r, err := read(file)
		if err != nil {
			return "", err
		}
		b.WriteString(begin + marker + " -->\n" + text(r) + end)
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
