package moses

import (
	"strings"
	"testing"
)

func TestTokenize(t *testing.T) {
	tests := []struct{ language, line, want string }{
		// From sacremoses/test/test_tokenizer.py of the public repository hplt-project/sacremoses,
		// a port of the scripts.
		{"en", "This, is a sentence with weird» symbols… appearing everywhere¿",
			"This , is a sentence with weird » symbols … appearing everywhere ¿"},
		{"en", "abc def.", "abc def ."},
		{"en", "2016, pp.", "2016 , pp ."},
		{"en", "This ain't funny. It's actually hillarious, yet double Ls. | [] < > [ ] & You're gonna shake it off? Don't?",
			"This ain 't funny . It 's actually hillarious , yet double Ls . | [ ] < > [ ] & You 're gonna shake it off ? Don 't ?"},
		{"en", "this 'is' the thing", "this ' is ' the thing"},
		{"en", "The meeting will take place at 11:00 a.m. Tuesday.",
			"The meeting will take place at 11 : 00 a.m. Tuesday ."},
		{"en", "'Hello.'", "'Hello . '"},
		{"en", "foo-bar", "foo-bar"},
		{"de", "Sie sollten diese Daten sichern (wie unter Abschnitt 4.1.1, „Sichern aller Daten“ beschrieben). ",
			"Sie sollten diese Daten sichern ( wie unter Abschnitt 4.1.1 , „ Sichern aller Daten “ beschrieben ) ."},

		// From a discussion in moses-smt/mosesdecoder, the behavior before it.
		{"en", "So am I.", "So am I."},
		{"de", "...schwer wie ein iPhone 5.", "... schwer wie ein iPhone 5."},

		// By hand.
		{"en", "", ""},
		{"en", " \t\u00a0\u2028\r\n", ""},
		{"en", "a\x00b\x1f c \x01 d", "ab c d"},
		{"en", "Mr. Smith saw No. 5. No. Sir John vs. the U.S. Army etc. and left.",
			"Mr. Smith saw No. 5 . No . Sir John vs. the U.S. Army etc. and left ."},
		{"en", "in Art. 5 and Art. V, on Nov. 5", "in Art. 5 and Art . V , on Nov. 5"},
		{"en", "1,000,000 or 5,a or a,5 or 5, 6,", "1,000,000 or 5 , a or a , 5 or 5 , 6 ,"},
		{"en", "the 1990's, the boys' dog, rock'n'roll, 6'4", "the 1990 's , the boys ' dog , rock 'n'roll , 6 ' 4"},
		{"en", ",5 a,,5 ,,5 5,,", ",5 a , ,5 , ,5 5 , ,"},
		{"en", "5''''6 a''b 5'.'5 5'  '6 5'%'6", "5 ' '' ' 6 a ' ' b 5 ' .'5 5 ' '6 5 ' % ' 6"},
		{"en", "a'b c'd a'b'c'd 'tis 6'a 90's 90'sa", "a 'b c 'd a 'b'c 'd ' tis 6'a 90 's 90 'sa"},
		{"fr", "a'b c'd a'b'c'd 'tis 6'a 90's 90'sa", "a' b c' d a' b'c' d ' tis 6 ' a 90 ' s 90 ' sa"},
		{"en", "well...no.. yes.", "well ... no .. yes ."},
		{"en", ".5 `a` .", ".5 `a` ."},
		{"en", "x² 5€ ½", "x ² 5 € ½"},
		{"fr", "L'homme qu'on a vu aujourd'hui a dit: «c'est l'été!»",
			"L' homme qu' on a vu aujourd' hui a dit : « c' est l' été ! »"},
		{"fr", "M. Dupont, p.ex. à Paris, cf. Art. 5 et M.A. Durand",
			"M. Dupont , p.ex. à Paris , cf. Art . 5 et M.A. Durand"},
		{"fr", "Il aime l'art.", "Il aime l' art."},
		{"fr", "Il a. Elle b. Nous", "Il a . Elle b. Nous"},
		{"fr", "les années 90'a", "les années 90 ' a"},
		{"de", "Am 17. Dezember kam z.B. Dr. Müller, bzw. Ludwig XIV. Bourbon.",
			"Am 17. Dezember kam z.B. Dr. Müller , bzw. Ludwig XIV. Bourbon ."},
		{"de", "Im 100. Jahr, d.h. ca. 1,5 Mio. Jahre. Wie geht's?",
			"Im 100 . Jahr , d.h. ca. 1,5 Mio. Jahre . Wie geht ' s ?"},
		{"it", "l'amico di Mr. Rossi", "l ' amico di Mr. Rossi"},
		{"", "'a'", "' a '"},
	}
	for _, test := range tests {
		got := Tokenizer{Language: test.language}.Tokenize(test.line)
		if strings.Join(got, " ") != test.want {
			t.Errorf("%s %q:\n got %q\nwant %q", test.language, test.line, got, test.want)
		}
	}
}

func TestOptions(t *testing.T) {
	const line = "A ‘Well-Known’ [Q&A] <tag> \"x|y\" -- 3-4-x-"
	tests := []struct {
		name      string
		tokenizer Tokenizer
		want      string
	}{
		{"none", Tokenizer{},
			"A ‘ Well-Known ’ [ Q & A ] < tag > \" x | y \" -- 3-4-x-"},
		{"lower case", Tokenizer{Lowercase: true},
			"a ‘ well-known ’ [ q & a ] < tag > \" x | y \" -- 3-4-x-"},
		{"normalized", Tokenizer{Normalize: true},
			"A ' Well-Known \" [ Q & A ] < tag > \" x | y \" -- 3-4-x-"},
	}
	for _, test := range tests {
		got := test.tokenizer.Tokenize(line)
		if strings.Join(got, " ") != test.want {
			t.Errorf("%s:\n got %q\nwant %q", test.name, got, test.want)
		}
	}
	// Lists of abbreviations are case-sensitive. Before a lowercase word, every word keeps its full stop.
	got := Tokenizer{Language: "en", Lowercase: true}.Tokenize("Mr. Smith. 5 Prof. 5")
	if want := "mr. smith . 5 prof . 5"; strings.Join(got, " ") != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestInvalidUTF8: a run of bytes that are not UTF-8 becomes one replacement character.
func TestInvalidUTF8(t *testing.T) {
	const line = "a\xff\xfeb \xc3"
	if got := (Tokenizer{}).Tokenize(line); strings.Join(got, " ") != "a \ufffd b \ufffd" {
		t.Errorf("Tokenize: got %q", got)
	}
	if got := Normalize("en", line); got != "a\ufffdb \ufffd" {
		t.Errorf("Normalize: got %q", got)
	}
	if got := detokenize("en", []string{line, "\x80"}); got != "a\ufffdb \ufffd \ufffd" {
		t.Errorf("Detokenize: got %q", got)
	}
}
