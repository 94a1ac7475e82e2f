// Package markdown updates the tables of documents from results.
package markdown

import (
	"fmt"
	"os"
	"strings"
)

// Update rewrites a document: it replaces the text between each pair of the markers
//
//	<!-- NAME:TABLE ARGUMENT -->
//	…
//	<!-- /NAME -->
//
// by what content returns for TABLE and ARGUMENT, which ends with a newline. ARGUMENT may be missing.
// With check, Update changes nothing and fails if the document would change.
func Update(file, name string, check bool, content func(table, argument string) (string, error)) error {
	document, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	begin, end := "<!-- "+name+":", "<!-- /"+name+" -->"
	var b strings.Builder
	rest := string(document)
	for {
		before, after, found := strings.Cut(rest, begin)
		b.WriteString(before)
		if !found {
			return Write(file, b.String(), check)
		}
		marker, after, closed := strings.Cut(after, " -->")
		old, after, ended := strings.Cut(after, end)
		if !closed || !ended || strings.Contains(old, begin) {
			marker, _, _ = strings.Cut(marker, "\n")
			return fmt.Errorf("%s: marker %q has no end", file, marker)
		}
		table, argument, _ := strings.Cut(marker, " ")
		text, err := content(table, argument)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		b.WriteString(begin + marker + " -->\n" + text + end)
		rest = after
	}
}

// Write makes text the content of a file. With check, it changes nothing and fails if it is not.
func Write(file, text string, check bool) error {
	before, err := os.ReadFile(file)
	switch {
	case err == nil && string(before) == text:
		return nil
	case check:
		return fmt.Errorf("%s is not what the results give", file)
	}
	return os.WriteFile(file, []byte(text), 0o666)
}
