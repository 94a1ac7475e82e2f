package markup

import (
	"fmt"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/net/html"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model/internal/fixture"
	"github.com/softsearch-go/softsearch/model/text/pipeline"
)

// english returns a pipeline with or without spans.
func english(t testing.TB, spans bool) pipeline.Pipeline {
	t.Helper()
	s := pipeline.Defaults("en")
	if !spans {
		s = pipeline.Settings{Language: "en"}
	}
	p, err := pipeline.New(s)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Same returns a sentence as its own translation.
func Same(p pipeline.Pipeline, sentence string) Translation {
	tokens := p.Read(sentence, nil).Tokens
	return Translation{Text: sentence, Source: tokens, Target: tokens}
}

// divided divides a whole document.
func divided(format, text string, p pipeline.Pipeline) *Document {
	d, err := Whole(format, text, p, "fr")
	if err != nil {
		panic(err)
	}
	return d
}

func htmlOf(text string, p pipeline.Pipeline) *Document { return divided("html", text, p) }

func markdownOf(text string, p pipeline.Pipeline) *Document { return divided("markdown", text, p) }

// A fake translator divides a sentence into tokens and returns those in its order: "b a", say, for [1, 0].
type fake struct {
	pipeline.Pipeline
	order   func(sentence string, n int) []int // of n tokens; nil to keep it
	weights func(row []float32, at int)        // of a target token that is source token at; nil for one weight of 1
}

func (f fake) translate(sentence string) Translation {
	r := f.Read(sentence, nil)
	order := make([]int, len(r.Tokens))
	for i := range order {
		order[i] = i
	}
	if f.order != nil {
		order = f.order(sentence, len(order))
	}
	a := kernels.NewMatrix(len(r.Words), len(r.Words)+1)
	var target []string
	for _, token := range order {
		for at := r.Tokens[token].Words[0]; at < r.Tokens[token].Words[1]; at++ {
			if f.weights == nil {
				a.Row(len(target))[at] = 1
			} else {
				f.weights(a.Row(len(target)), at)
			}
			target = append(target, r.Words[at])
		}
	}
	w := f.Write(target, r)
	return Translation{w.Line, r.Tokens, w.Tokens, a}
}

func (f fake) document(d *Document) string {
	list := d.Sentences()
	return d.With(func(i int) Translation { return f.translate(list[i]) })
}

// TestHTMLSentences has markup and the sentences in it.
func TestHTMLSentences(t *testing.T) {
	for markup, want := range map[string][]string{
		"":                    nil,
		"a b":                 {"a b"},
		"a\nb. C.":            {"a", "b.", "C."},
		"<p>a<b> b </b>c</p>": {"a b c"},
		"a &lt; b &amp; c":    {"a < b & c"},
		"<title>a</title><script>b()</script><style>c{}</style>d":   {"a", "d"},
		"<pre>a<b>b</b></pre>c<code>d<code>e</code>f</code> g":      {"c⟦⟧ g"},
		`<p translate="no">a<p>b</p>c</p>d`:                         {"d"},
		`<img translate=no alt="a">b<br translate="NO">c`:           {"b c"},
		`a <i class="x notranslate">b</i> <i class=translate>c</i>`: {"a ⟦⟧ c"},
		"<!-- a --><!doctype html>b":                                {"b"},
		"a<p title='b":                                              {"a"},
		"1 < 2":                                                     {"1 < 2"},
		"</code>a</p>":                                              {"a"},
		"a<code/>b":                                                 {"ab"},
		"<p> \n. </p>…":                                             nil,
		"A <b>man</b>\n sleeps. <a>A dog</a> barks.":                {"A man sleeps.", "A dog barks."},
		"<a>A man. A</a> dog. A <b>cat. A</b> bird.":                {"A man. A dog.", "A cat.", "A bird."},
		"a <b>b c</i> d</b> e":                                      {"a", "b c", "d", "e"},
		"a<code>x</code>b <code>y</code> <code>x</code> &hellip;":   {"a⟦⟧b ⟦⟧ ⟦⟧ …"},
		"<code>x</code> + <code>y</code>":                           nil,
		"<a>A</a> <a>b c</a> | <label>d <input></label>":            {"A", "b c", "d"},
		"<b><a>A</a> <a>b</a></b> c":                                {"A b c"},
		"a<br>B c<br>d<br><br>e":                                    {"a", "B c d", "e"},
		"a <i lang=de>b</i> <i lang=en-GB>c</i><p lang=de>d</p>":    {"a ⟦⟧ c"},
		"<html lang=de>a <ruby>b<rt>c</rt></ruby> d":                {"a ⟦⟧ d"},
		"a<sup><a>1</a></sup> b.<sup>[2]</sup> C<sup>th</sup>":      {"a b.", "Cth"},
		"a <x/>. B<span/> c":                                        {"a ⟦⟧.", "B c"},
		"<meta name=Description content=a><meta content=b>c":        {"a", "c"},
		"<p title='a b'>c <img alt=d></p><code title=e>f</code>":    {"a b", "d", "c"},
	} {
		p := english(t, true)
		d := htmlOf(markup, p)
		got := d.Sentences()
		for i := range got {
			got[i] = strings.ReplaceAll(got[i], object, "⟦⟧")
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: sentences %q, want %q", markup, got, want)
		}
	}
}

// TestPlaces has orders of the tokens of sentences, and where the elements are then.
func TestPlaces(t *testing.T) {
	for _, test := range []struct {
		markup string
		order  []int
		want   string
	}{
		{"a <b>b</b> c", []int{1, 2, 0}, "<b>b</b> c a"},
		{"a <b>b c</b> d", []int{1, 0, 3, 2}, "<b>b</b> a d <b>c</b>"},        // repeated
		{"a <b>b c</b> d", []int{1, 0, 2, 3}, "<b>b a c</b> d"},               // one word between
		{"a <b id=x>b c</b> d", []int{1, 0, 3, 2}, "<b id=x>b</b> a d c"},     // not repeated
		{"a <a>b c d</a> e f", []int{1, 4, 5, 2, 3, 0}, "b e f <a>c d</a> a"}, // the longest row
		{"<a>b c</a> <i>d</i> e", []int{0, 2, 1, 3}, "<a>b</a> <i>d</i> c e"}, // none is inside another one
		{"a <a><b>b</b> c</a> d", []int{2, 1, 0, 3}, "<a>c <b>b</b></a> a d"},
		{"a <a>b</a> c", []int{0, 2}, "a <a></a>c"}, // without words
		{"a <a x='&amp;'>b</a> c", []int{2, 0}, "<a x='&amp;'></a>c a"},
		{"a <br> b <img src=x>c", []int{0, 2, 1}, "a <br><img src=x>c b"},
		{"a d <b>b<!-- ! --> c</b>", []int{3, 0, 1, 2}, "<b><!-- ! -->c</b> a d <b>b</b>"},
		{"a <b>b<br></b> c", []int{2, 1, 0}, "c <b>b<br></b> a"},
		{"a <i></i> <b> </b> b c", []int{2, 0, 1}, "<i></i><b> </b>c a b"},
		{"a <code>f(x)</code> c <code>y</code>", []int{3, 2, 1, 0}, "<code>y</code> c <code>f(x)</code> a"},
		{"a <b><code>f(x)</code> b</b> c", []int{2, 1, 3, 0}, "<b>b <code>f(x)</code></b> c a"},
		{"a<sup><a>1</a></sup> b x<sup>2</sup>.<sup>3</sup>", []int{3, 2, 1, 0}, ".<sup>3</sup> x<sup>2</sup> b a<sup><a>1</a></sup>"},
		{"a <i>b</i><sup>1</sup> c", []int{2, 1, 0}, "c <i>b</i><sup>1</sup> a"},
		{"a <code>x</code><sup>1</sup> c", []int{2, 1, 0}, "c <code>x</code><sup>1</sup> a"},
		{"a <img src=x> b<img src=y> c <img src=z>d type <x/>.", nil, "a <img src=x> b<img src=y> c <img src=z>d type <x/>."},
		{"a <i>b</i><img src=x> c<a id=d></a> d", nil, "a <i>b</i><img src=x> c<a id=d></a> d"},
		{"a w<b>or</b>d <i>x</i>_y<u>1</u>, <ruby>b<rt>c</rt></ruby>.", nil, "a w<b>or</b>d <i>x</i>_y<u>1</u>, <ruby>b<rt>c</rt></ruby>."},
		{"<b>b</b>a c", []int{1, 0}, "c <b>b</b>a"},
		{"<img alt='it&#39;s \"a b' src=x> a <b title=c>b c</b> d", nil, "<img alt='it&#39;s \"a b' src=x> a <b title=c>b c</b> d"},
		{"<html lang='en-GB'><q lang=EN><i xml:lang='de'>a</i>", nil, "<html lang='fr'><q lang=fr><i xml:lang='de'>a</i>"},
		{"a <b>b. C</b> d.", nil, "a <b>b.</b> <b>C</b> d."},
		{"<b>A b. C d.</b> E", nil, "<b>A b. C d.</b> E"},
		{"h<sub>2</sub>o a", []int{1, 0}, "a h<sub>2</sub>o"},
		{"a &copy; b &lt; &#99;", []int{4, 3, 2, 1, 0}, "&#99; &lt; b &copy; a"},
		{"<b>-</b> a b <i>:-)</i>", []int{1, 0}, "<b>-</b> b a <i>:-)</i>"}, // ends that stay
		{"a &lt;<code>x</code>&gt; b", nil, "a &lt;<code>x</code>&gt; b"},   // no tag in the text
	} {
		f := fake{english(t, true), func(s string, n int) []int {
			if test.order != nil {
				return test.order
			}
			order := make([]int, n)
			for i := range order {
				order[i] = i
			}
			return order
		}, nil}
		if got := f.document(htmlOf(test.markup, f.Pipeline)); got != test.want {
			t.Errorf("%s in order %v: %s, want %s", test.markup, test.order, got, test.want)
		}
	}
}

// TestAttributes translates texts in tags.
func TestAttributes(t *testing.T) {
	for markup, want := range map[string]string{
		"<p title='a b'>c <img src=x alt=\"a &amp; b\">d</p>": "<p title='b a'><img src=x alt=\"b &amp; a\">d c</p>",
		"a <b aria-label = \"l'a b\">b c</b>":                 "<b aria-label = \"b'a l\">c b</b> a",
		"<input placeholder='a &quot; b' value='c d'>":        "<input placeholder='b \" a' value='c d'>",
		"<meta property=og:description content='A b. C d.'/>": "<meta property=og:description content='. B a . D c'/>",
		"<img alt=a&nbsp;b>":                                  "<img alt=\"b a\">",
		"<script title='a b'></script>":                       "<script title='a b'></script>",
	} {
		if got := backwards(t, "html", markup); got != want {
			t.Errorf("%s became %s, want %s", markup, got, want)
		}
	}
}

// TestSmooth has weights that are not clear.
func TestSmooth(t *testing.T) {
	f := fake{english(t, false), nil, func(row []float32, at int) {
		row[at], row[(at+1)%len(row)], row[len(row)-1] = 0.4, 0.3, 0.6 // of the next word and of the end
	}}
	if got, want := f.document(htmlOf("a <b>b c</b> <a>d</a> <code>e f</code>", f.Pipeline)), "a <b>b c</b> <a>d</a> <code>e f</code>"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	// The element without a word of its own has the word that looks at it most, and no comma that the sentence lacks.
	f.weights = func(row []float32, at int) { row[at], row[max(0, at-1)] = 0.4, 0.6 }
	tr := f.translate("a b c")
	tr.Text, tr.Target[1].Text = "a, c", ","
	tr.Target[0].Bytes, tr.Target[1].Bytes, tr.Target[2].Bytes = [2]int{0, 1}, [2]int{1, 2}, [2]int{3, 4}
	for markup, want := range map[string]string{"<b>a</b> b c": "<b>a</b>, c", "a <q>b</q> c": "a, <q>c</q>"} {
		if got := htmlOf(markup, f.Pipeline).With(func(int) Translation { return tr }); got != want {
			t.Errorf("%s: got %s, want %s", markup, got, want)
		}
	}
	// No element ends at an apostrophe inside a word, where Markdown would not see its end.
	f.weights = nil
	tr = f.translate("a b c")
	tr.Text, tr.Target[0].Text = "l'b c", "l'"
	tr.Target[0].Bytes, tr.Target[1].Bytes, tr.Target[2].Bytes = [2]int{0, 2}, [2]int{2, 3}, [2]int{4, 5}
	if got, want := markdownOf("*a* b c", f.Pipeline).With(func(int) Translation { return tr }), "*l'b* c"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	// A sentence of another language stays, and so does kept content that a translation lacks.
	d := htmlOf("Das <b>ist</b> <code>x</code> ein Satz.", f.Pipeline)
	if got, want := d.With(func(int) Translation { return Translation{Text: d.Sentences()[0]} }), "Das <b>ist</b> <code>x</code> ein Satz."; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	tr = f.translate(d.Sentences()[0])
	tr.Text, tr.Target, tr.Alignment = "Das", tr.Target[:1], kernels.View(tr.Alignment.Row(0), 1, tr.Alignment.Cols)
	if got, want := d.With(func(int) Translation { return tr }), "Das<b></b><code>x</code>"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	// No alignment: both sides have the same order.
	f.weights = nil
	d = htmlOf("a <b>b c</b> d", f.Pipeline)
	whole := d.With(func(int) Translation {
		tr := f.translate("a b c d")
		tr.Alignment = kernels.Matrix{}
		return tr
	})
	if want := "a <b>b c</b> d"; whole != want {
		t.Errorf("without an alignment: %s, want %s", whole, want)
	}
}

// A tree writes random markup: nested elements in blocks, with entities, comments, code and scripts.
type tree struct {
	*rand.Rand
	strings.Builder
}

func (w *tree) pick(list ...string) string { return list[w.IntN(len(list))] }

func (w *tree) write(depth int) {
	for range w.IntN(5) {
		switch n := w.IntN(14); {
		case n < 5:
			w.WriteString(w.pick("dog", "a", "Man", "1st", "it's", "(b)", "&quot;c&quot;", "x&amp;y", "&eacute;t&#233;", "&nbsp;", "&hellip;", "z.", "U.") + w.pick(" ", " ", ". ", "", "\n"))
		case n == 5:
			w.WriteString(w.pick("<br>", "<img data-x='a &lt; b' src=x>", "<!-- <b>c</b> -->", "<wbr>", "<script>if (a<b) c()</script>", "<i></i>", "<a name=x> </a>", "<svg><text>A b</text></svg>"))
		case n == 6:
			w.WriteString(w.pick("<code>f(x)</code>", "<code>f(x)</code>", "<kbd>A. <b>B</b></kbd>", "<span class='notranslate y'>No. Not</span>", "<q translate=no>x</q>") + w.pick("", " "))
		case depth > 0:
			name := w.pick("b", "i", "em", "span", "a", "q", "cite", "my-x")
			fmt.Fprintf(w, "<%s%s>", name, w.pick("", " class=x", fmt.Sprintf(" id=i%d", w.IntN(1e9)), " data-x='a > b &amp; c'"))
			w.write(depth - 1)
			fmt.Fprintf(w, "</%s>", name)
			w.WriteString(w.pick("", " "))
		}
	}
}

// counted returns how often each tag and comment of markup is there, formatting without id apart, its text without
// white space, and the first tag that does not end what is open.
func counted(markup string) (tags, others map[string]int, text, wrong string) {
	tags, others = map[string]int{}, map[string]int{}
	var open []string
	z := html.NewTokenizer(strings.NewReader(markup))
	var b strings.Builder
	for silence := 0; ; {
		kind := z.Next()
		raw := string(z.Raw())
		token := z.Token()
		switch kind {
		case html.ErrorToken:
			if len(open) > 0 {
				wrong += strings.Join(open, " ")
			}
			return tags, others, b.String(), wrong
		case html.TextToken:
			if silence == 0 {
				b.WriteString(token.Data)
			}
			continue
		case html.StartTagToken:
			if silent[token.Data] {
				silence++
			}
			if !void[token.Data] {
				open = append(open, token.Data)
			}
			if formatting[token.Data] && !strings.Contains(raw, "id=") {
				others[raw]++
				continue
			}
		case html.EndTagToken:
			if silent[token.Data] {
				silence--
			}
			if len(open) == 0 || open[len(open)-1] != token.Data {
				return tags, others, b.String(), raw
			}
			open = open[:len(open)-1]
			continue
		}
		tags[raw]++
	}
}

func bare(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, text)
}

// TestTrees translates random trees in random orders: the tags, comments and text are there again, well-formed.
func TestTrees(t *testing.T) {
	n := 500
	if fixture.Full() {
		n = 20_000
	}
	random := rand.New(rand.NewPCG(1, 2))
	pipelines := []pipeline.Pipeline{english(t, true), english(t, false)}
	for range n {
		w := tree{Rand: random}
		for range 1 + random.IntN(3) {
			w.WriteString("<p>")
			w.write(random.IntN(6))
			w.WriteString("</p>\n")
		}
		spans := random.IntN(2)
		f := fake{pipelines[spans], func(s string, n int) []int {
			h := fnv.New64()
			h.Write([]byte(s))
			r := rand.New(rand.NewPCG(h.Sum64(), 0))
			order := r.Perm(n)
			if r.IntN(2) == 0 { // nearly in order
				slices.Sort(order)
				for range n / 4 {
					i := r.IntN(n)
					order[i], order[max(0, i-1)] = order[max(0, i-1)], order[i]
				}
			}
			return order
		}, func(row []float32, at int) {
			for i := range row {
				row[i] = random.Float32() / float32(len(row))
			}
			row[at] += random.Float32() * 2
		}}
		d := htmlOf(w.String(), f.Pipeline)
		got := f.document(d)
		// What the pieces are without tags inside sentences and without kept content.
		plain, without := "", got
		sentences, content := d.Sentences(), []string(nil)
		for _, p := range d.pieces {
			plain += p.raw
			if p.sentence != nil {
				text := p.sentence.escape(f.translate(sentences[0]).Text)
				sentences = sentences[1:]
				for _, it := range p.sentence.items {
					if it.kind == kept {
						text, content = strings.ReplaceAll(text, it.text, ""), append(content, it.raw)
					}
				}
				plain += text
			}
		}
		for _, raw := range content {
			plain, without = strings.ReplaceAll(plain, raw, ""), strings.ReplaceAll(without, raw, "")
		}
		tags, others, _, _ := counted(w.String())
		gotTags, gotOthers, _, wrong := counted(got)
		_, _, gotText, _ := counted(without)
		_, _, text, _ := counted(plain)
		same := len(tags) == len(gotTags) && len(others) == len(gotOthers)
		for tag, n := range tags {
			same = same && gotTags[tag] == n
		}
		for tag := range others {
			same = same && gotOthers[tag] > 0
		}
		if spans == 1 { // the text of code is translated, and then replaced
			gotText, text = "", ""
		}
		if !same || wrong != "" || bare(gotText) != bare(text) {
			t.Fatalf("%s\nbecame\n%s\nwith wrong tags %q, the text should be\n%s\nand is\n%s", w.String(), got, wrong, bare(text), bare(gotText))
		}
		// In the same order, formatting apart, nothing moves, unless an element is divided between sentences.
		divided := slices.ContainsFunc(d.pieces, func(p piece) bool { return p.sentence != nil && len(p.sentence.inherited) > 0 })
		if got := (fake{f.Pipeline, nil, nil}).document(d); spans == 0 && !divided && once(got) != once(w.String()) {
			t.Fatalf("%s\nbecame\n%s\nin the same order", w.String(), got)
		}
	}
}

// others returns the tags and comments of markup, formatting apart.
func others(markup string) (list []string) {
	for z := html.NewTokenizer(strings.NewReader(markup)); z.Next() != html.ErrorToken; {
		raw := string(z.Raw())
		if t := z.Token(); t.Type != html.TextToken && !formatting[t.Data] {
			list = append(list, raw)
		}
	}
	slices.Sort(list)
	return list
}

// once returns markup without formatting and white space.
func once(markup string) string {
	var b strings.Builder
	for z := html.NewTokenizer(strings.NewReader(markup)); z.Next() != html.ErrorToken; {
		if raw := string(z.Raw()); !formatting[z.Token().Data] {
			b.WriteString(html.UnescapeString(raw))
		}
	}
	return bare(b.String())
}

// TestDeep has elements inside each other, and marks beside each other.
func TestDeep(t *testing.T) {
	n := 5000
	if fixture.Full() {
		n = 100_000
	}
	f := fake{english(t, true), func(_ string, n int) []int { return rand.Perm(n) }, nil}
	for _, markup := range []string{
		"a " + strings.Repeat("<b>", n) + "b" + strings.Repeat("</b>", n) + " c",
		strings.Repeat("<a>", n) + "A b. C" + strings.Repeat("</a>", n) + " d.",
		"a " + strings.Repeat("<a>", n) + "b",
		"a" + strings.Repeat("</a>", n) + " b",
		strings.Repeat("<a>", n) + "a" + strings.Repeat("</i>", n) + " b",
		"A b. <b>C" + strings.Repeat("&nbsp;", n) + "</b> D e.",
		"a " + strings.Repeat("<b>a</b> ", 500) + strings.Repeat("<b><i></i>", n) + "b" + strings.Repeat("</b>", n),
		"a " + strings.Repeat("<br>", n) + "b " + strings.Repeat("<a></a>", n) + "c",
		"a " + strings.Repeat("<code>", n) + strings.Repeat("</code>", n) + " b",
		"a " + strings.Repeat("<code>x</code><code>y</code>", 100) + " b",
		strings.Repeat("<i>A. <a>", n/200) + strings.Repeat("</a></i>", n/200),
		"<i>" + strings.Repeat("A dog. ", n/10) + "</i> a",
	} {
		got := f.document(htmlOf(markup, f.Pipeline))
		tags, others, _, _ := counted(markup)
		gotTags, gotOthers, _, wrong := counted(got)
		_, _, _, unpaired := counted(markup)
		if !maps.Equal(tags, gotTags) || len(others) != len(gotOthers) || wrong != unpaired || len(got) > 3*len(markup) {
			t.Errorf("%.50q became %.50q, of %d bytes instead of %d", markup, got, len(got), len(markup))
		}
	}
}

// FuzzHTML has any text. A sentence that is translated as it is leaves the document as it is, but for white space.
func FuzzHTML(f *testing.F) {
	for _, text := range []string{
		"a\nb\r\n c", "<p>a</p>", "a &lt;", "<code>a</b>", "<", "a<b", "\x00<!--", "<b>a <i>b</b>. C</i>", "<svg><b>", "&#1;<a>\u27e6\x011\u27e7</a>",
		"<pre><p>a</pre>", "a<br/>b&nbsp;<a/>", "<b>A b. <a>C d. E</a></b> f", "</p><textarea><b>", "<i>a</i>\xff<i>", "<title>a<b></title>", "c<code></", "<\x00!",
	} {
		f.Add(text, uint64(1))
	}
	list := []pipeline.Pipeline{english(f, true), english(f, false), {}}
	f.Fuzz(func(t *testing.T, text string, seed uint64) {
		for _, p := range list {
			d := divided("text", text, p)
			if got := (fake{p, nil, nil}).document(d); bare(got) != bare(text) && p.IsZero() {
				t.Errorf("text %q became %q", text, got)
			}
			r := rand.New(rand.NewPCG(seed, 1))
			d = htmlOf(text, p)
			d.With(func(int) Translation { return Translation{} })
			got := fake{p, func(_ string, n int) []int { return r.Perm(n) }, nil}.document(d)
			bound := len(text)
			for _, s := range d.Sentences() {
				bound += MaxSpelling*len(s) + maxCost*(len(p.Read(s, nil).Words)+1)
			}
			if len(got) > bound {
				t.Errorf("%q became %q: %d bytes, want at most %d", text, got, len(got), bound)
			}
			parts := ""
			if err := Read("html", strings.NewReader(text), p, "fr", func(part *Document) error {
				parts += part.With(func(i int) Translation { return Same(p, part.Sentences()[i]) })
				return nil
			}); err != nil {
				t.Error(err)
			}
			list := d.Sentences()
			if want := d.With(func(i int) Translation { return Same(p, list[i]) }); parts != want {
				t.Errorf("%q in parts became %q, want %q", text, parts, want)
			}
			if tags, gotTags := others(text), others(got); !slices.Equal(tags, gotTags) {
				t.Errorf("%q became %q: tags %q instead of %q", text, got, gotTags, tags)
			}
		}
	})
}
