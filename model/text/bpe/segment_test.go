package bpe

import (
	"slices"
	"strings"
	"testing"
)

// TestInvalidUTF8: a byte outside any code point is a character and part of pairs like any other.
func TestInvalidUTF8(t *testing.T) {
	codes := learned(t, Frequencies{"\xe2\x82\xe2": 2, "é\xa9": 3}, 10, 2)
	if want := "é \xa9</w>\n\xe2 \x82\n\xe2\x82 \xe2</w>\n"; codes.lines() != want {
		t.Errorf("merges %q, want %q", codes.lines(), want)
	}
	s := NewSegmenter(codes, nil, 0)
	tests := []struct{ word, want string }{
		{"é\xa9", "é\xa9"},
		{"\xc3\xa9\xc3", "é@@ \xc3"},
		{"\xc3", "\xc3"},
		{"\xa9\xc3\xa9", "\xa9@@ é"},
		{"\xe2\x82\xe2\x82", "\xe2\x82@@ \xe2@@ \x82"},
		{"\xe2\x82\xac", "€"},
	}
	for _, test := range tests {
		if got := strings.Join(s.Segment(nil, test.word), " "); got != test.want {
			t.Errorf("%q: %q, want %q", test.word, got, test.want)
		}
	}
}

func TestFilter(t *testing.T) {
	// abcd = a + bcd, bcd = bc + d.
	codes := Codes{{"b", "c"}, {"bc", "d</w>"}, {"a", "bcd</w>"}, {"bc", "d"}}
	tests := []struct {
		vocabulary Frequencies
		words      string
		want       string
	}{
		{nil, "abcd bcde", "abcd bcd@@ e"},
		{Frequencies{"abcd": 3, "bcd@@": 3}, "abcd bcde", "abcd bcd@@ e"},
		{Frequencies{"abcd": 2, "bcd": 3}, "abcd bcd", "a@@ bcd bcd"},
		{Frequencies{"bc@@": 3, "bcd": 2}, "abcd bcde", "a@@ bc@@ d bc@@ d@@ e"},
		{Frequencies{"bcd@@": 3, "bc": 3}, "abcd bcd", "a@@ b@@ c@@ d b@@ c@@ d"},
		{Frequencies{}, "abcd é éa", "a@@ b@@ c@@ d é é@@ a"},
	}
	for _, test := range tests {
		s := NewSegmenter(codes, test.vocabulary, 3)
		if got := strings.Join(segments(s, strings.Fields(test.words)), " "); got != test.want {
			t.Errorf("%v: %q, want %q", test.vocabulary, got, test.want)
		}
	}
	all := NewSegmenter(codes, Frequencies{"abcd": 1}, 0)
	if got := all.Segment(nil, "abcd"); !slices.Equal(got, []string{"abcd"}) {
		t.Errorf("threshold 0: %q", got)
	}
}

// TestFilterOddCodes: symbols that no merge produces are split, too, and symbols without
// characters have no effect.
func TestFilterOddCodes(t *testing.T) {
	codes := Codes{{"", "ab"}, {"a", ""}, {"ab", "</w>"}, {"a", "b</w>"}, {"x", "y"}, {"xy", "z</w>"}, {"y", "z"}, {"x", "yz</w>"}, {"y", "z</w>"}}
	s := NewSegmenter(codes, Frequencies{}, 1)
	if got, want := segmented(s, "ab xyz xyzz"), "a@@ b x@@ y@@ z x@@ y@@ z@@ z\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestSegmentAppends(t *testing.T) {
	s := NewSegmenter(Codes{{"a", "b</w>"}}, nil, 0)
	got := s.Segment([]string{"before"}, "cab")
	if want := []string{"before", "c@@", "ab"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := s.Segment(nil, ""); got != nil {
		t.Errorf("empty word: segments %q", got)
	}
}

func TestSegmentAllocatesNothing(t *testing.T) {
	s := NewSegmenter(Codes{{"a", "b"}, {"c", "d</w>"}}, nil, 0)
	dst := make([]string, 0, 10)
	if n := testing.AllocsPerRun(100, func() { dst = s.Segment(dst[:0], "abaabcbcd") }); n != 0 {
		t.Errorf("%g allocations per word", n)
	}
}

// TestLongWord has a word that does not fit the buffer on the stack.
func TestLongWord(t *testing.T) {
	word := strings.Repeat("ab", 5000) + "c"
	s := NewSegmenter(Codes{{"a", "b"}, {"ab", "ab"}, {"abab", "c</w>"}}, nil, 0)
	got := s.Segment(nil, word)
	want := append(slices.Repeat([]string{"abab@@"}, 2499), "ababc")
	if !slices.Equal(got, want) {
		t.Errorf("%d segments, want %d", len(got), len(want))
	}
}

func TestJoin(t *testing.T) {
	tests := []struct{ segments, want string }{
		{"", ""},
		{"a", "a"},
		{"lo@@ w@@ er wall", "lower wall"},
		{"the lo@@ w@@ er", "the lower"},
		{"@-@ a@@@ b", "@-@ a@b"},
		{"@@ @@ a", "a"},
		{"a @@", "a @@"},
		{"a@@", "a@@"},
		{"a@@ b@@", "ab@@"},
	}
	for _, test := range tests {
		segments := strings.Fields(test.segments)
		got := Join([]string{"before"}, segments)
		if want := append([]string{"before"}, strings.Fields(test.want)...); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", segments, got, want)
		}
		if got := strings.ReplaceAll(test.segments, "@@ ", ""); got != test.want {
			t.Errorf("%q without \"@@ \": %q, want %q", segments, got, test.want)
		}
		if got := strings.Join(Join(segments[:0], segments), " "); got != test.want {
			t.Errorf("%q in place: %q, want %q", test.segments, got, test.want)
		}
	}
}
