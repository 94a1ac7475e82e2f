package bpe

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/softsearch-go/softsearch/model/text"
)

// FuzzSegment learns from a text, and segments a word with all segments of the text and
// with the frequent ones.
func FuzzSegment(f *testing.F) {
	f.Add("low low lower newest widest", "lowest", uint8(20), uint8(2))
	f.Add("aaaa aaa abab a@@ @@", "aaaaaaa@@", uint8(20), uint8(1))
	f.Add("a</w> a</w>b b", "a</w>b</w>", uint8(9), uint8(2))
	f.Add("é\xc3 \xa9\xff \xff\xff\xff", "\xc3\xa9\xff\xff", uint8(9), uint8(3))
	f.Fuzz(func(t *testing.T, lines, word string, merges, threshold uint8) {
		if len(lines) > 300 {
			t.Skip("recounting takes long")
		}
		frequencies := counted(lines)
		codes := learned(t, frequencies, int(merges), 1)
		if want := naiveLearn(frequencies, int(merges), 1); !slices.Equal(codes, want) {
			t.Errorf("merges %q, want %q", codes, want)
		}
		s := NewSegmenter(codes, nil, 0)
		checkSegments(t, word, s.Segment(nil, word), nil, 0)
		if got, want := s.Segment(nil, word), naiveSegment(codes, word); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q by %q", word, got, want, codes)
		}
		vocabulary := counted(segmented(s, lines))
		restricted := NewSegmenter(codes, vocabulary, int(threshold))
		for _, w := range append(text.Tokens(lines), word) {
			checkSegments(t, w, restricted.Segment(nil, w), vocabulary, int(threshold))
		}
	})
}

// checkSegments fails unless the segments make word, and each is in the vocabulary often
// enough, if there is one, or is a character.
func checkSegments(t *testing.T, word string, segments []string, vocabulary Frequencies, threshold int) {
	t.Helper()
	if got := strings.Join(Join(nil, segments), " "); got != word {
		t.Errorf("%q: %q joined are %q", word, segments, got)
	}
	for i, segment := range segments {
		part := segment
		if i+1 < len(segments) {
			part = strings.TrimSuffix(segment, "@@")
		}
		if part == "" || i+1 < len(segments) && part == segment || utf8.ValidString(word) && !utf8.ValidString(part) {
			t.Errorf("%q: segment %d of %q", word, i, segments)
		}
		n, ok := vocabulary[segment]
		if allowed := vocabulary == nil || ok && n >= threshold; !allowed && utf8.RuneCountInString(part) > 1 {
			t.Errorf("%q: %q of %q is too rare", word, segment, segments)
		}
	}
}

// FuzzReadCodes: what is read is written back and works, whatever it is.
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
		again, err := ReadCodes(strings.NewReader(written(t, codes)))
		if err != nil || !slices.Equal(again, codes) {
			t.Errorf("%q became %q, %v", codes, again, err)
		}
		got := NewSegmenter(codes, nil, 0).Segment(nil, word)
		checkSegments(t, word, got, nil, 0)
		if want := naiveSegment(codes, word); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", word, got, want)
		}
		checkSegments(t, word, NewSegmenter(codes, Frequencies{}, 1).Segment(nil, word), Frequencies{}, 1)
	})
}
