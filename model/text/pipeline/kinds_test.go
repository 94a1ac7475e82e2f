package pipeline

import (
	"slices"
	"strings"
	"testing"
)

// TestKinds: each kind finds its example alone and in a sentence, in each of its languages and no other.
func TestKinds(t *testing.T) {
	for _, k := range kinds {
		for _, language := range languages {
			lines := []string{k.example, k.example + " so.", "The " + k.example + " was here.", "Is it (" + k.example + ")?", "« " + k.example + " », he said, “" + k.example + "”!"}
			if k.class == edge && strings.HasSuffix(k.example, " ") {
				lines = lines[:2]
			}
			if k.name == "smiley" { // of which a bracket is part
				lines[3] = k.example
			}
			for _, line := range lines {
				text := canonical(language, line).text
				whole := strings.TrimSuffix(k.example, " Tolkien") // whose initials are the span
				has := func(s found) bool { return s.class == k.class && text[s.from:s.to] == whole }
				want := k.languages == "" || strings.Contains(k.languages, language)
				if list := find(language, text); slices.ContainsFunc(list, has) != want {
					t.Errorf("%s: %s in %q is %v: %v", language, k.name, line, !want, list)
				}
			}
		}
	}
}

// TestSpans has further spans of the kinds.
func TestSpans(t *testing.T) {
	for _, test := range []struct{ line, spans string }{
		{"Hello {name}, you have {count} new messages.", "{name} {count}"},
		{"%{x} ${y} #{z} {{ a.b }} {n, plural, one {# file} other {# files}} {0}", "%{x}|${y}|#{z}|{{ a.b }}|{n, plural, one {# file} other {# files}}|{0}"},
		{"%s, %5.2f or %(name)s, but 100% sure", "%s %5.2f %(name)s 100%"},
		{"Use `a b`, ``c`d`` and :ref:`e <f>`.", "`a b`|``c`d``|:ref:`e <f>`"},
		{"<a href=\"x\">go</a> &lt;b&gt; &#39;", "<a href=\"x\">|</a>|&lt;|&gt;|&#39;"},
		{"See www.a.org/x_(y), http://b.c/d?e=f#g. mailto:x@y.z", "www.a.org/x_(y) http://b.c/d?e=f#g mailto:x@y.z"},
		{"In ~/.bashrc, ../a/b.go, C:\\Users\\Ann and src/main.go; and/or he/she", "~/.bashrc ../a/b.go C:\\Users\\Ann src/main.go"},
		{"max_length, __init__ and *args, but *not* this", "max_length __init__"},
		{"#golang @ann C# C++17 R&D AT&T", "#golang @ann C# C++17 R&D AT&T"},
		{"👍🏽 great 🇫🇷 and ⌘ → ok", "👍🏽 🇫🇷 ⌘ →"},
		{"It cost $x^2 + 1$ or $5 and $6.", "$x^2 + 1$|$5|$6"},
		{"1960s 70km/h 802.11n 5.0Ghz B2B 1939–1945 2×4 ½", "1960s 70km/h 802.11n 5.0Ghz B2B 1939 1945 2×4"},
		{"Call 555-123-4567 or +1 555.123.4567 by 9:00–17:30 on 2011-02-14", "555-123-4567|+1 555.123.4567|9:00–17:30|2011-02-14"},
		{"−5.5°C, ±3.5, -€20, US$5, 20 $, 3 apples", "−5.5°C|±3.5|-€20|US$5|20 $"},
		{"He said 日本語 and Привет.", "日本語 Привет"},
		{"iPhone and MacArthur by J.-P. Sartre", "iPhone MacArthur J.-P."},
	} {
		text := canonical("en", test.line).text
		var spans []string
		for _, s := range find("en", text) {
			spans = append(spans, text[s.from:s.to])
		}
		want := strings.Fields(test.spans)
		if strings.Contains(test.spans, "|") {
			want = strings.Split(test.spans, "|")
		}
		if !slices.Equal(spans, want) {
			t.Errorf("%q: spans %q, want %q", test.line, spans, want)
		}
	}
}

// TestSymbols has symbols with what is kept around them.
func TestSymbols(t *testing.T) {
	d := newPipeline(t, Defaults("en")).draft("½ of m², x≤y (©) or CO₂-free → 5° é €2; σ² @@ x@@y %@@@ @a a@b.org")
	d.keepSymbols()
	var words []string
	for _, s := range d.spans {
		words = append(words, d.text[s.from:s.to])
	}
	if want := strings.Fields("½ m² x≤y © CO₂ → 5° €2 σ ² @@ x@@y %@ @@ @a a@b.org"); !slices.Equal(words, want) {
		t.Errorf("%q: words %q, want %q", d.text, words, want)
	}
}

// TestNoSpans: ordinary sentences have none.
func TestNoSpans(t *testing.T) {
	for _, line := range []string{
		"She said, “It's the neighbors’ dog, ‘Rex’,” and left… again.", "He doesn't know Dr. Smith's \"well-known\" cat, Tom.",
		"In the nineties? No: never!", "Wait—what? (Really.) Yes; and/or no.", "The U.S. and the F.B.I. disagree, etc.", "You are 7 years old -- or 8.",
		"*Never* do that!", "We have 5 apples & 3 pears.", "e.g. this, i.e. that", "a) first", "ROCK 'N' ROLL", "It is 5% more.",
		"« C'est l'œuvre », dit-elle : d'accord ?!", "L'« ami » d'Anne, aujourd'hui…", "Qu'est-ce que c'est – un n° ?", "Va-t-il là-bas, M. Dupont ?", "The U.S. Senate met.",
		"„Das ist ‚Kunst‘“, sagte sie.", "Zwei Leute – einer in Rot – bei McDonald’s.", "¿Qué pasa? ¡Nada!", "«Sì», disse l'uomo.", "Œuvres, cœur, naïf, Ångström, garçon, ﬁn.",
	} {
		for _, language := range languages {
			text := canonical(language, line).text
			for _, s := range find(language, text) {
				if span := text[s.from:s.to]; span != "5%" && span != "McDonald" && span != "a) " {
					t.Errorf("%s %q has a span %q", language, line, span)
				}
			}
		}
	}
}

// TestCanonical: marks compose, forms fold, and invisible characters are absent. The same again changes nothing.
func TestCanonical(t *testing.T) {
	for _, test := range []struct{ language, line, want string }{
		{"en", "plain", "plain"}, {"en", "cafe\u0301 A\u030a n\u0303o Vie\u0302\u0323t", "café Å ño Viê\u0323t"}, {"en", "e\u200d\u0301", "é"},
		{"en", "“a” „b“ ‘c’ ‚d‘ «e» l´f ʼg", `"a" "b" 'c' 'd' "e" l'f 'g`}, {"fr", "« a » “b”", `« a » "b"`},
		{"en", "ﬁ ﬄ ＡＢ１２！ ⟦1⟧", "fi ffl AB12! [1]"}, {"en", "a\u00adb\u200bc\u202ed\ufeff\x00\x1a", "abcd"}, {"en", "a\u00a0b\u2009c\td\ne\u3000f", "a b c d e f"},
		{"en", "\xff\xfea\xff", "\ufffda\ufffd"}, {"en", "❤\ufe0f", "❤"}, {"en", "\u0301a", "\u0301a"}, {"en", "…—–№½²", "…—–№½²"},
	} {
		v := canonical(test.language, test.line)
		if v.text != test.want || canonical(test.language, v.text).text != v.text {
			t.Errorf("%s %q: got %q, want %q", test.language, test.line, v.text, test.want)
		}
		last := 0
		for i := range len(v.text) + 1 {
			if at := v.place(i); at < last || at > len(test.line) {
				t.Errorf("%q: byte %d is at %d", test.line, i, at)
			} else {
				last = at
			}
		}
		if v.place(len(v.text)) != len(test.line) {
			t.Errorf("%q: the end is at %d", test.line, v.place(len(v.text)))
		}
	}
}
