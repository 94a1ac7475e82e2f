package markup

import (
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// TestMarkdown has documents that are the same if no sentence changes, and their sentences.
func TestMarkdown(t *testing.T) {
	for text, want := range map[string][]string{
		"---\na: b\n---\n# A title #\n\nA *b c* **d** ~~e~~, [f `g`](h \"i\") `l m` ![j](k)<nn:o>. P\\_q\\_r.\n": {
			"A title", "A b c d e, f \ufffc \ufffc \ufffc.", "P_q_r."},
		"A\n=\n- b c\n- [ ] d\n\n      e\n\n  f\n\n***\n\n    g\n\n```\nh\n```\n> i j\n\n| k | l |\n|---|---|\n| m | n |\n\n[o]: p\n<div>\nq\n\nr <b>s</b> <code>t</code> u": {
			"A", "b c", "d", "f", "i j", "k", "l", "m", "n", "r s \ufffc u"},
		"> ```sh\n> make\n> ```\n\nA.\n\n```sh\nx\n```\n\nB.\n":     {"A.", "B."},
		"> A.\n> ```sh\n> make\n> ```\n":                            {"A."},
		"> ```\n> make\nA.\n> ```\n> b\n":                           {"A."},
		"- ```go\n  x\n  ```\n- A.\n":                               {"A."},
		"- - ```go\n    x\n    ```\n- A.\n":                         {"A."},
		"- 1. A.\n   2. B.\n":                                       {"A.", "B."},
		strings.Repeat("> ", 100) + "A":                             {strings.Repeat("> ", 36) + "A"}, // of maxDepth
		strings.Repeat("- ", 100) + "A":                             {strings.Repeat("- ", 68) + "A"},
		"> 1. A.\n> 2. ~~~\n>    x\n\nB.\n":                         {"A.", "B."},
		"- ```x``` A.\n":                                            {"\ufffc A."},
		"```\n> ```\n```\nA.\n":                                     {"A."},
		"> A\n> > ```\n> > b\n> C\n":                                {"A", "C"},
		"> - Go\n> - A b\n":                                         {"Go", "A b"},
		"> # A\n> B.\n> 1. C\n\n- d\n> E\n":                         {"A", "B.", "C", "d", "E"},
		"> [!NOTE]\n> A.\n":                                         {"A."},
		"> A\n> ---\n>\n>     b\n> | c |\n> |---|\n\nD\n":           {"A", "c", "D"},
		"| a *b* | `c` |\n|:--|--:|\n| d \\| e ||\nF.\n":            {"a b", "d | e", "F."},
		"A[^1] b.[^x]\n\n[^1]: C d.\n[^x]: E f.\n\n    G.\n":        {"A b.", "C d.", "E f.", "G."},
		"A\n:   B c.\n\nD\n: *e*\n: F\n":                            {"A", "B c.", "D", "e", "F"},
		"A $x_1 + b*c*d$ is \\$5 or \\$7, \\$y.\n\n$$\na _b_\n$$\n": {"A \ufffc is $5 or $7, $y."},
		"a  \nB\\\nC <!-- D. -->\n":                                 {"a", "B", "C"},
		"[A](b) [C d](e) ![f](g)\n":                                 {"A", "C d"},
		"> A.\n> > B c.\n>> D e.\n> F.\n\n> > [g]: h\n":             {"A.", "B c.", "D e.", "F."},
		"> A b.  \n> C d.\n":                                        {"A b.", "C d."},
		"<!-- A\n\nb. -->\n\nC.\n":                                  {"C."},
		"<PRE>\na\n\nb\n</PRE>\n\nC.\n":                             {"C."},
		"<!-- a -->\n\nB.\n":                                        {"B."},
		"---\n\nA b.\n":                                             {"A b."},
		"```go run x``` b.\n\nC.\n":                                 {"\ufffc b.", "C."},
		"```md\n```python\n```\nA.\n~~~a`\n~~\n~~~~\nB.":            {"A.", "B."},
		"A [b][] [c] [d] e[f] [h][i] [j](k).\n":                     {"A b c d e[f] h j."},
	} {
		p := english(t, true)
		d := markdownOf(text, p)
		list := d.Sentences()
		if !slices.Equal(list, want) {
			t.Errorf("%q: sentences %q, want %q", text, list, want)
		}
		if got := d.With(func(i int) Translation { return Same(p, list[i]) }); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
	if len(markdownOf(strings.Repeat("[a]: b\n", maxMarks+1), english(t, true)).Sentences()) == 0 {
		t.Error("any number of definitions")
	}
}

// TestMarkdownPlaces translates sentences into their words backwards.
func TestMarkdownPlaces(t *testing.T) {
	f := fake{english(t, true), func(_ string, n int) (order []int) {
		for i := range n {
			order = append(order, n-1-i)
		}
		return order
	}, nil}
	for text, want := range map[string]string{
		"a [b c][] [D] e\n\n> [b  C]: f\n[d]: g\n":                             "e [D][D] [c b][b c] a\n\n> [b  C]: f\n[d]: g\n",
		"a\n*b* **c d** [e](f) `g`\n":                                          "`g` [e](f) **d c** *b* a\n",
		"a ***b* c** ~d~ [**e** `f`](g \"h\") ![i](j)":                         "[`f` **e**](g \"h\") ~d~ **c *b*** a ![i](j)",
		"> a\n> &copy; \\!\nd\n":                                               "> d \\! &copy; a\n",
		"a b[^1] c.[^2]\n":                                                     ".[^2] c b[^1] a\n",
		"| a b | c <i title='d e'>&amp;</i> |\n|--|--|\n| d \\| e | $f$ g |\n": "| b a | <i title='e d'>&amp;</i> c |\n|--|--|\n| e \\| d | g $f$ |\n",
		"a  \n<kbd>b</kbd> <i>c</i>[^1]\n":                                     "  \n<i>c</i>[^1] <kbd>b</kbd> a\n",
	} {
		if got := f.document(markdownOf(text, f.Pipeline)); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}

// TestMarkdownMemory stops at the first sentence: what is held then has at most ten times the bytes of the document.
func TestMarkdownMemory(t *testing.T) {
	p, text := english(t, true), strings.Repeat("- A **b** *c* ~~d~~ [e](f) `g` <i>h</i> ![i](j).\n\n", 5000)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	Read("markdown", strings.NewReader(text), p, "fr", func(*Document) error {
		runtime.GC()
		runtime.ReadMemStats(&after)
		return io.EOF
	})
	if held := int(after.HeapAlloc) - int(before.HeapAlloc); held > 10*len(text) {
		t.Errorf("%d bytes for a document of %d", held, len(text))
	}
}

// unquoted returns a text without what may change if no word does: white space, control characters, backslashes, the
// marks of quotations, and how often a character is repeated, as in lines under titles.
func unquoted(text string) string {
	list := []rune(strings.Map(func(r rune) rune {
		if r < ' ' || r == '>' || r == '\\' {
			return -1
		}
		return r
	}, bare(text)))
	return string(slices.Compact(list))
}

var markdownSeeds = []string{"# a\n> b\n> c\n", "a\n===\n", "b\n- c\n\td", "*a _b*_ [c](d) <b>", "| a\n|--|", "<b>_*_ [c](d)", "a b **:-)**", "<b_>(d)", "- a\n```\nb\n```\n> c\n", "0@@"}

// TestMarkdownQuotations compares the sentences of documents with those of the same documents in a quotation.
func TestMarkdownQuotations(t *testing.T) {
	p := english(t, true)
	for _, text := range append(markdownSeeds, "a\n~~~\nb\n~~~\nc", "The cat.\n- a\n- b\n\n    c", "[!NOTE]\na", "a\\\nb\n\n> c\n> d") {
		text = "\n" + text // no front matter
		got := markdownOf("> "+strings.ReplaceAll(text, "\n", "\n> "), p).Sentences()
		want := markdownOf(text, p).Sentences()
		if !slices.EqualFunc(got, want, func(a, b string) bool { return unquoted(a) == unquoted(b) }) {
			t.Errorf("%q: sentences %q, and %q in a quotation", text, want, got)
		}
	}
}

// FuzzMarkdown translates words by themselves: all letters, digits and marks of ASCII stay, their case aside, unless a
// reference stands for white space, a definition adds labels, or each of several sentences gets the element around them.
func FuzzMarkdown(f *testing.F) {
	for _, text := range markdownSeeds {
		f.Add(text)
	}
	if path := os.Getenv("MARKDOWN"); path != "" {
		data, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(data))
	}
	p := english(f, true)
	f.Fuzz(func(t *testing.T, text string) {
		meant := html.UnescapeString(text)
		isOther := func(r rune) bool { return r >= 0x7f && (r < 'À' || r > 'ž') || r < ' ' && r != '\n' && r != '\t' }
		if strings.Contains(text, "]:") || strings.ContainsFunc(meant, isOther) || count(meant, isSolid)-len(meant) != count(text, isSolid)-len(text) || len(p.Sentences(strings.ReplaceAll(text, "\n", " "))) > 1 {
			return
		}
		if got := (fake{p, nil, nil}).document(markdownOf(text, p)); !strings.EqualFold(unquoted(strings.ToLower(got)), unquoted(strings.ToLower(text))) {
			t.Errorf("%q became %q", text, got)
		}
	})
}
