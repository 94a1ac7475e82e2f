package main

import (
	"strings"
	"testing"
)

// TestPage checks that the tables of the page are up to date.
func TestPage(t *testing.T) {
	mustExecute(t, "page", "--page", "README.md", "--check")
}

func TestUpdateTablesErrors(t *testing.T) {
	for _, document := range []string{
		"<!-- paper:table1 builtin -->", "<!-- paper:none builtin --><!-- /paper -->", "<!-- paper:table1 none --><!-- /paper -->",
		"<!-- paper:table1 builtin --><!-- paper:table2 builtin --><!-- /paper -->",
	} {
		if _, err := updateTables(document, "results"); err == nil {
			t.Errorf("no error for %q", document)
		}
	}
	if got, err := updateTables("text", "none"); got != "text" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
}

func TestStrings(t *testing.T) {
	if got := (score{10, 12.3456, 11.26, 13}).String(); got != "12.35 (11.3–13.0)" {
		t.Error(got)
	}
	names := []string{}
	for _, s := range systems(30, 50) {
		names = append(names, s.name()+" "+s.file())
	}
	if got := strings.Join(names, ", "); got != "RNNencdec-30 encdec-30, RNNsearch-30 search-30, RNNencdec-50 encdec-50, RNNsearch-50 search-50" {
		t.Error(got)
	}
}
