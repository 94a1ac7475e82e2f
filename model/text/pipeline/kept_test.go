package pipeline

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/softsearch-go/softsearch/model/text/bpe"
)

func copying(t *testing.T, language string) Pipeline {
	s := Defaults(language)
	s.Copied, s.Stressed, s.Codes = Copied(), Stressed(), bpe.Codes{}
	return newPipeline(t, s)
}

// TestCopies has lines, their copies, and whether the words of the marked line bring it back.
func TestCopies(t *testing.T) {
	p := copying(t, "en")
	for _, test := range []struct {
		line, marked string
		copies       []string
	}{
		{"Call :func:`os.walk` (see *name*).", "Call ⟦1⟧ (see ⟦2⟧).", []string{":func:`os.walk`", "*name*"}},
		{"``a  +\u00a0b`` is ``a  +\u00a0b``, `so`.", "⟦1⟧ is ⟦1⟧, ⟦2⟧.", []string{"``a  +\u00a0b``", "`so`"}},
		{"Go to https://go.dev/doc/?q=1, or write to a.b@go.dev.", "Go to ⟦1⟧, or write to ⟦2⟧.", []string{"https://go.dev/doc/?q=1", "a.b@go.dev"}},
		{"⟦2⟧ is no placeholder, my_name is one.", "⟦1⟧ is no placeholder, ⟦2⟧ is one.", []string{"⟦2⟧", "my_name"}},
		{"Two of ⟦2⟧, *a*, ⟦1⟧ and ⟦2⟧.", "Two of ⟦1⟧, ⟦2⟧, ⟦3⟧ and ⟦1⟧.", []string{"⟦2⟧", "*a*", "⟦1⟧"}},
		{strings.Repeat("a_b ", 3) + "*c* ⟦01⟧.", "⟦1⟧ ⟦1⟧ ⟦1⟧ ⟦2⟧ ⟦3⟧.", []string{"a_b", "*c*", "⟦01⟧"}},
		{"`\x00\xff`.", "⟦1⟧.", []string{"`\x00\xff`"}},
		{"*a* is *not* *Only*, but *only_b*.", "⟦1⟧ is *not* *Only*, but ⟦2⟧.", []string{"*a*", "*only_b*"}},
		{"2 * 3 * 4, it's not so.", "2 * 3 * 4, it's not so.", nil},
	} {
		kept := p.Kept(test.line)
		if got := p.mark(test.line, kept); got != test.marked || !slices.Equal(kept.Spans, test.copies) {
			t.Errorf("%q: got %q with %q, want %q with %q", test.line, got, kept.Spans, test.marked, test.copies)
		}
		if got := p.LineOf(p.Words(test.line), kept); got != test.line {
			t.Errorf("%q: words bring back %q", test.line, got)
		}
	}
	for line, french := range map[string]Pipeline{
		"l’`a`, d':b:`c` et qu'*d*": copying(t, "fr"),
		"l'`a`, d':b:`c` et qu'*d*": newPipeline(t, Settings{Language: "fr", Copied: Copied()}),
	} {
		if got := french.LineOf(french.Words(line), french.Kept(line)); got != line {
			t.Errorf("%q: words bring back %q", line, got)
		}
	}
	many := ""
	for c := 'a'; c <= 'z'; c++ {
		many += "a_" + string(c) + " "
	}
	many += "⟦1⟧"
	kept := p.Kept(many)
	copies, marked := kept.Spans, p.mark(many, kept)
	if n := len(copies); n != maxCopies+1 || !strings.HasSuffix(marked, "⟦16⟧ a_q a_r a_s a_t a_u a_v a_w a_x a_y a_z ⟦17⟧") {
		t.Errorf("%d copies, want %d and the literal placeholder: %q", n, maxCopies, marked)
	}
	if got := p.Restore("⟦1⟧ and ⟦2⟧", Kept{Spans: []string{"⟦2⟧"}}); got != "⟦2⟧ and " {
		t.Errorf("got %q", got)
	}
}

// TestCapitals has lines and their words, in lower case for lines in capitals that are more than abbreviations.
func TestCapitals(t *testing.T) {
	s := Defaults("en")
	s.Copied, s.Codes = Copied(), append(abc, bpe.Merge{Left: "A", Right: "b"}, bpe.Merge{Left: "Ab", Right: "c</w>"})
	for _, test := range []struct{ line, words string }{
		{"ABC X ABC!", "Abc x abc !"},
		{"ABX ABC", "Ab@@ x abc"},
		{"“AB” ABC", "“ ab ” abc"},
		{"X ABC", "X abc"},
		{"`f` ABC ÉAB, A_b.", "⟦1⟧ Abc é@@ ab , ⟦2⟧ ."},
		{"VWABX", "V@@ w@@ ab@@ x"},
		{"VAB", "V@@ A@@ B"},
		{"ABC abc", "A@@ B@@ C abc"},
		{"AB", "A@@ B"},
		{"VWXYZ", "V@@ W@@ X@@ Y@@ Z"},
		{"İ ABC", "İ A@@ B@@ C"},
		{"123!", "1@@ 2@@ 3 !"},
	} {
		p := newPipeline(t, s)
		kept := p.Kept(test.line)
		words := p.WordsOf(test.line, kept)
		if got := strings.Join(words, " "); got != test.words {
			t.Errorf("%q: words %q, want %q", test.line, got, test.words)
		}
		if got := p.LineOf(words, kept); got != test.line {
			t.Errorf("%q: words bring back %q", test.line, got)
		}
		for _, span := range p.Spans(test.line, words, kept) {
			if got := test.line[span.Bytes[0]:span.Bytes[1]]; got != span.Text {
				t.Errorf("%q has %q where the token is %q", test.line, got, span.Text)
			}
		}
		if got := p.Restore("</s>", kept) + p.Restore("<unk>, <<unk>", kept); got != "</s><unk>, <<unk>" {
			t.Errorf("%q: words of the vocabulary become %q", test.line, got)
		}
		kept = KeptByPair(p, p, test.line, test.line)
		source, _ := MarkPair(p, p, test.line, test.line)
		if got, want := p.WordsOf(test.line, kept), p.Segment(p.Tokenize(source)); !slices.Equal(got, want) {
			t.Errorf("%q in training: words %q, want %q", test.line, got, want)
		}
	}
	for source, want := range map[string]string{"Abc": "x@@ Y X", "ABX ABC": "X@@ y x", "“AB” ABC": "x@@ y x", "AB": "X@@ Y X"} {
		p := newPipeline(t, s)
		if got := strings.Join(p.WordsOf("XY X", p.Kept(source)), " "); got != want {
			t.Errorf("translation of %q: words %q, want %q", source, got, want)
		}
	}
	const line = "ABC ABC"
	tokenized, whole, known := Settings{Codes: s.Codes}, s, s
	whole.Codes = nil
	known.Codes = append(s.Codes, bpe.Merge{Left: "A", Right: "B"}, bpe.Merge{Left: "AB", Right: "C</w>"})
	for _, s := range []Settings{tokenized, whole, known} {
		p := newPipeline(t, s)
		if got, want := p.Words(line), p.Segment(p.Tokenize(line)); !slices.Equal(got, want) {
			t.Errorf("%+v: words %q, want %q", s, got, want)
		}
	}
}

// TestWordCase has words alone, which are read in lower case if that is a segment.
func TestWordCase(t *testing.T) {
	s := Defaults("en")
	s.Copied, s.Codes = Copied(), append(abc, bpe.Merge{Left: "A", Right: "b"})
	p := newPipeline(t, s)
	for _, test := range []struct{ line, words, translation string }{
		{"Abc", "abc", "“Xy” z"},
		{"- Abc 👍", "abc", "- “Xy” z 👍"},
		{"abc", "abc", "“xy” z"},
		{"Abx", "Ab@@ x", "“xy” z"},
		{"Abc.", "Ab@@ c .", "“xy” z"},
		{"Abc abc", "Ab@@ c abc", "“xy” z"},
		{"AbC", "Ab@@ C", "“xy” z"},
		{"`f`", "⟦1⟧", "“xy” z"},
	} {
		kept := p.Kept(test.line)
		words := p.WordsOf(test.line, kept)
		if got := strings.Join(words, " "); got != test.words {
			t.Errorf("%q: words %q, want %q", test.line, got, test.words)
		}
		if got := p.LineOf(words, kept); got != test.line {
			t.Errorf("%q: words bring back %q", test.line, got)
		}
		translated := []string{"“", "x@@", "y", "”", "z"}
		line := p.LineOf(translated, kept)
		if line != test.translation {
			t.Errorf("%q: translation %q, want %q", test.line, line, test.translation)
		}
		for _, span := range p.Spans(line, translated, kept) {
			if line[span.Bytes[0]:span.Bytes[1]] != span.Text {
				t.Errorf("%q: %q is not in %q", test.line, span.Text, line)
			}
		}
	}
	if got := p.LineOf([]string{"<unk>"}, p.Kept("Abc")); got != "<unk>" {
		t.Errorf("an unknown word became %q", got)
	}
	lower := s
	lower.Lowercase = true
	for _, s := range []Settings{lower, Defaults("en")} {
		p := newPipeline(t, s)
		if got, want := p.Words("Abc"), p.Segment(p.Tokenize("Abc")); !slices.Equal(got, want) {
			t.Errorf("%+v: words %q, want %q", s, got, want)
		}
	}
}

// TestNames copies names in translations, but not in training, if there are patterns of copied spans at all.
func TestNames(t *testing.T) {
	p := copying(t, "en")
	for _, test := range []struct {
		line   string
		copies []string
	}{
		{"Open main.go, ./a.out or README.MD.", []string{"main.go", "./a.out", "README.MD"}},
		{"Look in ~/notes, /etc/hosts and C:\\Users\\me\\a.txt.", []string{"~/notes", "/etc/hosts", "C:\\Users\\me\\a.txt"}},
		{"See go.dev, example.com:80/a?b=c, or localhost:8080.", []string{"go.dev", "example.com:80/a?b=c", "localhost:8080"}},
		{"Run it --all or with --prefix=/usr/local, not -v.", []string{"--all", "--prefix=/usr/local"}},
		{"Ask @a_b about #go, C++ and R&D.", []string{"@a_b", "#go", "C++", "R&D"}},
		{"It has <b> a </b> and docs/my_name/a.md.", []string{"<b>", "</b>", "docs/my_name/a.md"}},
		{"If 3 × 4=12 or 5 > 3, take × 12 of 2 - 1 ± 0.5 * 3, or call +33 1 23 45.", []string{"3 × 4=12", "5 > 3", "× 12", "2 - 1 ± 0.5 * 3", "+33 1 23 45"}},
		{"It costs €10, -$3,000.50, 5–10 £ or $5-$10 at −20 °C, 90° or 70 °F, 1 000 €, not € or ° alone.", []string{"€10", "-$3,000.50", "5–10 £", "$5-$10", "−20 °C", "90°", "70 °F", "1 000 €"}},
		{"I paid .50$, US$5, 10 $US, 3 $CA, CA$ 7, A$1-2 and 10 €/month, or ,5 US$ at $.75.", []string{".50$", "US$5", "10 $US", "3 $CA", "CA$ 7", "A$1-2", "10 €", ",5 US$", "$.75"}},
		{"I get 15 €/hour, \"yes\"/no or 5%/year, from \"/a/b\" (/c).", []string{"15 €", "/a/b", "/c"}},
		{"``a.go b`` is *x.y.go*, www.go.dev is not.", []string{"``a.go b``", "*x.y.go*", "www.go.dev"}},
		{"He lives in the U.S.A.; P.C. and/or 10:30, 1/2, e.g. so.then, 2--3 a--b, a > b, 2 * 3, 4 - 1, -5, 20%, ©.", nil},
	} {
		kept := p.Kept(test.line)
		if !slices.Equal(kept.Spans, test.copies) {
			t.Errorf("%q: copies %q, want %q", test.line, kept.Spans, test.copies)
		}
		if got := p.LineOf(p.Words(test.line), kept); got != test.line {
			t.Errorf("%q: words bring back %q", test.line, got)
		}
	}
	for _, around := range []string{"a <%s> b", "``%s``", "*%s*", "/%s/c", "http://a%s", "--a=%s"} {
		const mark = "⟦\x011⟧"
		if spans := p.Kept(fmt.Sprintf(around, mark)).Spans; !slices.Contains(spans, mark) || strings.Contains(strings.Join(slices.DeleteFunc(spans, isPlaceholder), ""), mark) {
			t.Errorf("%q with a placeholder no text has: copies %q", around, spans)
		}
	}
	const line = "Open main.go, not my_name."
	if kept := KeptByPair(p, p, line, line); !slices.Equal(kept.Spans, []string{"my_name"}) {
		t.Errorf("in training, copies %q", kept.Spans)
	}
	if marked, _ := MarkPair(p, p, line, line); marked != "Open main.go, not ⟦1⟧." {
		t.Errorf("in training, %q", marked)
	}
	if kept := newPipeline(t, Defaults("en")).Kept(line); kept.Spans != nil {
		t.Errorf("without patterns, copies %q", kept.Spans)
	}
}

// TestMarkPair has spans on one side only, which stay.
func TestMarkPair(t *testing.T) {
	source, target := MarkPair(copying(t, "en"), copying(t, "fr"), "*a* or *b*, *c* and *a*", "*d*, *c*, *a*")
	if source != "⟦1⟧ or *b*, ⟦2⟧ and ⟦1⟧" || target != "*d*, ⟦2⟧, ⟦1⟧" {
		t.Errorf("got %q, %q", source, target)
	}
	source, target = MarkPair(copying(t, "en"), copying(t, "fr"), "*a*, *b*", "*a*, ⟦1⟧")
	if source != "⟦1⟧, *b*" || target != "⟦1⟧, ⟦17⟧" {
		t.Errorf("literal placeholder: got %q, %q", source, target)
	}
}

// TestSentences has marks that end sentences within a span and beside it.
func TestSentences(t *testing.T) {
	line := "See ``a. B  ! C``. Or *b*. ⟦1⟧ is `c`. A_b is. D"
	want := []string{"See ``a. B  ! C``.", "Or *b*. ⟦1⟧ is `c`.", "A_b is.", "D"}
	if got := copying(t, "en").Sentences(line); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := (Pipeline{}).Sentences("a. B"); !slices.Equal(got, []string{"a. B"}) || (Pipeline{}).Sentences("") != nil {
		t.Errorf("tokenized text: got %q", got)
	}
}

// FuzzCopies compares with lines what their marked lines bring back, and, for lines without spans, what
// pipelines without Settings.Copied return.
func FuzzCopies(f *testing.F) {
	for _, line := range []string{
		"", "Call `f` of ⟦1⟧.", "⟦1⟧⟦2⟧ ⟦⟦1⟧⟧ ⟦\x001⟧ `⟦1⟧` ⟦`1`⟧ ⟦1*a*⟧", ":a:`b\xff\x00` ``c\n d``, \xe2\x9f", "`A. B`. C. *D* E", "It's “so”, l'été.",
		"ABC X `c` ÉAB, ⟦1⟧", " - 1. `a` 👍🏽b :) 😀", "→ *---* ←", "15 €/hour, 5%/`a`/b or \x01/c", "[x] ---", "⟦17⟧ ⟦16⟧ ⟦017⟧ ⟦99999999999999999999⟧", strings.Repeat("*a* a_b ", 20),
		"a_1 a_2 a_3 a_4 a_5 a_6 a_7 a_8 a_9 a_10 a_11 a_12 a_13 a_14 a_15 a_16 a_17 ⟦1⟧ ⟦\x01⟧ ⟦2⟧",
	} {
		f.Add(line)
	}
	var with, without []Pipeline
	for _, language := range languages {
		for _, rules := range []Rules{Moses, Reversible} {
			s := Defaults(language)
			s.Rules, s.Lowercase, s.Codes = rules, language == "de", abc
			without = append(without, newPipeline(f, s))
			s.Copied, s.Stressed = Copied(), Stressed()
			with = append(with, newPipeline(f, s))
		}
	}
	f.Fuzz(func(t *testing.T, line string) {
		for i, p := range with {
			kept := p.Kept(line)
			inner, _ := kept.within(line)
			if got := kept.Before + p.Restore(p.mark(inner, kept), kept) + kept.After; strings.TrimFunc(got, isSpaceOrControl) != strings.TrimFunc(line, isSpaceOrControl) {
				t.Errorf("%q: marked line brings back %q", line, got)
			}
			words := p.Words(line)
			for _, word := range words {
				if isPlaceholder(word) && p.Restore(word, kept) == "" {
					t.Errorf("%q: word %q stands for no span", line, word)
				}
			}
			if got := strings.Fields(strings.Join(p.Sentences(line), " ")); !slices.Equal(got, strings.Fields(line)) {
				t.Errorf("%q: sentences %q", line, got)
			}
			if kept.Spans != nil || p.divide(inner) != inner || p.copied.Find(strings.Map(printable, line)) != nil {
				continue
			}
			if want := without[i].Words(line); !slices.Equal(words, want) || p.Line(words) != without[i].Line(want) {
				t.Errorf("%q without spans: words %q and line %q, want %q and %q", line, words, p.Line(words), want, without[i].Line(want))
			}
			if got, want := p.Sentences(line), without[i].Sentences(line); !slices.Equal(got, want) {
				t.Errorf("%q without spans: sentences %q, want %q", line, got, want)
			}
		}
	})
}

// printable drops what tokenizers drop.
func printable(r rune) rune {
	if r < ' ' && !unicode.IsSpace(r) {
		return -1
	}
	return r
}

// TestNoCopies has a pipeline without Settings.Copied, to which placeholders and spans are text.
func TestNoCopies(t *testing.T) {
	p := newPipeline(t, Defaults("en"))
	line := "Call `f` of ⟦1⟧."
	if p.Kept(line).Spans != nil || p.mark(line, Kept{Spans: []string{"`f`"}}) != line || p.Restore(line, Kept{Spans: []string{"x"}}) != line || p.Placeholders() != nil {
		t.Error("spans without Settings.Copied")
	}
}
