package pipeline

import (
	"errors"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/softsearch-go/softsearch/model/text"
)

// Parts of random lines.
var (
	wordsOf = map[string][]string{
		"en": strings.Fields("the a house costs of and we saw it's don't Monday I NASA well-known very Very children's because who said with"),
		"fr": strings.Fields("la un maison coûte de et nous vîmes l'école d'œuvre qu'il lundi Oui ONU est-ce très Très qui parce avec aujourd'hui"),
	}
	numbersOf = map[string][]string{
		"en": {"12,345,678", "7.25", "€18.10", "$19.99", "50%", "9:30 a.m.", "6 p.m.", "21st", "802.11n", "70km/h", "1960s", "5.0Ghz", "14/02/2011", "1939-1945", "-5", "42"},
		"fr": {"2 145 906", "12\u00a0345", "1,80", "18,10 €", "50 %", "18 h 45", "18h", "1er", "802.11n", "70km/h", "06 12 34 56 78", "+33 1 23 45", "14/02/2011", "42"},
	}
	names = []string{"Oluwaseun", "Zdeněk", "Kim-Lee", "J. R. R. Tolkien", "MacArthur"}
	// The punctuation of English, French, German, Spanish and typescript around words.
	around5 = [][2]string{{"“", "”"}, {"‘", "’"}, {"(", ")"}, {"", ", "}, {"", "."}, {"", "!"}, {"", "?"}, {"", ":"}, {"", "…"}, {"", " —"},
		{"« ", " »"}, {"«\u00a0", "\u00a0»"}, {"", "\u00a0!"}, {"", " ;"}, {"", "\u202f?"}, {"„", "“"}, {"‚", "‘"}, {"»", "«"}, {"", " –"}, {"¿", "?"}, {"¡", "!"},
		{`"`, `"`}, {"'", "'"}, {"[", "]"}, {"", "..."}, {"- ", ""}}
)

// randomLine returns a line of words and spans in a language, and its spans that are not names.
func randomLine(r *rand.Rand, language string, parts int) (line string, spans []string) {
	pick := func(list []string) string { return list[r.IntN(len(list))] }
	var b strings.Builder
	isSpan := false
	for range parts {
		part := pick(wordsOf[language])
		if n := r.IntN(5); n > 2 || isSpan {
			isSpan = false
		} else {
			isSpan = true
			k := kinds[r.IntN(len(kinds))]
			part = pick([]string{k.example, pick(numbersOf[language]), pick(names)})
			if strings.HasSuffix(part, " ") && b.Len() > 0 { // a mark of a list is none within a line
				part = "42"
			}
			if part != "-5" && (part != k.example || k.class != edge) {
				spans = append(spans, part)
			}
		}
		if r.IntN(4) == 0 {
			p := around5[r.IntN(len(around5))]
			part = p[0] + part + p[1]
		}
		b.WriteString(" " + part)
	}
	return b.String()[1:], spans
}

// pipelines returns a pipeline for each language of random lines, in which words are no names.
func pipelines(t *testing.T) map[string]Pipeline {
	all := map[string]Pipeline{}
	for _, language := range []string{"en", "fr"} {
		s := Defaults(language)
		for _, word := range wordsOf[language] {
			s.Known = append(s.Known, strings.FieldsFunc(strings.ToLower(word), func(r rune) bool { return r == '\'' })...)
		}
		s.Codes = abc
		all[language] = newPipeline(t, s)
	}
	return all
}

func digitsOf(line string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) {
			return r
		}
		return -1
	}, line)
}

// checkTokens: tokens are in order, and their text is the part of the line.
func checkBytes(t *testing.T, line string, tokens []Token) {
	t.Helper()
	at := 0
	for _, token := range tokens {
		if token.Bytes[0] < at || token.Bytes[1] < token.Bytes[0] || token.Bytes[1] > len(line) || line[token.Bytes[0]:token.Bytes[1]] != token.Text {
			t.Errorf("%q: %q at %d", line, token.Text, token.Bytes)
			return
		}
		at = token.Bytes[1]
	}
}

// checkWords: words are not empty and hold no ASCII white space.
func checkWords(t *testing.T, line string, words []string) {
	t.Helper()
	if slices.ContainsFunc(words, func(word string) bool { return len(text.Tokens(word)) != 1 || text.Tokens(word)[0] != word }) {
		t.Errorf("%q: words %q", line, words)
	}
}

// TestRandomLines: what is kept comes back once each, in order, from words that stand for themselves in either
// language. Digits stay, and the line in its own language has the same words again.
func TestRandomLines(t *testing.T) {
	all := pipelines(t)
	r := rand.New(rand.NewPCG(1, 2))
	n := 2000
	if os.Getenv("SOFTSEARCH_TEST") == "full" {
		n = 10_000
	}
	for i := range n {
		from, to := "en", "fr"
		if i%2 == 1 {
			from, to = to, from
		}
		parts := 1 + r.IntN(12)
		if i%100 == 0 {
			parts = 60 // with more spans than placeholders
		}
		line, spans := randomLine(r, from, parts)
		reading := all[from].Read(line, nil)
		checkWords(t, line, reading.Words)
		checkBytes(t, line, reading.Tokens)
		at := 0
		for _, s := range spans {
			s, _, _ = strings.Cut(canonical(from, s).text, " T") // the initials of Tolkien
			s = strings.TrimSuffix(s, ".")                       // a.m. may end a sentence
			n := slices.IndexFunc(reading.Spans[at:], func(span Span) bool { return strings.Contains(canonical(from, span.Text).text, s) })
			if n < 0 && len(reading.Words) > 0 {
				t.Fatalf("%s %q has no span %q: %v", from, line, s, reading.Spans)
			}
			at += n + 1
		}
		back := all[from].Write(reading.Words, reading).Line
		if again := all[from].Read(back, nil); !slices.Equal(again.Words, reading.Words) && !reading.Foreign {
			t.Errorf("%s %q was written %q:\n%q\n%q", from, line, back, reading.Words, again.Words)
		}
		w := all[to].Write(reading.Words, reading)
		checkBytes(t, w.Line, w.Tokens)
		if w.Lost > 0 || digitsOf(w.Line) != digitsOf(line) {
			t.Errorf("%s %q became %q, %d lost", from, line, w.Line, w.Lost)
		}
		written := 0
		for _, token := range w.Tokens {
			if token.Span > 0 {
				if written++; token.Span != written || token.Text != reading.kept(reading.Spans[written-1], to) {
					t.Errorf("%q: span %d is %+v", w.Line, written, token)
				}
			}
		}
		if written != len(reading.Spans) {
			t.Errorf("%q has %d of %d spans", w.Line, written, len(reading.Spans))
		}
	}
}

// TestRandomPairs: pairs of lines with the same spans in another order have the same placeholders, also before
// names are known.
func TestRandomPairs(t *testing.T) {
	all := pipelines(t)
	english, french := newPipeline(t, Settings{Language: "en", Rules: Reversible, Codes: abc}), newPipeline(t, Settings{Language: "fr", Rules: Reversible, Codes: abc})
	r := rand.New(rand.NewPCG(3, 4))
	placeholders := func(words []string) []string {
		return slices.Sorted(slices.Values(slices.DeleteFunc(slices.Clone(words), func(word string) bool { return !isPlaceholder(word) })))
	}
	for range 1000 {
		line, spans := randomLine(r, "en", 1+r.IntN(30))
		r.Shuffle(len(spans), func(i, j int) { spans[i], spans[j] = spans[j], spans[i] })
		other := "la " + strings.Join(spans, " maison ") + " maison"
		a, b, err := ReadPair(all["en"], all["fr"], line, other)
		if pa, pb := placeholders(a.Words), placeholders(b.Words); err != nil || !slices.Equal(pa, pb) {
			t.Errorf("%q\n%q: error %v\n%q\n%q", line, other, err, a.Words, b.Words)
		}
		a, b, err = ReadPair(english, french, line, other)
		x, y, tokenErr := TokenizePair(english, french, line, other)
		if err != tokenErr || !slices.Equal(a.Words, english.Segment(x)) || !slices.Equal(b.Words, french.Segment(y)) {
			t.Errorf("%q\n%q: tokens %q\n%q", line, other, x, y)
		}
		checkBytes(t, line, a.Tokens)
		checkBytes(t, other, b.Tokens)
	}
}

// TestReadPair: what only one line has is no span, but for numbers and code, without which the pair is none.
func TestReadPair(t *testing.T) {
	all := pipelines(t)
	for _, test := range []struct {
		source, target string
		words          [2]string
		isPair         bool
	}{
		{"🎂 the 🎉 house", "🎉 la 🎂 maison", [2]string{"⟦1⟧ the ⟦2⟧ house", "⟦2⟧ la ⟦1⟧ maison"}, true},
		{"🎂 the house 🎉", "🎂 la maison 🎉", [2]string{"the house", "la maison"}, true},
		{"the Sofia, Sofia", "la Sofia, Sofia, Sofia", [2]string{"the ⟦@1⟧ ￭, ⟦@2⟧", "la ⟦@1⟧ ￭, ⟦@2⟧ ￭, ⇧ sofia"}, true},
		{"the house of Sofia", "la maison de Marie", [2]string{"the house of ⇧ sofia", "la maison de ⇧ marie"}, true},
		{"@golang and Golang", "Golang et @golang", [2]string{"⟦1⟧ and ⟦@1⟧", "⟦@1⟧ et ⟦1⟧"}, true},
		{"€18.10 and 12 and `a`", "`b` et 12 et 18,10 €", [2]string{"⟦#1⟧ and ⟦#2⟧ and ⟦1⟧", "⟦1⟧ et ⟦#2⟧ et ⟦#1⟧"}, true},
		{"the 14 and 15", "la 16 et 14", [2]string{"the ⟦#1⟧ and ⟦#2⟧", "la ⟦#2⟧ et ⟦#1⟧"}, true},
		{"the *house* {x}", "la maison {x}", [2]string{"the *￭ house ￭* ⟦1⟧", "la maison ⟦1⟧"}, true},
		{"100 m@x.fr {x}", "100m m@x.fr {x}", [2]string{"⟦#1⟧ ⟦1⟧ ⟦2⟧", "⟦#1⟧ ⟦1⟧ ⟦2⟧"}, true},
		{"the 14", "la maison", [2]string{"the 14", "la maison"}, false},
		{"the house", "la {x}", [2]string{"the house", "la {￭ x ￭}"}, false},
	} {
		en, fr := all["en"].settings, all["fr"].settings
		en.Codes, fr.Codes = nil, nil
		a, b, err := ReadPair(newPipeline(t, en), newPipeline(t, fr), test.source, test.target)
		if got := [2]string{strings.Join(a.Words, " "), strings.Join(b.Words, " ")}; got != test.words || (err == nil) != test.isPair || err != nil && !errors.Is(err, ErrSpans) {
			t.Errorf("%q, %q: words %q, error %v, want %q", test.source, test.target, got, err, test.words)
		}
	}
}

// TestReadTranslation: spans, names and terms of a reading have its placeholders in a translation, others are text.
func TestReadTranslation(t *testing.T) {
	all := pipelines(t)
	terms, err := all["en"].NewTerms([]Term{{"the house", "Le Foyer d'or"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ source, target, words string }{
		{":-) the :-) house", ":-) la :-) maison", "la ⟦1⟧ maison"},
		{":-) the :-) house", "la maison :-)", "la maison ⟦1⟧"},
		{"- The Sofia and 12,000 of it", "- La Sofia, Sofia et 12 000 et 42", "la ⟦@1⟧ ￭, ⇧ sofia et ⟦#1⟧ et 42"},
		{"saw the house and the house", "Vu Le Foyer d'or et le Foyer d'or", "vu ⟦@1⟧ et le ⇧ foyer d'￭ or"},
		{"I said {x} and {y}", "J'ai dit {y} et {z}", "j'￭ ai dit ⟦2⟧ et {￭ z ￭}"},
		{"the a", "", ""},
	} {
		s := Defaults("fr")
		r := newPipeline(t, s).ReadTranslation(test.target, all["en"].Read(test.source, terms))
		if got := strings.Join(r.Words, " "); got != test.words {
			t.Errorf("%q, %q: words %q, want %q", test.source, test.target, got, test.words)
		}
		checkBytes(t, test.target, r.Tokens)
	}
}

// FuzzRead reads and writes any bytes.
func FuzzRead(f *testing.F) {
	for _, k := range kinds {
		f.Add("a "+k.example+"b\xff", k.example, uint8(len(k.name)))
	}
	for _, line := range []string{"", " ", "⟦1⟧ ⟦@3⟧", "⇧ ⇪x ⇈", "\x1a\x00 \x01a", "e\u0301\u0301 \u0301", "\u00ad\u200b", "I'm İ ı ß ǅ", "@@ a@@ %@@@", "«»‘’", "${", "1.1.", "\ufffc\ufffc"} {
		f.Add(line, "1"+line, uint8(len(line)))
	}
	f.Fuzz(func(t *testing.T, line, other string, n uint8) {
		s := Defaults(languages[n%4])
		if n&4 != 0 {
			s.Known, s.Codes = strings.Fields(other), abc
		}
		p, q := newPipeline(t, s), newPipeline(t, Defaults(languages[n/8%4]))
		reading := p.Read(line, nil)
		a, b, _ := ReadPair(p, q, line, other)
		for _, r := range []Reading{reading, a, q.ReadTranslation(line, a)} {
			checkWords(t, line, r.Words)
			checkBytes(t, line, r.Tokens)
		}
		for _, token := range reading.Tokens {
			if last := reading.Words[token.Words[1]-1]; p.settings.Rules == Reversible && strings.HasSuffix(last, separator) {
				t.Errorf("%q: %q ends with %q", line, token.Text, last)
			}
		}
		checkWords(t, other, b.Words)
		w := q.Write(reading.Words, reading)
		checkBytes(t, w.Line, w.Tokens)
		if !strings.Contains(line, "⟦") && w.Lost > 0 {
			t.Errorf("%q became %q, %d lost", line, w.Line, w.Lost)
		}
		if text := canonical(p.Language(), line).text; canonical(p.Language(), text).text != text {
			t.Errorf("%q: canonical %q becomes %q", line, text, canonical(p.Language(), text).text)
		}
		for at, s := range p.Sentences(line) {
			i := strings.Index(line, s)
			if s == "" || i < 0 {
				t.Errorf("%q: sentence %d is %q", line, at, s)
			}
			line = line[max(i, 0)+len(s):]
		}
	})
}
