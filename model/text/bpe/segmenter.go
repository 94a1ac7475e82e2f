package bpe

// A Segmenter splits words by the merges of Codes. It does not change, so any number of
// goroutines may use one.
type Segmenter struct {
	inner, last map[string]int32 // the symbols of a character inside a word and at its end
	ranks       map[pair]int32   // when a pair is merged, the lowest first
	results     []int32          // what a merge makes, by rank
	forms       []form           // by symbol
}

// A form is what a symbol becomes inside a word and at its end: one segment, or several if
// that one is too rare.
type form struct{ inner, last []string }

// NewSegmenter returns the Segmenter of codes. A merge that is in the codes twice counts
// where it is first.
//
// The vocabulary has the frequencies of segments, as [Segmenter.Segment] writes them. A
// segment that is not in it, or has a frequency below threshold, is replaced with the two
// that were merged into it, and these likewise if they are too rare, down to characters,
// which stay. With nil in place of a vocabulary, no segment is too rare.
func NewSegmenter(codes Codes, vocabulary Frequencies, threshold int) *Segmenter {
	s := &Segmenter{
		inner: make(map[string]int32),
		last:  make(map[string]int32),
		ranks: make(map[pair]int32, len(codes)),
	}
	var numbers symbols
	for _, m := range codes {
		p := pair{numbers.id(m.Left), numbers.id(m.Right)}
		if _, ok := s.ranks[p]; !ok {
			s.ranks[p] = int32(len(s.results))
			s.results = append(s.results, numbers.id(m.Left+m.Right))
		}
	}
	r := newRestriction(codes, vocabulary, threshold)
	for id, name := range numbers.names {
		s.define(int32(id), name, r)
	}
	return s
}

// define adds the forms of the next symbol, and makes it that of a character if it is one.
func (s *Segmenter) define(symbol int32, name string, r *restriction) {
	f := form{inner: r.segments(nil, name, false)}
	if character(name) == len(name) {
		s.inner[name] = symbol
	}
	if text, ok := unmarked(name); ok {
		f.last = r.segments(nil, name, true)
		if character(text) == len(text) {
			s.last[text] = symbol
		}
	}
	s.forms = append(s.forms, f)
}
