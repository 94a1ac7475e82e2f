package main

import (
	"os"
	"path/filepath"
	"testing"
)

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
