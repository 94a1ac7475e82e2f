package moses

import (
	"fmt"
	"testing"
)

// samples are sentences of natural text.
var samples = map[string][]string{
	"en": {
		"Dr. Smith doesn't live at 221B, Baker St. anymore; he moved to the U.S. in 1998 (with his wife).",
		"“It's the neighbors' dog,” she said, “and it costs $1,250.50 a year!”",
		"The children play in the garden while their father reads a newspaper under the old tree.",
	},
	"fr": {
		"L’homme qu'on a vu près de l'église n'est pas d'ici, mais il parle très bien français.",
		"« C'est la voiture de M. Dupont », dit-elle, « et elle coûte 12 500 € ! »",
		"Les enfants jouent dans le jardin pendant que leur père lit le journal sous le vieil arbre.",
	},
	"de": {
		"Am 17. Dezember kam Herr Dr. Müller, z.B. mit dem Zug um 8.30 Uhr, aus Köln zurück.",
		"„Das ist der Hund der Nachbarn“, sagte sie, „und er kostet 1.250,50 € im Jahr!“",
		"Die Kinder spielen im Garten, während ihr Vater unter dem alten Baum die Zeitung liest.",
	},
}

// BenchmarkTokenize lowercases, normalizes and tokenizes text that has no protected words.
func BenchmarkTokenize(b *testing.B) {
	patterns := compile(b, Protected()...)
	for _, language := range []string{"en", "fr", "de"} {
		for _, protected := range []*Patterns{nil, patterns} {
			b.Run(fmt.Sprintf("lang=%s/protected=%v", language, protected != nil), func(b *testing.B) {
				tokenizer := Tokenizer{Language: language, Protected: protected, Lowercase: true, Normalize: true, Escape: true}
				benchmarkTokenize(b, tokenizer, samples[language])
			})
		}
	}
}

// BenchmarkTokenizeProtected tokenizes text with protected words.
func BenchmarkTokenizeProtected(b *testing.B) {
	tokenizer := Tokenizer{Language: "en", Protected: compile(b, Protected()...), Reversible: true}
	benchmarkTokenize(b, tokenizer, []string{"Visit https://www.example.com/a/b.html, please (see first.last@example.org) at 11:27."})
}

// benchmarkTokenize tokenizes lines.
func benchmarkTokenize(b *testing.B, tokenizer Tokenizer, lines []string) {
	tokens := 0
	b.ReportAllocs()
	for b.Loop() {
		for _, line := range lines {
			tokens += len(tokenizer.Tokenize(line))
		}
	}
	b.ReportMetric(float64(tokens)/b.Elapsed().Seconds(), "tokens/s")
}

func BenchmarkDetokenize(b *testing.B) {
	for _, language := range []string{"en", "fr", "de"} {
		b.Run("lang="+language, func(b *testing.B) {
			tokenizer := Tokenizer{Language: language}
			var sentences [][]string
			for _, line := range samples[language] {
				sentences = append(sentences, tokenizer.Tokenize(line))
			}
			tokens := 0
			b.ReportAllocs()
			for b.Loop() {
				for _, words := range sentences {
					detokenize(language, words)
					tokens += len(words)
				}
			}
			b.ReportMetric(float64(tokens)/b.Elapsed().Seconds(), "tokens/s")
		})
	}
}
