package main

import (
	"encoding/json"
	"fmt"
	"regexp"
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

// TestBLEUJSON finds every number of the JSON output in the text.
func TestBLEUJSON(t *testing.T) {
	reference, second := write(t, "reference", "a b c d e", "f g h i j k", "l m n"), write(t, "second", "a b c d", "f g h i j", "l m")
	baseline := write(t, "baseline", "", "a b c d", "f g x y z")
	const system = "a b c x e\nf g h i j z\nl M n\n"
	for _, more := range []string{"--lowercase --reference " + second, "--confidence --seed 9 --baseline " + baseline + " --by-length " + reference} {
		args := append([]string{"bleu", "--reference", reference}, strings.Fields(more)...)
		text, _, _ := execute(system, args...)
		stdout, stderr, code := execute(system, append(args, "--json")...)
		var list []map[string]any
		if err := json.Unmarshal([]byte(stdout), &list); err != nil || code != 0 || len(list) != 3 {
			t.Fatalf("exit code %d, %s, %v, output\n%s", code, stderr, err, stdout)
		}
		for i, o := range list {
			signature := o["signature"].(string)
			for part := range strings.SplitSeq(signature, "|") {
				if key, value, _ := strings.Cut(part, ":"); o[key] != value {
					t.Errorf("%s: %v, want %s of the signature", key, o[key], value)
				}
			}
			title := []string{"BLEU", "BLEU 13a", "chrF2"}[i]
			want := []string{fmt.Sprintf("|%s = %.2f", signature, o["score"])}
			if i == 0 {
				want[0] = fmt.Sprintf("BLEU = %.2f, %s\n", o["score"], o["verbose_score"])
			}
			if strings.Contains(more, "--confidence") {
				want = append(want, fmt.Sprintf("95 %% confidence, %.0f bootstrap samples, seed %.0f:\n", o["samples"], o["seed"]),
					fmt.Sprintf("%-8s %8.2f %8.2f %8.2f\n", title, o["score"], o["confidence_low"], o["confidence_high"]),
					fmt.Sprintf("%-8s %8.2f %8.2f %+10.2f %+8.2f %+8.2f %8.4f\n",
						title, o["baseline_score"], o["score"], o["difference"], o["difference_low"], o["difference_high"], o["p_value"]))
				for _, row := range o["by_length"].([]any) {
					row := row.(map[string]any)
					line := regexp.MustCompile(fmt.Sprintf("(?m)^%s +%.0f .*$", row["words"], row["sentences"])).FindString(text)
					if fields := strings.Fields(line); len(fields) != 5 || fields[2+i] != fmt.Sprintf("%.2f", row["score"]) {
						t.Errorf("%s: %v in the line %q", title, row, line)
					}
				}
			}
			for _, part := range want {
				if !strings.Contains(text, part) {
					t.Errorf("%s: no %q in\n%s", more, part, text)
				}
			}
		}
	}
}
