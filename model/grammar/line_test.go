package grammar

import (
	"strings"
	"testing"
)

func TestHyphenate(t *testing.T) {
	for words, want := range map[string]string{
		"twenty one thousand five hundred thirty three cars": "twenty-one thousand five hundred thirty-three cars",
		"on the twenty first of may one man":                 "on the twenty-first of may one man",
		"twenty cats and one dog":                            "twenty cats and one dog",
		"":                                                   "",
		"vingt et un mille cinq cent trente trois voitures":   "vingt et un mille cinq cent trente-trois voitures",
		"quatre vingt onze hommes et quatre vingts femmes":    "quatre-vingt-onze hommes et quatre-vingts femmes",
		"quatre vingt une tables et soixante dix sept chats":  "quatre-vingt-une tables et soixante-dix-sept chats",
		"quatre cent quatre mille dix neuf et soixante et un": "quatre cent quatre mille dix-neuf et soixante et un",
	} {
		if got := line(Hyphenate(strings.Fields(words))); got != want {
			t.Errorf("%q: got %q, want %q", words, got, want)
		}
	}
}

// TestHyphenateNumbers spells all numbers below a thousand, in which a hyphen stands between the words of a number
// below a hundred, but for et.
func TestHyphenateNumbers(t *testing.T) {
	for n := 1; n < 1000; n++ {
		below := frenchTwoDigits(n%100, n%2 == 0, true)
		want := line(frenchHundreds(n, n%2 == 0, true))
		if n%100 != 0 && len(below) > 1 && below[1] != "et" {
			want = strings.TrimSuffix(want, line(below)) + strings.Join(below, "-")
		}
		if got := line(Hyphenate(frenchNumber(n, n%2 == 0))); got != want {
			t.Errorf("%d: got %q, want %q", n, got, want)
		}
		want = line(englishNumber(n))
		if tens := englishTens[n%100/10]; tens != "" && n%10 != 0 {
			want = strings.Replace(want, tens+" ", tens+"-", 1)
		}
		if got := line(Hyphenate(englishNumber(n))); got != want {
			t.Errorf("%d: got %q, want %q", n, got, want)
		}
	}
}

func TestAppendLine(t *testing.T) {
	for _, test := range []struct {
		words  string
		commas bool
		want   string
	}{
		{"the french man sees may and on monday", false, "> the French man sees May and on Monday"},
		{"l' homme d' une ville mais qu' on voit", true, "> l'homme d'une ville, mais qu'on voit"},
		{"a cat but a dog and a man while", true, "> a cat, but a dog and a man, while"},
		{"a cat but a dog", false, "> a cat but a dog"},
		{"", true, "> "},
	} {
		if got := string(AppendLine([]byte("> "), strings.Fields(test.words), test.commas)); got != test.want {
			t.Errorf("%q: got %q, want %q", test.words, got, test.want)
		}
	}
}
