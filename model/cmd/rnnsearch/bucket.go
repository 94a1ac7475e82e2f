package main

import "github.com/softsearch-go/softsearch/model/decode"

// A bucket is the sentences of a list whose lengths are in some range, and the pool that
// translates them.
type bucket struct {
	sentences []decode.Sentence
	places    []int // of the sentences in the list
	longest   int   // words of a source
	pool      *decode.Pool
	room      int // words of a source that the pool has room for
}

func (b *bucket) empty() { b.sentences, b.places, b.longest = b.sentences[:0], b.places[:0], 0 }

// add adds a sentence and its place.
func (b *bucket) add(place int, s decode.Sentence) {
	b.sentences, b.places = append(b.sentences, s), append(b.places, place)
	b.longest = max(b.longest, len(s.Source))
}

// roomFor returns the room of a pool for a source of that many words.
func roomFor(words int) int { return (words + sourceStep - 1) / sourceStep * sourceStep }
