package bleu

// An ngram is up to four tokens and, behind them, empty strings. N-grams are compared only
// with those of the same length.
type ngram [order]string

// matches returns how many n-grams of the hypothesis the references have.
func matches(hypothesis []string, references [][]string, n int) int {
	available := mostOf(references, n)
	count := 0
	for i := 0; i+n <= len(hypothesis); i++ {
		g := ngramOf(hypothesis[i : i+n])
		if available[g] > 0 {
			available[g]--
			count++
		}
	}
	return count
}

// mostOf returns how often each n-gram occurs in the sentence that has the most of it.
func mostOf(sentences [][]string, n int) map[ngram]int {
	if len(sentences) == 1 {
		return ngrams(sentences[0], n)
	}
	most := make(map[ngram]int)
	for _, sentence := range sentences {
		for g, count := range ngrams(sentence, n) {
			most[g] = max(most[g], count)
		}
	}
	return most
}

// ngrams counts the n-grams of a sentence.
func ngrams(sentence []string, n int) map[ngram]int {
	counts := make(map[ngram]int, len(sentence))
	for i := 0; i+n <= len(sentence); i++ {
		counts[ngramOf(sentence[i:i+n])]++
	}
	return counts
}

func ngramOf(tokens []string) (g ngram) {
	copy(g[:], tokens)
	return g
}
