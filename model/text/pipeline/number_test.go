package pipeline

import (
	"slices"
	"testing"
)

// TestConverted: digits stay, and separators, signs and what is behind digits become those of another language.
func TestConverted(t *testing.T) {
	for _, same := range [][3]string{
		{"12,345,678", "12 345 678", "12.345.678"},
		{"7.25", "7,25", "7,25"},
		{"1,234.56", "1 234,56", "1.234,56"},
		{"-5.5", "-5,5", "-5,5"},
		{"$19.99", "19,99\u00a0$", "19,99\u00a0$"},
		{"-€1,000.50", "-1 000,50\u00a0€", "-1.000,50\u00a0€"},
		{"1.5%", "1,5\u00a0%", "1,5\u00a0%"},
	} {
		for i, number := range same {
			for j, want := range same {
				if got := converted(number, languages[i], languages[j]); got != want {
					t.Errorf("%s %q is %q in %s, want %q", languages[i], number, got, languages[j], want)
				}
			}
		}
	}
	for _, test := range []struct{ from, number, to, want string }{
		{"en", "1st", "fr", "1er"}, {"en", "1960s", "fr", "1960"}, {"en", "1960s", "de", "1960s"}, {"en", "21st", "fr", "21e"}, {"en", "1,000th", "de", "1.000."}, {"en", "£5bn", "fr", "5bn\u00a0£"},
		{"en", "9:30 a.m.", "fr", "9h30 du matin"}, {"en", "9:30am", "de", "9:30 Uhr morgens"}, {"en", "6 p.m.", "fr", "6\u00a0h du soir"},
		{"en", "5pm", "fr", "5\u00a0h de l'après-midi"}, {"en", "12:30 PM", "de", "12:30 Uhr nachmittags"}, {"fr", "21e", "en", "21st"},
		{"fr", "12e", "en", "12th"}, {"fr", "33e", "en", "33rd"}, {"fr", "18\u00a0h\u00a045", "en", "18:45"}, {"fr", "18h45", "de", "18:45"}, {"fr", "18 h", "en", "18\u00a0h"}, {"fr", "1 000e", "en", "1,000th"},
		{"fr", "16.000", "en", "16,000"}, {"fr", "2ème", "en", "2nd"}, {"fr", "1re", "en", "1st"}, {"fr", "12\u00a0345", "en", "12,345"}, {"fr", "18,10€", "en", "€18.10"},
		{"fr", "20 °C", "en", "20 °C"}, {"other", "1.5", "en", "1.5"}, {"en", "1.5", "other", "1.5"},
	} {
		if got := converted(test.number, test.from, test.to); got != test.want {
			t.Errorf("%s %q is %q in %s, want %q", test.from, test.number, got, test.to, test.want)
		}
	}
	for _, same := range []string{"802.11n", "70km/h", "5.0Ghz", "06 12 34 56 78", "14/02/2011", "1939-1945", "-5", "+33 1 23 45",
		"2010", "9:30", "US$5", "$100-200", "192.168.1.1", "v1.2.3", "3/4", "10:15-11:30"} {
		for _, from := range languages {
			for _, to := range languages {
				if got := converted(same, from, to); got != same {
					t.Errorf("%s %q is %q in %s", from, same, got, to)
				}
			}
		}
	}
}

// TestSameNumber: what is the same in a number of each language is.
func TestSameNumber(t *testing.T) {
	for _, same := range [][]string{{"$1,234.50", "1 234,50 $", "1.234,50\u00a0$"}, {"50%", "50 %"}, {"9:30 a.m.", "9h30"}, {"21st", "21e"}} {
		if slices.ContainsFunc(same, func(number string) bool { return sameNumber(number) != sameNumber(same[0]) }) {
			t.Errorf("%q differ", same)
		}
	}
	if sameNumber("$5") == sameNumber("5€") || sameNumber("12") == sameNumber("21") {
		t.Error("other numbers are the same")
	}
}
