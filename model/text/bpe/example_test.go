package bpe_test

import (
	"fmt"
	"log"
	"os"
	"slices"
	"strings"

	"github.com/softsearch-go/softsearch/model/grammar"
	"github.com/softsearch-go/softsearch/model/text"
	"github.com/softsearch-go/softsearch/model/text/bpe"
)

func Example() {
	f := bpe.Frequencies{"low": 5, "lower": 2, "newest": 6, "widest": 3}
	merges, err := bpe.Merges(f, 3)
	if err != nil {
		log.Fatal(err)
	}
	s := bpe.NewSegmenter(slices.Collect(merges), nil, 0)
	var segments []string
	for _, word := range text.Tokens("newest lowest low") {
		segments = s.Segment(segments, word)
	}
	fmt.Println(strings.Join(segments, " "))
	fmt.Println(strings.Join(bpe.Join(nil, segments), " "))
	// Output:
	// newest lo@@ west low
	// newest lowest low
}

// Two languages share codes. Segments that do not occur in a language are split further in its
// words.
func ExampleNewSegmenter() {
	pairs, _ := grammar.Pairs(1, 1000, 0)
	f := make(bpe.Frequencies)
	for _, p := range pairs {
		f.Add(p.Source)
		f.Add(p.Target)
	}
	merges, err := bpe.Merges(f, 2)
	if err != nil {
		log.Fatal(err)
	}
	codes := slices.Collect(merges)
	shared := bpe.NewSegmenter(codes, nil, 0)
	vocabulary := make(bpe.Frequencies)
	for _, p := range pairs {
		for _, word := range p.Source {
			vocabulary.Add(shared.Segment(nil, word))
		}
	}
	english := bpe.NewSegmenter(codes, vocabulary, 50)
	for _, word := range []string{"horses", "chevaux"} {
		fmt.Println(shared.Segment(nil, word), english.Segment(nil, word))
	}
	// Output:
	// [horses] [horses]
	// [chevaux] [c@@ h@@ e@@ v@@ a@@ u@@ x]
}

func ExampleCodes_WriteTo() {
	merges, err := bpe.Merges(bpe.Frequencies{"und": 1, "fund": 1}, 2)
	if err != nil {
		log.Fatal(err)
	}
	codes := bpe.Codes(slices.Collect(merges))
	if _, err := codes.WriteTo(os.Stdout); err != nil {
		log.Fatal(err)
	}
	// Output:
	// #version: 0.2
	// u n
	// un d</w>
}

func ExampleReadCodes() {
	_, err := bpe.ReadCodes(strings.NewReader("#version: 0.2\nu n\nund</w>\n"))
	fmt.Println(err)
	// Output:
	// line 3: "und</w>": expected two symbols separated by a space
}
