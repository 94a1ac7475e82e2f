package files

import (
	"io"
	"strings"
	"testing"

	"github.com/softsearch-go/softsearch/model/text"
)

// TestAvailable reads lines in windows of which some are limited by their number and some by their
// size.
func TestAvailable(t *testing.T) {
	const short, long = 10_000, 24
	source := strings.Repeat("a dog\n", short) + strings.Repeat(strings.Repeat("a", text.MaxLine)+"\n", long)
	path := put(t, "in", []byte(source))
	in, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	l := NewLines(in)
	total := 0
	for end := error(nil); end == nil; {
		var window []Line
		window, end = l.Available(10)
		size := 0
		for _, line := range window {
			if total++; line.Number != total || line.Bad != nil {
				t.Errorf("line %d has number %d, error %v", total, line.Number, line.Bad)
			}
			size += len(line.Text)
		}
		if len(window) > 10 || size > 8<<20 {
			t.Errorf("window of %d lines, %d bytes", len(window), size)
		}
		if total < short && len(window) < 10 {
			t.Errorf("window of %d lines of a file, want 10", len(window))
		}
	}
	if total != short+long {
		t.Errorf("%d lines, want %d", total, short+long)
	}
}

// TestJoined: paragraphs have the number of their first line, and a bad line ends one.
func TestJoined(t *testing.T) {
	l := NewLines(NewInput(t.Context(), "in", strings.NewReader("a\nb\n\n\tc\nA\n\xff\nb.\nc")))
	l.Joined = true
	want := []Line{{"a b", 1, nil, false}, {"", 3, nil, false}, {"\tc", 4, nil, true}, {"A", 5, nil, false}, {"\xff", 6, text.ErrUTF8, false}, {"b.", 7, nil, false}, {"c", 8, nil, false}}
	for i := range len(want) + 2 {
		got, err := l.Next()
		if i < len(want) && (got != want[i] || err != nil) || i >= len(want) && err != io.EOF {
			t.Errorf("%d: %+v, error %v", i, got, err)
		}
	}
}

// TestOffset compares the offset of an input with the bytes of the lines that have been read.
func TestOffset(t *testing.T) {
	const line = "the cat sees the dog ."
	in, err := Open(t.Context(), put(t, "in", []byte(strings.Repeat(line+"\n", 100_000))))
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	l := NewLines(in)
	for n := int64(1); n <= 50_000; n++ {
		if _, err := l.Next(); err != nil {
			t.Fatal(err)
		}
		if ahead := in.Offset() - n*int64(len(line)+1); ahead < 0 || ahead > 16<<10 {
			t.Fatalf("offset %d bytes after line %d", ahead, n)
		}
	}
}
