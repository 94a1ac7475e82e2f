package model

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"sort"

	"github.com/softsearch-go/softsearch/model/safetensors"
	"github.com/softsearch-go/softsearch/model/text"
)

// A Shortlist is a lexicon: the target words that may stand for each source word, and those that may stand in any
// sentence, the first ones of the vocabulary, which has them by frequency. Decoding with one scores the words of a
// sentence, see [Candidates], in place of all words.
type Shortlist struct {
	Common  int       // ids below it may stand in any sentence
	Lexicon [][]int32 // by source id: ascending ids from Common on
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

// first returns how many words are the first ones of the vocabulary, rounded down to a multiple of 16.
func (w Words) first() int {
	return sort.Search(len(w), func(i int) bool { return int(w[i]) != i }) / panel * panel
}

// maxSample is the maximum size of the sample of words that stand for those outside a list in log Σ exp.
const maxSample = 256

// sampled returns the size of the sample of the words of a vocabulary that are not among w, and the binary logarithm
// of how many words each stands for.
func (w Words) sampled(vocabulary int) (n, log2 int) {
	for n = vocabulary - w.Len(vocabulary); n > maxSample; n = (n + 1) / 2 {
		log2++
	}
	return n, log2
}

// appendSample appends the sample, every 2^log2-th of the other words, to ids.
func (w Words) appendSample(ids []int32, vocabulary, log2 int) []int32 {
	others := 0
	for id := range int32(vocabulary) {
		if len(w) > 0 && w[0] == id {
			w = w[1:]
			continue
		}
		if others%(1<<log2) == 0 {
			ids = append(ids, id)
		}
		others++
	}
	return ids
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
		if m.Shortlist.Common < 0 || m.Shortlist.Common > vocabulary {
			panic(badCandidate)
		}
		for id := range m.Shortlist.Common {
			set[id/64] |= 1 << (id % 64)
		}
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
	if s.Common < 0 || s.Common > c.TargetVocab {
		return fmt.Errorf("%w: shortlist of %d common words, expected 0 to %d", ErrConfig, s.Common, c.TargetVocab)
	}
	for i, list := range s.Lexicon {
		for j, id := range list {
			if int(id) < s.Common || int(id) >= c.TargetVocab || j > 0 && id <= list[j-1] {
				return fmt.Errorf("%w: shortlist for source word %d has id %d in place %d, expected ascending ids of %d to %d",
					ErrConfig, i, id, j, s.Common, c.TargetVocab-1)
			}
		}
	}
	return nil
}

// stored returns s as a tensor of bytes: Common, and then of each list of the Lexicon its length and the distance of
// each id from the one before, or from Common - 1, less 1, all as varints.
func (s *Shortlist) stored() safetensors.Tensor {
	b := binary.AppendUvarint(nil, uint64(s.Common))
	for _, list := range s.Lexicon {
		b = binary.AppendUvarint(b, uint64(len(list)))
		next := int32(s.Common)
		for _, id := range list {
			b = binary.AppendUvarint(b, uint64(id-next))
			next = id + 1
		}
	}
	data := make([]int8, len(b))
	for i, x := range b {
		data[i] = int8(x)
	}
	return safetensors.Tensor{Name: shortlistName, Shape: []int{len(data)}, Int8: data}
}

// storedShortlist returns what the file has, nil if nothing, for a model of these vocabularies. The error wraps ErrFile.
func storedShortlist(f *safetensors.Reader, c Config) (*Shortlist, error) {
	e, err := f.Entry(shortlistName)
	if errors.Is(err, safetensors.ErrMissing) {
		return nil, nil
	}
	if e.DType != "I8" {
		return nil, fmt.Errorf("%w: tensor %q: dtype %q, expected \"I8\"", ErrFile, shortlistName, e.DType)
	}
	b, err := f.Bytes(shortlistName)
	if err != nil {
		return nil, err
	}
	s := &Shortlist{Lexicon: make([][]int32, 0, min(len(b), c.SourceVocab))}
	number := func(what string, most int) (int, error) {
		n, size := binary.Uvarint(b)
		if size <= 0 {
			return 0, fmt.Errorf("%w: shortlist ends before the %s of list %d, expected %d lists", ErrFile, what, len(s.Lexicon), c.SourceVocab)
		}
		if n >= uint64(most+1) {
			return 0, fmt.Errorf("%w: shortlist: %s %d of list %d, expected 0 to %d", ErrFile, what, n, len(s.Lexicon), most)
		}
		b = b[size:]
		return int(n), nil
	}
	if s.Common, err = number("common words", c.TargetVocab); err != nil {
		return nil, err
	}
	ids := make([]int32, 0, len(b)) // of all lists, which are no more than bytes
	for len(s.Lexicon) < c.SourceVocab {
		n, err := number("length", c.TargetVocab-s.Common)
		if err != nil {
			return nil, err
		}
		first, next := len(ids), s.Common
		for range n {
			gap, err := number("distance", c.TargetVocab-1-next)
			if err != nil {
				return nil, err
			}
			ids = append(ids, int32(next+gap))
			next += gap + 1
		}
		s.Lexicon = append(s.Lexicon, ids[first:len(ids):len(ids)])
	}
	if len(b) > 0 {
		return nil, fmt.Errorf("%w: shortlist has %d bytes after its lists", ErrFile, len(b))
	}
	return s, nil
}
