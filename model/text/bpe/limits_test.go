package bpe

import (
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// chain returns n merges, each of which makes the symbol of the one before it a character longer.
func chain(n int) Codes {
	long := strings.Repeat("a", n+1)
	codes := make(Codes, n)
	for i := range codes {
		codes[i] = Merge{long[:i+1], "a"}
	}
	return codes
}

// allocated returns the bytes that f allocates.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// TestChainMemory: the memory for codes is proportional to their length, although the segments of
// all symbols together are longer by far.
func TestChainMemory(t *testing.T) {
	file := encoded(t, chain(3000))
	var s *Segmenter
	n := allocated(func() {
		codes, err := ReadCodes(strings.NewReader(file))
		if err != nil {
			t.Fatal(err)
		}
		s = NewSegmenter(codes, Frequencies{}, 1)
	})
	if limit := 4 * uint64(len(file)); n > limit {
		t.Errorf("%d bytes allocated for a file of %d, want at most %d", n, len(file), limit)
	}
	if got, want := s.Segment(nil, strings.Repeat("a", 2000)), append(slices.Repeat([]string{"a@@"}, 1999), "a"); !slices.Equal(got, want) {
		t.Errorf("%d segments, want %d", len(got), len(want))
	}
}

// TestMaxSymbol has symbols around the maximum length.
func TestMaxSymbol(t *testing.T) {
	half := strings.Repeat("a", MaxSymbol/2)
	for _, m := range []Merge{{half, half}, {half, half + endOfWord}} {
		if read, err := ReadCodes(strings.NewReader(encoded(t, Codes{m}))); err != nil || !slices.Equal(read, Codes{m}) {
			t.Errorf("symbol of %d bytes: error %.200v", MaxSymbol, err)
		}
	}
	for _, m := range []Merge{{half + "a", half}, {half, half + "a" + endOfWord}, {"a", half + half}} {
		want := fmt.Sprintf("of %d bytes, expected at most %d", MaxSymbol+1, MaxSymbol)
		if _, err := (Codes{m}).WriteTo(io.Discard); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("WriteTo: error %.200v, want one with %q", err, want)
		}
		_, err := ReadCodes(strings.NewReader("#version: 0.2\n" + m.Left + " " + m.Right + "\n"))
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "line 2") {
			t.Errorf("ReadCodes: error %.200v, want one with %q", err, want)
		}
	}
}

// TestLearnMaxSymbol learns from a word whose symbols double in length with every merge.
func TestLearnMaxSymbol(t *testing.T) {
	codes := learned(t, Frequencies{strings.Repeat("a", 8*MaxSymbol): 1}, 100, 2)
	longest := 0
	for _, m := range codes {
		longest = max(longest, m.symbolLen())
	}
	if longest != MaxSymbol {
		t.Errorf("longest symbol of %d bytes, want %d", longest, MaxSymbol)
	}
	encoded(t, codes)
}

// TestReadByteOrderMark: a byte-order mark at the beginning of a file is skipped.
func TestReadByteOrderMark(t *testing.T) {
	codes, err := ReadCodes(strings.NewReader("\ufeff#version: 0.2\n\ufeff b\n"))
	if want := (Codes{{"\ufeff", "b"}}); err != nil || !slices.Equal(codes, want) {
		t.Errorf("codes %q, error %v, want %q", codes, err, want)
	}
}

// An endless reader repeats a text.
type endless string

func (e endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = e[i%len(e)]
	}
	return len(p), nil
}

// TestReadEndless: a file without lines is rejected before it fills the memory.
func TestReadEndless(t *testing.T) {
	n := allocated(func() {
		if _, err := ReadCodes(endless("\x00")); err == nil || err.Error() != "line 1: longer than 1 MiB" {
			t.Errorf("error %v", err)
		}
	})
	if n > 8<<20 {
		t.Errorf("%d bytes allocated", n)
	}
}

// TestErrorLength: no error repeats the whole text that it is about.
func TestErrorLength(t *testing.T) {
	long := strings.Repeat("\U000e0001", 1<<17)
	half := strings.Repeat("a", 1<<19)
	merges := func(f Frequencies) error { _, err := Merges(f, 1); return err }
	write := func(w io.WriterTo) error { _, err := w.WriteTo(io.Discard); return err }
	codes := func(file string) error { _, err := ReadCodes(strings.NewReader(file)); return err }
	for name, err := range map[string]error{
		"header":                codes(half),
		"line without a space":  codes("#version: 0.2\n" + half),
		"line with two spaces":  codes("#version: 0.2\na b " + half),
		"symbol":                codes("#version: 0.2\n" + half + " b"),
		"long line":             codes("#version: 0.2\n" + long + long),
		"written symbol":        write(Codes{{long, "a b"}, {"a", "b"}}),
		"written symbol, long":  write(Codes{{"a", long}}),
		"written symbol, space": write(Codes{{"a", long + " "}}),
		"word to learn":         merges(Frequencies{long + "\n": 1}),
		"frequency to learn":    merges(Frequencies{long: -1}),
	} {
		if err == nil || len(err.Error()) > 1200 {
			t.Errorf("%s: error of %d bytes, want at most 1,200", name, len(fmt.Sprint(err)))
		}
	}
}

// FuzzReadLines compares what readLines finds in a file with strings.Lines.
func FuzzReadLines(f *testing.F) {
	f.Add("a\n\nb\r\n\r\r\nc\n\n\r\n")
	f.Add("\ufeff\n\ufeffa")
	f.Add("\r\n\n")
	f.Fuzz(func(t *testing.T, file string) {
		var got, want []string
		if err := readLines(strings.NewReader(file), func(line string) error { got = append(got, line); return nil }); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(strings.TrimRight(strings.TrimPrefix(file, "\ufeff"), "\r\n")) {
			want = append(want, strings.TrimRight(line, "\r\n"))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: lines %q, want %q", file, got, want)
		}
	})
}
