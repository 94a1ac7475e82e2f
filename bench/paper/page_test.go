package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestPage shows that the tables and figures are those of the results, and that a change of a result is noticed.
func TestPage(t *testing.T) {
	if err := page(".", true); err != nil {
		t.Error(err)
	}
	folder := t.TempDir()
	if err := os.CopyFS(folder, os.DirFS(".")); err != nil {
		t.Fatal(err)
	}
	for file, change := range map[string][2]string{
		"builtin/search-50.scores":         {"all: 800 0 75", "all: 800 0 76"},
		"multi30k/search-50.jsonl":         {`"event":"validation"`, `"event":"progress"`},
		"laws-segments/search-80.bleu":     {"35.33    34.52", "35.33    34.42"},
		"published/seed-1.bleu":            {"60.51", "60.52"},
		"hansards/gold-test.agreement.aer": {"8.4     6.7", "8.4     6.8"},
		"sigmorphon2016/forms.txt":         {"14336", "14337"},
		"laws-words/figure2.svg":           {"polyline", "polygon"},
	} {
		path := filepath.Join(folder, "results", file)
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(strings.ReplaceAll(string(content), change[0], change[1])), 0o666); err != nil {
			t.Fatal(err)
		}
		if err := page(folder, true); err == nil {
			t.Errorf("%s: %q in place of %q passes", file, change[1], change[0])
		}
		if err := os.WriteFile(path, content, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// TestWilson compares with the interval for 81 of 263 in Newcombe (1998), table I.
func TestWilson(t *testing.T) {
	if got := wilson(81, 263); got != "30.80 (25.5–36.6)" {
		t.Error(got)
	}
}

// TestScripts trains tiny models, twice: the second time nothing is trained, and the results are the same.
func TestScripts(t *testing.T) {
	if os.Getenv("SOFTSEARCH_TEST") != "full" {
		t.Skip("builds the command and trains fifteen models")
	}
	data := t.TempDir()
	write := func(name, content string) string {
		path := filepath.Join(data, name)
		if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	const english, french = "the cat sees a dog\nThe dog's friend sleeps\na cat\nit eats\na house\n", "le chat voit un chien\nL'ami du chien dort\nun chat\nil mange\nune maison\n"
	for name, n := range map[string]int{"train": 20, "val": 2, "test": 3, "gold": 1} {
		write(name+".en", strings.Repeat(english, n))
		write(name+".fr", strings.Repeat(french, n))
	}
	write("gold.align", strings.Repeat("0-0 1p1\n", 5))
	forms := "cat\tpos=N,num=PL\tcats\na b\tpos=N\ta b\n"
	for part, n := range map[string]int{"train": 20, "dev": 2, "test": 2} {
		zip := exec.Command("gzip", write("toy-task1-"+part, strings.Repeat(forms, n)))
		if err := zip.Run(); err != nil {
			t.Fatal(err)
		}
	}
	shown := write("shown.en", "the cat sees a house\n")
	settings := write("settings.json", `{"embedding": 8, "hidden": 8, "maxout": 8, "batch": 4, "optimizer": "adam", "updates": 6}`)
	for _, test := range []struct {
		args  []string
		want  map[string]string // files of results and what is in them
		extra string
	}{
		{[]string{"run.sh", "tiny", "encdec-4 search-9", data}, map[string]string{
			// Of 99 texts of 100 sentences, joined in turn, 80 have at most 9 words; the test has 3 texts of each of 1 to 5 sentences.
			"search-9.scores": "pairs: 80\n", "encdec-4.scores": "all: 15 ", "search-9.bleu": "BLEU = ", "figure3.svg": "<svg", "encdec-4.jsonl": `"update":6`,
		}, "RAW=1 JOIN=3 SHOWN=" + shown},
		{[]string{"align.sh", data, "gold"}, map[string]string{
			"gold.attention.aer": "grow-diag-final", "gold.agreement.aer": "grow-diag-final", "second.fr-en.jsonl": `"update":6`,
		}, "UPDATES=3"},
		{[]string{"inflect.sh", data}, map[string]string{"forms.txt": "\ntoy 4 ", "toy.jsonl": `"update":6`}, "LANGUAGES=toy FLAGS=--settings=" + settings},
	} {
		work, results := t.TempDir(), t.TempDir()
		var first string
		for range 2 {
			c := exec.Command("bash", append([]string{filepath.Join("bench", "paper", test.args[0])}, test.args[1:]...)...)
			c.Dir = filepath.Join("..", "..")
			c.Env = append(os.Environ(), append(strings.Fields(test.extra), "SETTINGS="+settings, "WORK="+work, "RESULTS="+results)...)
			if output, err := c.CombinedOutput(); err != nil {
				t.Fatalf("%v: %v\n%s", test.args, err, output)
			}
			all := ""
			for name, want := range test.want {
				content, err := os.ReadFile(filepath.Join(results, name))
				if err != nil || !strings.Contains(string(content), want) {
					t.Errorf("%v: %s has no %q: %v\n%s", test.args, name, want, err, content)
				}
				all += string(content)
			}
			if first == "" {
				first = all
			} else if len(all) != len(first) {
				t.Errorf("%v: other results the second time:\n%s\n%s", test.args, all, first)
			}
		}
	}
}
