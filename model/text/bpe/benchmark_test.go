package bpe

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// benchmarkWords is the number of different words in the English and French training text of
// Multi30k.
const benchmarkWords = 19_000

// benchmarkFrequencies returns words made of syllables. The n-th occurs 1 + 100,000/n times.
func benchmarkFrequencies() Frequencies {
	r := rand.New(rand.NewPCG(1, 2))
	f := make(Frequencies)
	for len(f) < benchmarkWords {
		var word strings.Builder
		for range 1 + r.IntN(5) {
			word.WriteByte("bcdfglmnprstv"[r.IntN(13)])
			word.WriteByte("aeiou"[r.IntN(5)])
			word.WriteString([]string{"", "", "", "n", "r", "s"}[r.IntN(6)])
		}
		if w := word.String(); f[w] == 0 {
			f[w] = 1 + 100_000/(len(f)+1)
		}
	}
	return f
}

func BenchmarkLearn(b *testing.B) {
	f := benchmarkFrequencies()
	for _, merges := range []int{1_000, 10_000} {
		b.Run(fmt.Sprint("merges=", merges), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				learned(b, f, merges, 2)
			}
		})
	}
}

// BenchmarkSegment segments each word of the benchmark once, so most of them are rare.
func BenchmarkSegment(b *testing.B) {
	f := benchmarkFrequencies()
	words, err := f.words()
	if err != nil {
		b.Fatal(err)
	}
	for _, merges := range []int{1_000, 10_000} {
		b.Run(fmt.Sprint("merges=", merges), func(b *testing.B) {
			s := NewSegmenter(learned(b, f, merges, 2), nil, 0)
			b.ReportAllocs()
			var dst []string
			for b.Loop() {
				for _, word := range words {
					dst = s.Segment(dst[:0], word)
				}
			}
			b.ReportMetric(float64(len(words))*float64(b.N)/b.Elapsed().Seconds(), "words/s")
		})
	}
}

// BenchmarkSegmentLong segments one word made of those of the benchmark.
func BenchmarkSegmentLong(b *testing.B) {
	f := benchmarkFrequencies()
	words, err := f.words()
	if err != nil {
		b.Fatal(err)
	}
	s := NewSegmenter(learned(b, f, 10_000, 2), nil, 0)
	text := strings.Join(words, "")
	for _, n := range []int{20, 40, 80, 160, 1 << 10, 1 << 16} {
		b.Run(fmt.Sprint("characters=", n), func(b *testing.B) {
			var dst []string
			for b.Loop() {
				dst = s.Segment(dst[:0], text[:n])
			}
			b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "characters/s")
		})
	}
}
