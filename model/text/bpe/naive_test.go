package bpe

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// spelled returns the symbols of a word before the first merge.
func spelled(word string) []string {
	var list []string
	for word != "" {
		_, n := utf8.DecodeRuneInString(word)
		list = append(list, word[:n])
		word = word[n:]
	}
	if len(list) > 0 {
		list[len(list)-1] += "</w>"
	}
	return list
}

// putTogether merges a pair wherever it occurs, from left to right.
func putTogether(symbols []string, m Merge) []string {
	var list []string
	for i := 0; i < len(symbols); i++ {
		if i+1 < len(symbols) && symbols[i] == m.Left && symbols[i+1] == m.Right {
			list = append(list, m.Left+m.Right)
			i++
		} else {
			list = append(list, symbols[i])
		}
	}
	return list
}

// naiveLearn counts all pairs again before every merge.
func naiveLearn(f Frequencies, merges, minFrequency int) Codes {
	words := make(map[string][]string)
	for word := range f {
		words[word] = spelled(word)
	}
	var codes Codes
	for len(codes) < merges {
		counts := make(map[Merge]int)
		for word, symbols := range words {
			for i := 1; i < len(symbols); i++ {
				counts[Merge{symbols[i-1], symbols[i]}] += f[word]
			}
		}
		best := Merge{}
		for m, n := range counts {
			order := slices.Compare([]string{m.Left, m.Right}, []string{best.Left, best.Right})
			if n > counts[best] || n == counts[best] && order > 0 {
				best = m
			}
		}
		if counts[best] < minFrequency {
			break
		}
		codes = append(codes, best)
		for word, symbols := range words {
			words[word] = putTogether(symbols, best)
		}
	}
	return codes
}

// naiveSegment merges the pair that is the first one in the codes until there is none.
func naiveSegment(codes Codes, word string) []string {
	symbols := spelled(word)
	for merged := true; merged; {
		merged = false
		for _, m := range codes {
			if after := putTogether(symbols, m); len(after) < len(symbols) {
				symbols, merged = after, true
				break
			}
		}
	}
	for i := range symbols {
		if i+1 < len(symbols) {
			symbols[i] += "@@"
		} else {
			symbols[i] = strings.TrimSuffix(symbols[i], "</w>")
		}
	}
	return symbols
}

// randomWords returns words of a few characters, which repeat and overlap.
func randomWords(r *rand.Rand, alphabet []string) Frequencies {
	f := make(Frequencies)
	for range 1 + r.IntN(12) {
		var word strings.Builder
		for range 1 + r.IntN(9) {
			word.WriteString(alphabet[r.IntN(len(alphabet))])
		}
		f[word.String()] = 1 + r.IntN(4)
	}
	return f
}

var alphabets = [][]string{
	{"a"},
	{"a", "b"},
	{"a", "b", "c", "é", "東"},
	{"a", "@", "@@"},
	{"a", "</w>", "<", "w>"},
	{"\xc3", "\xa9", "\xff", "\xe2\x82", "é", "a"},
	{"\u00a0", "\u2028", "\x00", "e\u0301", "\t"},
}

// The merges are those of recounting, and words are segmented as a search through all codes
// segments them.
func TestNaive(t *testing.T) {
	for i, alphabet := range alphabets {
		t.Run(fmt.Sprint("alphabet=", i), func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, uint64(i)))
			for range 200 {
				f, minFrequency := randomWords(r, alphabet), 1+r.IntN(3)
				codes := learned(t, f, 30, minFrequency)
				if want := naiveLearn(f, 30, minFrequency); !slices.Equal(codes, want) {
					t.Fatalf("%v, at least %d times:\n%q, want\n%q", f, minFrequency, codes, want)
				}
				s := NewSegmenter(codes, nil, 0)
				for word := range randomWords(r, alphabet) {
					if got, want := s.Segment(nil, word), naiveSegment(codes, word); !slices.Equal(got, want) {
						t.Fatalf("%q: %q, want %q by\n%s", word, got, want, codes.lines())
					}
				}
			}
		})
	}
}

// Codes that nobody learned, in any order and more than once.
func TestNaiveShuffled(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 0))
	for range 500 {
		alphabet := alphabets[r.IntN(len(alphabets))]
		codes := learned(t, randomWords(r, alphabet), 30, 1)
		codes = append(codes, codes...)
		r.Shuffle(len(codes), func(i, j int) { codes[i], codes[j] = codes[j], codes[i] })
		s := NewSegmenter(codes, nil, 0)
		for word := range randomWords(r, alphabet) {
			if got, want := s.Segment(nil, word), naiveSegment(codes, word); !slices.Equal(got, want) {
				t.Fatalf("%q: %q, want %q by\n%s", word, got, want, codes.lines())
			}
		}
	}
}
