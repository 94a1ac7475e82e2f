package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestBLEUReferences uses the example of sacreBLEU's README. 10 of 14, 6 of 11, 4 of 8 and 2 of 5
// n-grams of the words as they are match; sacreBLEU's test_bleu.py has 49.1919566.
func TestBLEUReferences(t *testing.T) {
	first := write(t, "first", "The dog bit the man.", "It was not unexpected.", "The man bit him first.")
	second := write(t, "second", "The dog had bit the man.", "No one was surprised.", "The man had bitten the dog.")
	const want = `BLEU = 49.19, 71.4/54.5/50.0/40.0 (BP=0.931, ratio=0.933, hyp_len=14, ref_len=15)
BLEU|nrefs:2|case:mixed|eff:no|tok:13a|smooth:exp = 48.53 82.4/50.0/45.5/37.5 (BP = 0.943 ratio = 0.944 hyp_len = 17 ref_len = 18)
chrF2|nrefs:2|case:mixed|eff:yes|nc:6|nw:0|space:no = 59.73
`
	got, stderr, code := execute("The dog bit the man.\nIt wasn't surprising.\nThe man had just bitten him.\n",
		"bleu", "--reference", first, "--reference", second)
	if got != want || code != 0 {
		t.Errorf("got\n%swant\n%sexit code %d %s", got, want, code, stderr)
	}
}

// table returns the lines of a report after the line that contains title, up to an empty line.
func table(report, title string) string {
	_, table, _ := strings.Cut(report, title)
	_, table, _ = strings.Cut(table, "\n")
	table, _, _ = strings.Cut(table, "\n\n")
	return strings.TrimSuffix(table, "\n")
}

// TestComparison compares a perfect system with one that is always wrong and has an empty line, and
// with itself.
func TestComparison(t *testing.T) {
	reference := write(t, "reference", "a b c d", "e f g h", "i j k l m")
	wrong := write(t, "wrong", "x y z w", "", "x")
	for _, test := range []struct{ baseline, want string }{
		{wrong, `         baseline    score difference      low     high        p
BLEU         0.00   100.00    +100.00  +100.00  +100.00   0.0010
BLEU 13a     0.00   100.00    +100.00  +100.00  +100.00   0.0010
chrF2        0.00   100.00    +100.00  +100.00  +100.00   0.0010`},
		{reference, `         baseline    score difference      low     high        p
BLEU       100.00   100.00      +0.00    +0.00    +0.00   1.0000
BLEU 13a   100.00   100.00      +0.00    +0.00    +0.00   1.0000
chrF2      100.00   100.00      +0.00    +0.00    +0.00   1.0000`},
	} {
		got, stderr, _ := execute("a b c d\ne f g h\ni j k l m\n", "bleu", "--reference", reference, "--baseline", test.baseline)
		title := "compared with " + test.baseline + ", 1000 paired bootstrap samples, seed 1:"
		if table := table(got, title); table != test.want {
			t.Errorf("got\n%s\nwant\n%s\n%s", got, test.want, stderr)
		}
	}
}

// TestBLEUInputs has the same text as plain and compressed files, with a byte-order mark and CRLF, and
// through a pipe.
func TestBLEUInputs(t *testing.T) {
	const reference, system = "the cat sat on the mat\na dog barks at me\n", "the cat sat on a mat\na dog barks at us\n"
	args := []string{"bleu", "--reference", "", "--baseline", "", "--by-length", ""}
	run := func(stdin string, paths ...string) string {
		for i, path := range paths {
			args[2*i+2] = path
		}
		stdout, stderr, code := execute(stdin, args...)
		if code != 0 {
			t.Errorf("%q: %s", paths, stderr)
		}
		for _, path := range paths {
			stdout = strings.ReplaceAll(stdout, path, "FILE")
		}
		return stdout
	}
	plain := write(t, "plain", reference)
	want := run(system, plain, plain, plain)
	for name, encode := range map[string]func(*testing.T, string) string{"gzip": compressions[1].compress, "zstd": compressions[2].compress, "BOM and CRLF": windows} {
		path := filepath.Join(t.TempDir(), "text")
		if err := os.WriteFile(path, []byte(encode(t, reference)), 0o666); err != nil {
			t.Fatal(err)
		}
		if got := run(encode(t, system), path, path, path); got != want {
			t.Errorf("%s: got\n%swant\n%s", name, got, want)
		}
	}
	shell := fmt.Sprintf("mkfifo pipe && { cat '%s' > pipe & } && rnnsearch bleu --reference pipe < '%s'", plain, write(t, "system", system))
	if runtime.GOOS == "windows" {
		t.Skip("no named pipes")
	}
	got, err := runScript(t, t.TempDir(), shell, "rnnsearch")
	if err != nil || !strings.HasPrefix(want, got) || got == "" {
		t.Errorf("pipe: %v, got\n%swant the beginning of\n%s", err, got, want)
	}
}

// windows returns text as editors of Windows write it.
func windows(_ *testing.T, s string) string { return "\ufeff" + strings.ReplaceAll(s, "\n", "\r\n") }

// TestLowercase compares with the scores of text that is in lower case already, with letters whose
// lower case depends on their neighbors or has several characters.
func TestLowercase(t *testing.T) {
	mixed := []string{"The CAT sat on İzmir's Mat .", "ΟΔΟΣ ΟΔΟΣΑ"}
	small := []string{"the cat sat on i̇zmir's mat .", "οδος οδοσα"} // as Python's str.lower
	system := "the cat sat ON i̇zmir's mat .\nοδος οδοσα ΑΣ\n"
	want, _, _ := execute("the cat sat on i̇zmir's mat .\nοδος οδοσα ας\n", "bleu", "--reference", write(t, "small", small...), "--confidence")
	got, stderr, code := execute(system, "bleu", "--reference", write(t, "mixed", mixed...), "--confidence", "--lowercase")
	if want = strings.ReplaceAll(want, "|case:mixed|", "|case:lc|"); got != want || code != 0 || strings.Count(got, "|case:lc|") != 2 {
		t.Errorf("exit code %d %s, got\n%swant\n%s", code, stderr, got, want)
	}
}

// TestBLEUJSON compares every number of the JSON output with the text.
func TestBLEUJSON(t *testing.T) {
	reference, second := write(t, "reference", "a b c d e", "f g h i j k", "l m n"), write(t, "second", "a b c d", "f g h i j", "l m")
	baseline := write(t, "baseline", "", "a b c d", "f g x y z")
	for _, more := range []string{"", "--lowercase", "--reference " + second, "--confidence --seed 9", "--baseline " + baseline, "--by-length " + reference,
		"--confidence --baseline " + baseline + " --by-length " + reference} {
		const system = "a b c x e\nf g h i j z\nl M n\n"
		args := append([]string{"bleu", "--reference", reference}, strings.Fields(more)...)
		text, _, _ := execute(system, args...)
		stdout, stderr, code := execute(system, append(args, "--json")...)
		var list []map[string]any
		if err := json.Unmarshal([]byte(stdout), &list); err != nil || code != 0 || len(list) != 3 {
			t.Fatalf("exit code %d, %s, %v, output\n%s", code, stderr, err, stdout)
		}
		var shown strings.Builder
		for i, o := range list {
			name, _ := o["name"].(string)
			signature, verbose := "|"+o["signature"].(string), ""
			if v := o["verbose_score"]; v != nil {
				verbose = " " + v.(string)
			}
			separator := ""
			if i == 0 {
				signature, separator = "", ","
			}
			fmt.Fprintf(&shown, "%s%s = %.2f%s%s\n", name, signature, o["score"], separator, verbose)
			for part := range strings.SplitSeq(o["signature"].(string), "|") {
				key, value, _ := strings.Cut(part, ":")
				if o[key] != value {
					t.Errorf("%s: %v, want %s of the signature", key, o[key], value)
				}
			}
		}
		names := []string{"BLEU", "BLEU 13a", "chrF2"}
		if strings.Contains(more, "--confidence") {
			fmt.Fprintf(&shown, "\n95 %% confidence, %.0f bootstrap samples, seed %.0f:\n%-8s %8s %8s %8s\n", list[0]["samples"], list[0]["seed"], "", "score", "low", "high")
			for i, o := range list {
				fmt.Fprintf(&shown, "%-8s %8.2f %8.2f %8.2f\n", names[i], o["score"], o["confidence_low"], o["confidence_high"])
			}
		}
		if strings.Contains(more, "--baseline") {
			fmt.Fprintf(&shown, "\ncompared with %s, %.0f paired bootstrap samples, seed %.0f:\n", baseline, list[0]["samples"], list[0]["seed"])
			fmt.Fprintf(&shown, "%-8s %8s %8s %10s %8s %8s %8s\n", "", "baseline", "score", "difference", "low", "high", "p")
			for i, o := range list {
				fmt.Fprintf(&shown, "%-8s %8.2f %8.2f %+10.2f %+8.2f %+8.2f %8.4f\n",
					names[i], o["baseline_score"], o["score"], o["difference"], o["difference_low"], o["difference_high"], o["p_value"])
			}
		}
		if strings.Contains(more, "--by-length") {
			rows := list[0]["by_length"].([]any)
			fmt.Fprintf(&shown, "\nby words in %s:\nwords    sentences     BLEU BLEU 13a    chrF2\n", reference)
			for i := range rows {
				row := rows[i].(map[string]any)
				fmt.Fprintf(&shown, "%-8s %9.0f", row["words"], row["sentences"])
				for _, o := range list {
					fmt.Fprintf(&shown, " %8.2f", o["by_length"].([]any)[i].(map[string]any)["score"])
				}
				shown.WriteByte('\n')
			}
		}
		if shown.String() != text {
			t.Errorf("%s: JSON has\n%stext is\n%s", more, &shown, text)
		}
	}
}
