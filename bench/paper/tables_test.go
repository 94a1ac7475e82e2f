package main

import (
	"io"
	"os"
	"path/filepath"
	"testing"
)

// TestPage checks that the tables of the page are up to date.
func TestPage(t *testing.T) {
	mustExecute(t, "page", "--page", "README.md", "--check")
}

func TestPageErrors(t *testing.T) {
	for _, document := range []string{"<!-- paper:table1 builtin -->", "<!-- paper:none builtin --><!-- /paper -->", "<!-- paper:table1 none --><!-- /paper -->"} {
		page := filepath.Join(t.TempDir(), "page.md")
		if err := os.WriteFile(page, []byte(document), 0o666); err != nil {
			t.Fatal(err)
		}
		if execute(t.Context(), []string{"page", "--page", page}, io.Discard, io.Discard) != 1 {
			t.Errorf("no error for %q", document)
		}
	}
}

func TestStrings(t *testing.T) {
	if got := (score{10, 12.3456, 11.26, 13}).String(); got != "12.35 (11.3–13.0)" {
		t.Error(got)
	}
	list, err := parseSystems("encdec-30,search-80")
	if err != nil || len(list) != 2 || list[0].name() != "RNNencdec-30" || list[1].name() != "RNNsearch-80" || list[1].file() != "search-80" {
		t.Error(list, err)
	}
}

func TestReadScores(t *testing.T) {
	for _, test := range []struct{ table, want string }{
		{"            score      low     high\nBLEU        58.91    57.06    60.55\nBLEU 13a    60.47    58.69    62.10\nchrF2       73.74    72.49    74.85\n",
			"58.91 (57.1–60.5) 60.47 (58.7–62.1) 73.74 (72.5–74.8)"},
		{"            score      low     high\nBLEU        58.91    57.06    60.55\n", ""},
		{"            score      low     high\nBLEU        58.91\nBLEU 13a    60.47    58.69    62.10\nchrF2       73.74    72.49    74.85\n", ""},
		{"BLEU = 58.91", ""},
	} {
		path := filepath.Join(t.TempDir(), "test.bleu")
		if err := os.WriteFile(path, []byte(test.table), 0o666); err != nil {
			t.Fatal(err)
		}
		scores, err := readScores(path)
		got := ""
		if len(scores) == 3 {
			got = scores[0].String() + " " + scores[1].String() + " " + scores[2].String()
		}
		if got != test.want || (err == nil) != (test.want != "") {
			t.Errorf("scores of %q: %s, %v, want %s", test.table, got, err, test.want)
		}
	}
}
