package bpe

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/softsearch-go/softsearch/model/text"
)

// initialSymbols returns the symbols of a word before the first merge.
func initialSymbols(word string) []string {
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

// applyMerge merges a pair wherever it occurs, from left to right.
func applyMerge(symbols []string, m Merge) []string {
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

// naiveLearn recounts all pairs before every merge.
func naiveLearn(f Frequencies, merges, minFrequency int) Codes {
	words := make(map[string][]string)
	for word := range f {
		words[word] = initialSymbols(word)
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
			words[word] = applyMerge(symbols, best)
		}
	}
	return codes
}

// naiveSegment searches all codes for the first pair to merge, until none is left, in each part of a word.
func naiveSegment(codes Codes, word string) []string {
	var symbols []string
	for part := range slices.Chunk(initialSymbols(word), 256) {
		for merged := true; merged; {
			merged = false
			for _, m := range codes {
				if after := applyMerge(part, m); len(after) < len(part) {
					part, merged = after, true
					break
				}
			}
		}
		symbols = append(symbols, part...)
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

// naiveRestrict returns segments with the rare ones split as by recursive_split of subword-nmt's
// apply_bpe.py, except that those no merge produces are split into characters.
func naiveRestrict(codes Codes, segments []string, allowed func(segment string) bool) []string {
	var list []string
	for i, segment := range segments {
		symbol := segment + "</w>"
		if i+1 < len(segments) {
			symbol = strings.TrimSuffix(segment, "@@")
		}
		list = append(list, naiveSplit(codes, symbol, i+1 == len(segments), allowed)...)
	}
	return list
}

// naiveSplit splits a symbol inside a word or at its end.
func naiveSplit(codes Codes, symbol string, end bool, allowed func(segment string) bool) []string {
	text, segment := symbol, symbol+"@@"
	if end {
		text = strings.TrimSuffix(symbol, "</w>")
		segment = text
	}
	_, width := utf8.DecodeRuneInString(text)
	if width == len(text) || allowed(segment) {
		return []string{segment}
	}
	for _, m := range codes {
		if m.Left+m.Right == symbol && (!end || len(m.Right) > len("</w>") && strings.HasSuffix(m.Right, "</w>")) {
			return append(naiveSplit(codes, m.Left, false, allowed), naiveSplit(codes, m.Right, end, allowed)...)
		}
		if m.Left+m.Right == symbol {
			break
		}
	}
	rest := naiveSplit(nil, symbol[width:], end, func(string) bool { return false })
	return append([]string{symbol[:width] + "@@"}, rest...)
}

// checkNaive fails unless Segment agrees with naiveSegment on words.
func checkNaive(t *testing.T, codes Codes, words ...string) {
	t.Helper()
	s := NewSegmenter(codes, nil, 0)
	for _, word := range words {
		got, want := s.Segment(nil, word), naiveSegment(codes, word)
		if !slices.Equal(got, want) {
			t.Fatalf("%q: %q, want %q by\n%s", word, got, want, codes.lines())
		}
	}
}

// randomWords returns words of a few characters, so that pairs repeat and overlap.
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

// TestNaive compares Learn and Segment with naiveLearn and naiveSegment.
func TestNaive(t *testing.T) {
	for i, alphabet := range alphabets {
		t.Run(fmt.Sprint("alphabet=", i), func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, uint64(i)))
			for range 200 {
				f, minFrequency := randomWords(r, alphabet), 1+r.IntN(3)
				codes := learned(t, f, 30, minFrequency)
				if want := naiveLearn(f, 30, minFrequency); !slices.Equal(codes, want) {
					t.Fatalf("%v, minimum frequency %d:\n%q, want\n%q", f, minFrequency, codes, want)
				}
				checkNaive(t, codes, slices.Collect(maps.Keys(randomWords(r, alphabet)))...)
			}
		})
	}
}

// TestNaiveShuffled compares Segment with naiveSegment for codes in any order, some repeated.
func TestNaiveShuffled(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 0))
	for range 500 {
		alphabet := alphabets[r.IntN(len(alphabets))]
		codes := learned(t, randomWords(r, alphabet), 30, 1)
		codes = append(codes, codes...)
		r.Shuffle(len(codes), func(i, j int) { codes[i], codes[j] = codes[j], codes[i] })
		checkNaive(t, codes, slices.Collect(maps.Keys(randomWords(r, alphabet)))...)
	}
}

// TestNaiveRestricted compares segments with a vocabulary with naiveRestrict, for codes of which
// some are missing.
func TestNaiveRestricted(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 0))
	for range 500 {
		alphabet := alphabets[r.IntN(len(alphabets))]
		codes := slices.DeleteFunc(learned(t, randomWords(r, alphabet), 30, 1), func(Merge) bool { return r.IntN(9) == 0 })
		all := NewSegmenter(codes, nil, 0)
		vocabulary := make(Frequencies)
		for word := range randomWords(r, alphabet) {
			vocabulary.Add(all.Segment(nil, word))
		}
		threshold := 1 + r.IntN(3)
		s := NewSegmenter(codes, vocabulary, threshold)
		for word := range randomWords(r, alphabet) {
			want := naiveRestrict(codes, all.Segment(nil, word), func(segment string) bool { return vocabulary[segment] >= threshold })
			if got := s.Segment(nil, word); !slices.Equal(got, want) {
				t.Fatalf("%q: %q, want %q with %v by\n%s", word, got, want, vocabulary, codes.lines())
			}
		}
	}
}

// TestNaiveLong compares Segment with naiveSegment on words of several parts.
func TestNaiveLong(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 0))
	for range 30 {
		alphabet := alphabets[r.IntN(len(alphabets))]
		codes := learned(t, randomWords(r, alphabet), 30, 1)
		if r.IntN(2) == 0 {
			r.Shuffle(len(codes), func(i, j int) { codes[i], codes[j] = codes[j], codes[i] })
		}
		var word strings.Builder
		for range 2*partLen + r.IntN(partLen) {
			word.WriteString(alphabet[r.IntN(len(alphabet))])
		}
		checkNaive(t, codes, word.String())
	}
}

// FuzzSegment learns codes from a text and segments a word with and without a vocabulary.
func FuzzSegment(f *testing.F) {
	f.Add("low low lower newest widest", "lowest", uint8(20), uint8(2))
	f.Add("aaaa aaa abab a@@ @@", "aaaaaaa@@", uint8(20), uint8(1))
	f.Add("a</w> a</w>b b", "a</w>b</w>", uint8(9), uint8(2))
	f.Add("é\xc3 \xa9\xff \xff\xff\xff", "\xc3\xa9\xff\xff", uint8(9), uint8(3))
	f.Fuzz(func(t *testing.T, lines, word string, merges, threshold uint8) {
		if len(lines) > 300 {
			t.Skip("naiveLearn takes too long")
		}
		frequencies := counted(lines)
		codes := learned(t, frequencies, int(merges), 1)
		if want := naiveLearn(frequencies, int(merges), 1); !slices.Equal(codes, want) {
			t.Errorf("merges %q, want %q", codes, want)
		}
		s := NewSegmenter(codes, nil, 0)
		checkSegments(t, word, s.Segment(nil, word), nil, 0)
		checkNaive(t, codes, word)
		vocabulary := counted(segmented(s, lines))
		filtered := NewSegmenter(codes, vocabulary, int(threshold))
		for _, w := range append(text.Tokens(lines), word) {
			checkSegments(t, w, filtered.Segment(nil, w), vocabulary, int(threshold))
		}
	})
}

// checkSegments fails unless the segments join to word and each is a character or, with a
// vocabulary, frequent enough.
func checkSegments(t *testing.T, word string, segments []string, vocabulary Frequencies, threshold int) {
	t.Helper()
	if got := strings.Join(Join(nil, segments), " "); got != word {
		t.Errorf("%q: segments %q join to %q", word, segments, got)
	}
	for i, segment := range segments {
		part := segment
		if i+1 < len(segments) {
			part = strings.TrimSuffix(segment, "@@")
		}
		if part == "" || i+1 < len(segments) && part == segment || utf8.ValidString(word) && !utf8.ValidString(part) {
			t.Errorf("%q: invalid segment %d of %q", word, i, segments)
		}
		n, ok := vocabulary[segment]
		if allowed := vocabulary == nil || ok && n >= threshold; !allowed && utf8.RuneCountInString(part) > 1 {
			t.Errorf("%q: %q of %q is too rare", word, segment, segments)
		}
	}
}

// FuzzReadCodes: codes that can be read can be written and used.
func FuzzReadCodes(f *testing.F) {
	f.Add("#version: 0.2\nl o\nlo w</w>\n", "low")
	f.Add("#version: 0.2\r\nb c\nb c\na bc\n", "abcabc")
	f.Add("#version: 0.2\n</ w>\nx </w>\n</w> </w>\n", "x</w></w>")
	f.Add("#version: 0.2\n\xff \xfe\na  b\n", "\xff\xfe")
	f.Fuzz(func(t *testing.T, file, word string) {
		codes, err := ReadCodes(strings.NewReader(file))
		if err != nil {
			return
		}
		again, err := ReadCodes(strings.NewReader(encoded(t, codes)))
		if err != nil || !slices.Equal(again, codes) {
			t.Errorf("%q became %q, error %v", codes, again, err)
		}
		got := NewSegmenter(codes, nil, 0).Segment(nil, word)
		checkSegments(t, word, got, nil, 0)
		if want := naiveSegment(codes, word); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", word, got, want)
		}
		checkSegments(t, word, NewSegmenter(codes, Frequencies{}, 1).Segment(nil, word), Frequencies{}, 1)
	})
}
