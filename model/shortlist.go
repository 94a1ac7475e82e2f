package model

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"

	"github.com/softsearch-go/softsearch/model/text"
)

// A Shortlist is a lexicon: the target words that may stand for each source word, and those that may stand in any
// sentence. Decoding with one scores the words of a sentence, see [Candidates], in place of all words. Lists are of
// ascending ids.
type Shortlist struct {
	Common  []int32   // of any sentence
	Lexicon [][]int32 // by source id
}

// PerWord returns the mean length of the lists of the Lexicon.
func (s *Shortlist) PerWord() float64 {
	n := 0
	for _, list := range s.Lexicon {
		n += len(list)
	}
	return float64(n) / float64(len(s.Lexicon))
}

// Words are the target words that can follow in translations of a sentence: ascending ids, or nil for all words.
// Columns of scores are those of the words in this order.
type Words []int32

// Len returns the number of words of a vocabulary of that size.
func (w Words) Len(vocabulary int) int {
	if w == nil {
		return vocabulary
	}
	return len(w)
}

// ID returns the id of a column.
func (w Words) ID(column int) int32 {
	if w == nil {
		return int32(column)
	}
	if column < 0 || column >= len(w) {
		panic("model: Words.ID: no such column")
	}
	return w[column]
}

// Column returns the column of an id, which must be one of the words.
func (w Words) Column(id int32) int {
	if w == nil {
		return int(id)
	}
	column, found := slices.BinarySearch(w, id)
	if !found {
		panic("model: Words.Column: no such word")
	}
	return column
}

const (
	fewestWords = 16 // with fewer, a search may find no allowed one
	maxShare    = 2  // the part of the vocabulary above which a shortlist saves little
)

const badCandidate = "model: Candidates: id outside the vocabularies"

// Candidates returns the words that translations of a source by these models are made of: those that the shortlist
// of any model has for its ids or for any sentence, the ids of more, EOS and UNK. It returns nil, all words, if
// a model has no shortlist, or if they would be less than 16 or more than half of the vocabulary. They depend on the
// arguments alone. The models must pass their Check and have the same vocabularies, which have all ids; otherwise, or
// without a model, it panics.
func Candidates(models []*Model, source []int32, more ...[]int32) Words {
	if len(models) == 0 || slices.Contains(models, nil) {
		panic("model: Candidates: expected models")
	}
	for _, m := range models {
		if m.Shortlist == nil {
			return nil
		}
	}
	vocabulary := models[0].Config.TargetVocab
	set := make([]uint64, (vocabulary+63)/64)
	add := func(list []int32) {
		for _, id := range list {
			if id < 0 || int(id) >= vocabulary {
				panic(badCandidate)
			}
			set[id/64] |= 1 << (id % 64)
		}
	}
	add([]int32{text.EOS, text.UNK})
	for _, m := range models {
		add(m.Shortlist.Common)
		for _, id := range source {
			if id < 0 || int(id) >= len(m.Shortlist.Lexicon) {
				panic(badCandidate)
			}
			add(m.Shortlist.Lexicon[id])
		}
	}
	for _, list := range more {
		add(list)
	}
	n := 0
	for _, word := range set {
		n += bits.OnesCount64(word)
	}
	if n < fewestWords || n > vocabulary/maxShare {
		return nil
	}
	words := make(Words, 0, n)
	for i, word := range set {
		for ; word != 0; word &= word - 1 {
			words = append(words, int32(64*i+bits.TrailingZeros64(word)))
		}
	}
	return words
}

// check returns an error that wraps ErrConfig unless s, if it is not nil, is for the vocabularies.
func (s *Shortlist) check(c Config) error {
	if s == nil {
		return nil
	}
	if n := len(s.Lexicon); n != c.SourceVocab {
		return fmt.Errorf("%w: shortlist for %d source words, expected %d", ErrConfig, n, c.SourceVocab)
	}
	for i := -1; i < len(s.Lexicon); i++ {
		list, what := s.Common, "any sentence"
		if i >= 0 {
			list, what = s.Lexicon[i], fmt.Sprintf("source word %d", i)
		}
		for j, id := range list {
			if id < 0 || int(id) >= c.TargetVocab || j > 0 && id <= list[j-1] {
				return fmt.Errorf("%w: shortlist for %s has id %d in place %d, expected ascending ids of 0 to %d",
					ErrConfig, what, id, j, c.TargetVocab-1)
			}
		}
	}
	return nil
}

// encode returns s as text for the metadata of a file: base64 of the lists, that of any sentence first. Of a list
// it has the length, and then the distance of each id from the one before, or from -1, less 1, as varints.
func (s *Shortlist) encode() string {
	var b []byte
	for _, list := range append([][]int32{s.Common}, s.Lexicon...) {
		b = binary.AppendUvarint(b, uint64(len(list)))
		next := int32(0)
		for _, id := range list {
			b = binary.AppendUvarint(b, uint64(id-next))
			next = id + 1
		}
	}
	return base64.RawStdEncoding.EncodeToString(b)
}

// decodeShortlist returns what encode made text of, for a model of these vocabularies. The error wraps ErrFile.
func decodeShortlist(text string, c Config) (*Shortlist, error) {
	b, err := base64.RawStdEncoding.DecodeString(text)
	if err != nil {
		return nil, fmt.Errorf("%w: shortlist: %w", ErrFile, brief{err})
	}
	ids := make([]int32, 0, len(b)) // of all lists, which are no more than bytes
	lists := make([][]int32, 0, min(len(b), c.SourceVocab+1))
	bad := func(what string, n uint64, most int) error {
		return fmt.Errorf("%w: shortlist: %s %d in list %d, expected 0 to %d", ErrFile, what, n, len(lists), most)
	}
	for len(lists) <= c.SourceVocab {
		n, size := binary.Uvarint(b)
		if size <= 0 {
			return nil, fmt.Errorf("%w: shortlist of %d lists, expected %d", ErrFile, len(lists), c.SourceVocab+1)
		}
		b = b[size:]
		if n > uint64(min(len(b), c.TargetVocab)) {
			return nil, bad("length", n, min(len(b), c.TargetVocab))
		}
		first := len(ids)
		next := 0
		for range n {
			gap, size := binary.Uvarint(b)
			if size <= 0 {
				return nil, fmt.Errorf("%w: shortlist ends within list %d", ErrFile, len(lists))
			}
			if gap >= uint64(c.TargetVocab-next) {
				return nil, bad("distance", gap, c.TargetVocab-next-1)
			}
			b = b[size:]
			ids = append(ids, int32(next)+int32(gap))
			next += int(gap) + 1
		}
		lists = append(lists, ids[first:len(ids):len(ids)])
	}
	if len(b) > 0 {
		return nil, fmt.Errorf("%w: shortlist has %d bytes after its lists", ErrFile, len(b))
	}
	return &Shortlist{Common: lists[0], Lexicon: lists[1:]}, nil
}
