package markup

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/softsearch-go/softsearch/model/text/pipeline"
)

// TestSpelling has characters that stand as references, which translations repeat.
func TestSpelling(t *testing.T) {
	f := fake{english(t, true), nil, nil}
	for markup, want := range map[string]string{
		"The price is &#36 5 or $7.": "The price is &#36; 5 or &#36;7.",
		"R&D5, x &#38 y":             "R&#38;D5, x &#38; y",
		"&copy a ©2":                 "&#169; a &#169;2",
		"&#" + strings.Repeat("0", 9) + "101; see x_" + strings.Repeat("e", 9): "&#101; s&#101;&#101; x_" + strings.Repeat("&#101;", 9),
		"a&nbsp;b &eacute; é":                        "a b &eacute; &eacute;",
		"<p>&quot;a&quot; b \"c\"</p><p>\"d\" e</p>": "<p>&quot;a&quot; b &quot;c&quot;</p><p>\"d\" e</p>",
		"<b>A</b> \u27e6\x011\u27e7 <code>x</code>":  "<b>A</b> [ 1] <code>x</code>",
	} {
		if got := f.document(htmlOf(markup, f.Pipeline)); got != want {
			t.Errorf("%q became %q, want %q", markup, got, want)
		}
	}
	for markup, want := range map[string]string{
		"a &CounterClockwiseContourIntegral; b": "a &#8755; b",
		"`x` \u27e6\x011\u27e7 &#1; *a*":        "`x` [ 1] *a*",
		strings.Repeat("*a* ", 1500) + "*b*.":   strings.Repeat("*a* ", 1500) + "*b*.", // text at the end
	} {
		if got := f.document(markdownOf(markup, f.Pipeline)); got != want {
			t.Errorf("%q became %q, want %q", markup, got, want)
		}
	}
}

func each(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i+20_000)
	}
	return b.String()
}

// TestLinear: four times the document takes at most eight times the memory.
func TestLinear(t *testing.T) {
	p := english(t, true)
	for name, test := range map[string]struct {
		divide func(text string, p pipeline.Pipeline) *Document
		text   func(n int) string
	}{
		"kinds of references": {htmlOf, func(n int) string { return "<p>" + each(n, "A&#%d;. ") }},
		"leading zeros":       {htmlOf, func(n int) string { return "<p>&#" + strings.Repeat("0", n) + "101; see x_" + strings.Repeat("e", n) }},
		"marks in a word":     {htmlOf, func(n int) string { return "<p>x_" + strings.Repeat("<!>a", n) }},
		"elements in a word":  {htmlOf, func(n int) string { return "<p>x_" + strings.Repeat("<i>a</i>", n) }},
		"code":                {htmlOf, func(n int) string { return "<p>" + each(n, "<code>%d</code> ") }},
		"joined sentences":    {htmlOf, func(n int) string { return "<p><a>" + strings.Repeat("A b. ", n) + "</a> c" }},
		"code of Markdown":    {markdownOf, func(n int) string { return each(n, "`%d` ") }},
		"tags without an end": {markdownOf, func(n int) string { return "a " + strings.Repeat("<code> a ", n) }},
		"strings": {func(text string, p pipeline.Pipeline) *Document { return divided("po", text, p) }, func(n int) string {
			return `msgid ""` + strings.Repeat("\n\"a \"", n) + "\nmsgstr \"\""
		}},
		"times":    {func(text string, p pipeline.Pipeline) *Document { return divided("vtt", text, p) }, func(n int) string { return strings.Repeat("1:00 --> 2:00\n", n) }},
		"comments": {markdownOf, func(n int) string { return "a " + strings.Repeat("<!-- a ", n) }},
		"brackets": {markdownOf, func(n int) string { return "a " + strings.Repeat("[", n) + strings.Repeat("]", n) }},
		"emphasis": {markdownOf, func(n int) string { return "a " + strings.Repeat("*a _b ", n) }},
	} {
		memory := func(n int) (bytes, length float64) {
			text := test.text(n)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			d := test.divide(text, p)
			list := d.Sentences()
			whole := d.With(func(i int) Translation {
				if s := p.Read(list[i], nil).Tokens; len(s) < 10 {
					return Translation{Text: list[i], Source: s, Target: s}
				}
				return Translation{} // whose weights would take the square
			})
			runtime.ReadMemStats(&after)
			if len(whole) > len(text)+MaxSpelling*len(strings.Join(list, "")) {
				t.Errorf("%s: %d bytes became %d", name, len(text), len(whole))
			}
			return float64(after.TotalAlloc - before.TotalAlloc), float64(len(text))
		}
		memory(100)
		few, short := memory(500)
		few = max(few, 1<<17) // patterns have memory of their own
		if many, long := memory(2000); many/few > 2*long/short {
			t.Errorf("%s: %.0f bytes for %.0f, and %.0f for %.0f", name, few, short, many, long)
		}
	}
}
