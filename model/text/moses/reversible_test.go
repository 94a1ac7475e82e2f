package moses

import (
	"slices"
	"strings"
	"testing"
)

// TestReversible tokenizes lines and joins their words. A line comes back, or becomes back.
func TestReversible(t *testing.T) {
	for _, test := range []struct{ language, line, words, back string }{
		{"en", "", "", ""},
		{"en", `She said, "It's a dog, 'Rex'," and left… again.`, `She said , " It 's a dog , ' Rex ' , " and left … again .`, ""},
		{"en", "Don't! rock'n'roll", "Don 't ! rock 'n 'roll", ""},
		{"en", "'Thriller' is Michael Jackson's 'best' video.", "' Thriller ' is Michael Jackson 's ' best ' video .", ""},
		{"en", "A sign that says 'free dinner'.", "A sign that says ' free dinner ' .", ""},
		{"en", "The boys' dog and the girls' cat.", "The boys ' dog and the girls ' cat .", ""},
		{"en", "'Hello.'", "' Hello . '", ""},
		{"en", "'Tis #5's.", "' Tis # 5 's .", "'Tis # 5's."},
		{"en", "In the '90s", "In the ' 90s", ""},
		{"en", "about 4' in diameter", "about 4 ' in diameter", ""},
		{"en", "a patio-type cafe'.", "a patio-type cafe ' .", ""},
		{"en", "6'4", "6 ' 4", ""},
		{"en", `a sign that says "love". "Green Day", 6" tall`, `a sign that says " love " . " Green Day " , 6 " tall`, ""},
		{"en", `He said "hello.`, `He said " hello .`, ""},
		{"en", `It ends."`, `It ends . "`, ""},
		{"en", "It costs $1,250.50, or €5 in 1998–2005 – and/or m².", "It costs $ 1,250.50 , or € 5 in 1998 – 2005 – and / or m ² .", ""},
		{"en", "&amp; @-@ &#39;", "& amp ; @ - @ & # 39 ;", "& amp; @ - @ & # 39;"},
		{"en", "It is 20°C at 5°N, or 1° 2′ 3″.", "It is 20 ° C at 5 ° N , or 1 ° 2 ′ 3 ″ .", "It is 20°C at 5° N, or 1°2′3″."},
		{"fr", "« C'est l'œuvre », dit-elle : 12 500 € ?!", "« C' est l' œuvre » , dit-elle : 12 500 € ? !", ""},
		{"fr", "Quoi ???", "Quoi ? ? ?", ""},
		{"fr", "Le n° 5 est 1° à gauche (20°), il fait 20 °C, en °C aussi, à 35°20′10″ nord, 6′.",
			"Le n ° 5 est 1 ° à gauche ( 20 ° ) , il fait 20 ° C , en ° C aussi , à 35 ° 20 ′ 10 ″ nord , 6 ′ .", ""},
		{"fr", "'bonjour'", "' bonjour '", ""},
		{"fr", `C'est l'« ami » d'Anne, l'"ami", d'1 km, L'(ancien) ami, qu'"un".`,
			`C' est l ' « ami » d' Anne , l ' " ami " , d ' 1 km , L ' ( ancien ) ami , qu ' " un " .`, ""},
		{"fr", "La lettre 'l' (minuscule), un 's' et l'« été ».", "La lettre ' l ' ( minuscule ) , un ' s ' et l ' « été » .", ""},
		{"de", `"Das ist 'Kunst'", sagte sie, "und kostet 5 € im Jahr!"`, `" Das ist ' Kunst ' " , sagte sie , " und kostet 5 € im Jahr ! "`, ""},
		{"de", "Bei 20 °C und 90° im Zeichen °, 5′.", "Bei 20 ° C und 90 ° im Zeichen ° , 5 ′ .", ""},
		{"de", `Zwei Kerle – einer bei McDonald's – und "so" oder 'so'.`,
			`Zwei Kerle – einer bei McDonald's – und " so " oder ' so ' .`, ""},
		{"de", "Wie geht's? Lars' Auto, die 90'er.", "Wie geht's ? Lars ' Auto , die 90'er .", ""},
		{"other", "L'uomo, no! «Sì»", "L'uomo , no ! « Sì »", ""},
	} {
		words := Tokenizer{Language: test.language, Reversible: true}.Tokenize(test.line)
		if got := strings.Join(words, " "); got != test.words {
			t.Errorf("%s %q:\n got %q\nwant %q", test.language, test.line, got, test.words)
		}
		want := test.back
		if want == "" {
			want = test.line
		}
		if got := (Detokenizer{Language: test.language, Reversible: true}).Detokenize(words); got != want {
			t.Errorf("%s %q:\ncame back as %q\nwant %q", test.language, test.line, got, want)
		}
	}
}

// FuzzReversible: words hold all characters of the line but white space, and the line that they make differs from it
// in nothing else.
func FuzzReversible(f *testing.F) {
	addText(f)
	f.Fuzz(func(t *testing.T, line string, language uint8) {
		tokenizer := Tokenizer{Language: languages[language%4], Reversible: true}
		detokenizer := Detokenizer{Language: tokenizer.Language, Reversible: true}
		words := tokenizer.Tokenize(line)
		straight := func(s string) string { return withoutSpace(toValidUTF8(s)) }
		if got, want := straight(strings.Join(words, "")), straight(line); got != want {
			t.Errorf("%s %q: words %q", tokenizer.Language, line, words)
		}
		back := detokenizer.Detokenize(words)
		if straight(back) != straight(line) || strings.Contains(back, "  ") || strings.Trim(back, " ") != back {
			t.Errorf("%s %q: words %q, line %q", tokenizer.Language, line, words, back)
		}
		if slices.Contains(words, "") {
			t.Errorf("%s %q: empty word in %q", tokenizer.Language, line, words)
		}
	})
}
