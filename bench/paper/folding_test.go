package main

import "testing"

func TestTokens(t *testing.T) {
	for _, test := range []struct{ language, line, want string }{
		{"fr", "monsieur le president, l'amendement n'a pas ete accepte, parce qu'il etait irrecevable.",
			"monsieur le president , le amendement ne a pas ete accepte , parce que il etait irrecevable ."},
		{"fr", "aujourd'hui, le projet c-68 du ministre porte sur des (42,5) aux prud'hommes",
			"aujourd' hui , le projet c - 68 de le ministre porte sur de les ( 42,5 ) a les prud ' hommes"},
		{"en", "mr. speaker, the hon. member's question.", "mr. speaker , the hon. member 's question ."},
		{"en", "taxpayers' money and o'brien", "taxpayers ' money and o ' brien"},
	} {
		if got := tokens(test.line, test.language); got != test.want {
			t.Errorf("%q: got %q, want %q", test.line, got, test.want)
		}
	}
}
