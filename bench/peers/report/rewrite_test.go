package report

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestRewrite(t *testing.T) {
	const document = "# Title\n\n<!-- peers:gemv -->\nold\n<!-- /peers -->\n\ntext\n<!-- peers:elementwise other.txt --><!-- /peers -->\nend"
	const want = `# Title

<!-- peers:gemv -->
| | AVX2 | OpenBLAS AVX2, W row-major / transposed | AVX2 against OpenBLAS |
| --- | --- | --- | --- |
| 10×25 | 95.2 | 47.6 / 57.1 | 2.00 × / 1.67 × |
<!-- /peers -->

text
<!-- peers:elementwise other.txt -->
| | AVX2 | cycles | tphakala AVX2 |
| --- | --- | --- | --- |
| tanh of 100 | 2.00 | 4.50 | 3.30 (1.50 ×) |
<!-- /peers -->
end`
	var files []string
	read := func(file string) (*Results, error) {
		files = append(files, file)
		return parse(t, sample), nil
	}
	got, err := Rewrite(document, read)
	if err != nil || got != want {
		t.Fatalf("Rewrite: %v\n%s\nwant\n%s", err, got, want)
	}
	if !slices.Equal(files, []string{"", "other.txt"}) {
		t.Errorf("Rewrite read %q", files)
	}
	if again, err := Rewrite(got, read); err != nil || again != got {
		t.Errorf("Rewrite of its result: %v\n%s", err, again)
	}
}

func TestRewriteErrors(t *testing.T) {
	read := func(file string) (*Results, error) {
		if file != "" {
			return nil, fmt.Errorf("no results in %s", file)
		}
		return parse(t, sample), nil
	}
	for document, message := range map[string]string{
		"<!-- peers:gemv absent.txt --><!-- /peers -->": "no results in absent.txt",
		"no tables":                           "no markers",
		"<!-- peers:other --><!-- /peers -->": `unknown table "other"`,
		"<!-- peers:gemv -->":                 `"gemv" has no end`,
		"<!-- peers:gemv --><!-- peers:softmax --><!-- /peers -->": `"gemv" has no end`,
		"<!-- peers:": "unknown table",
	} {
		if _, err := Rewrite(document, read); err == nil || !strings.Contains(err.Error(), message) {
			t.Errorf("Rewrite(%q): error %v, want %q", document, err, message)
		}
	}
}

func TestMachine(t *testing.T) {
	const facts = "cpu: A\ncaches: L1 32K\nghz: 3.5\nos: Linux\ngo: go1\ndate: today\ngonum: v1\n" +
		"openblas-haswell: OpenBLAS 0.3 X\nopenblas-zen: OpenBLAS 0.3 Y\nother: v2\n"
	const want = "A (L1 32K), one thread at 3.5 GHz, Linux, go1, today. Gonum v1, OpenBLAS 0.3.\n"
	if got := machine(parse(t, facts+sample)); got != want {
		t.Errorf("machine: %q, want %q", got, want)
	}
}

// TestTables: every table is there and ends its last line.
func TestTables(t *testing.T) {
	r := parse(t, sample)
	for name, table := range tables {
		if text := table(r); !strings.HasSuffix(text, "\n") {
			t.Errorf("table %s: %q", name, text)
		}
	}
}
