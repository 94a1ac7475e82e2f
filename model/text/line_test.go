package text

import (
	"errors"
	"io"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"
)

// A readLine is what Next returned.
type readLine struct {
	text   string
	number int
	err    error // ErrUTF8 or ErrLongLine of a LineError
}

// readLines returns the lines of r and the error that ended the reading.
func readLines(t *testing.T, r io.Reader) ([]readLine, error) {
	t.Helper()
	var list []readLine
	lines := NewLineReader(r)
	for {
		line, err := lines.Next()
		if rejected, ok := errors.AsType[*LineError](err); ok {
			if rejected.Line != lines.Line() {
				t.Errorf("LineError of line %d, Line returns %d", rejected.Line, lines.Line())
			}
			err = rejected.Err
		} else if err != nil {
			if _, again := lines.Next(); again != err || !lines.Buffered() {
				t.Errorf("error %v after the last one, %v", again, err)
			}
			return list, err
		}
		list = append(list, readLine{line, lines.Line(), err})
	}
}

func TestLineReader(t *testing.T) {
	tests := []struct {
		text string
		want []string
	}{
		{"", nil},
		{"\ufeff", nil},
		{"\n", []string{""}},
		{"a", []string{"a"}},
		{"a\nb", []string{"a", "b"}},
		{"a\r\nb\r\r\n\r\nc\r", []string{"a", "b", "", "c"}},
		{"\ufeffa\n\ufeffb\n", []string{"a", "\ufeffb"}},
		{"\ufeff\n\ufeff", []string{"", "\ufeff"}},
		{"\x00\x00ab\na\x00b\x00\n", []string{"\x00\x00ab", "a\x00b\x00"}},
		{"a\x00b\nc", []string{"a\x00b", "c"}},
		{"a\rb\u0085c\u2028d\x00e\vf\fg\n", []string{"a\rb\u0085c\u2028d\x00e\vf\fg"}},
	}
	for _, test := range tests {
		want := make([]readLine, len(test.want))
		for i, line := range test.want {
			want[i] = readLine{text: line, number: i + 1}
		}
		for _, r := range []io.Reader{strings.NewReader(test.text), iotest.OneByteReader(strings.NewReader(test.text)), iotest.DataErrReader(strings.NewReader(test.text))} {
			got, err := readLines(t, r)
			if !slices.Equal(got, want) || err != io.EOF {
				t.Errorf("%q: lines %v, error %v, want %q", test.text, got, err, test.want)
			}
		}
	}
}

// TestLineReaderRejects has lines that cannot be used between others.
func TestLineReaderRejects(t *testing.T) {
	full := strings.Repeat("é", MaxLine/2)
	text := "\ufeff" + full + "\r\na\n" + full + "x\n\xe9t\xe9\r\nb\n" + strings.Repeat(full, 5) + "\n" + full + "\r\nc\n" + full + full
	want := []readLine{
		{full, 1, nil}, {"a", 2, nil}, {"", 3, ErrLongLine}, {"\xe9t\xe9", 4, ErrUTF8}, {"b", 5, nil},
		{"", 6, ErrLongLine}, {full, 7, nil}, {"c", 8, nil}, {"", 9, ErrLongLine},
	}
	got, err := readLines(t, strings.NewReader(text))
	if err != io.EOF || !reflect.DeepEqual(got, want) {
		t.Errorf("%d lines, error %v", len(got), err)
		for _, line := range got {
			t.Logf("line %d of %d bytes, error %v", line.number, len(line.text), line.err)
		}
	}
}

// zeros is text without an end of line, and without an end.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// TestLineReaderEnds has text that is not lines of UTF-8.
func TestLineReaderEnds(t *testing.T) {
	failing := func(text string) io.Reader {
		return io.MultiReader(strings.NewReader(text), iotest.ErrReader(io.ErrClosedPipe))
	}
	tests := []struct {
		name  string
		r     io.Reader
		lines int
		want  error
		text  string
	}{
		{"UTF-16, little endian", strings.NewReader("\xff\xfea\x00\n\x00"), 0, ErrUTF8, "line 1: invalid UTF-8: the text is UTF-16"},
		{"UTF-16, big endian", strings.NewReader("\xfe\xff\x00a\x00\n"), 0, ErrUTF8, "line 1: invalid UTF-8: the text is UTF-16"},
		{"UTF-16, no mark", strings.NewReader("a\x00b\x00\n\x00"), 0, ErrUTF8, "line 1: invalid UTF-8: the text is UTF-16"},
		{"UTF-16, no mark, big endian", strings.NewReader("\x00a\x00b\x00\n"), 0, ErrUTF8, "line 1: invalid UTF-8: the text is UTF-16"},
		{"UTF-16, one line", strings.NewReader("\xff\xfe" + strings.Repeat("a\x00", MaxLine)), 0, ErrUTF8, "UTF-16"},
		{"zeros", zeros{}, 0, ErrLongLine, "line 1: line longer than 1 MiB: more than 64 MiB without an end of line"},
		{"zeros after a line", io.MultiReader(strings.NewReader("a\n"), zeros{}), 1, ErrLongLine, "line 2: "},
		{"error", failing("a\nb"), 1, io.ErrClosedPipe, ""},
		{"error in a long line", failing("a\n" + strings.Repeat("b", 2*MaxLine)), 1, io.ErrClosedPipe, ""},
		{"no progress", io.MultiReader(strings.NewReader("a\n"), iotest.ErrReader(nil)), 1, io.ErrNoProgress, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			lines, err := readLines(t, test.r)
			runtime.ReadMemStats(&after)
			if !errors.Is(err, test.want) || !strings.Contains(err.Error(), test.text) || len(lines) != test.lines {
				t.Errorf("%d lines, error %v, want one with %q", len(lines), err, test.text)
			}
			if n := after.TotalAlloc - before.TotalAlloc; n > 2*MaxLine {
				t.Errorf("%d bytes allocated", n)
			}
		})
	}
}

// TestLineReaderBuffered writes lines to a pipe in parts.
func TestLineReaderBuffered(t *testing.T) {
	r, w := io.Pipe()
	go func() {
		for _, part := range []string{"a\nb\nc", "\nd\n", "e"} {
			io.WriteString(w, part)
		}
		w.Close()
	}()
	lines := NewLineReader(r)
	if lines.Buffered() || lines.Line() != 0 {
		t.Error("a line in the buffer before the first read")
	}
	for i, buffered := range []bool{true, false, true, false, false} {
		line, err := lines.Next()
		if want := string(rune('a' + i)); line != want || err != nil || lines.Buffered() != buffered {
			t.Errorf("got %q, error %v, buffered %v, want %q and %v", line, err, lines.Buffered(), want, buffered)
		}
	}
	if _, err := lines.Next(); err != io.EOF || !lines.Buffered() {
		t.Errorf("at the end: error %v, buffered %v", err, lines.Buffered())
	}
}

// FuzzLineReader compares lines with those of strings.Split.
func FuzzLineReader(f *testing.F) {
	f.Add("\ufeffa\r\n\r\r\n\xff\nb")
	f.Add("\xfe\xff\x00a")
	f.Add("\n\n\r")
	f.Add("\x00a\x00b")
	f.Add("a\x00\n\x00b")
	f.Add("\x00a\x00")
	f.Fuzz(func(t *testing.T, text string) {
		got, err := readLines(t, iotest.HalfReader(strings.NewReader(text)))
		if isUTF16([]byte(strings.SplitAfterN(text, "\n", 2)[0])) {
			if !errors.Is(err, ErrUTF8) || got != nil {
				t.Errorf("%q: lines %v, error %v, want ErrUTF8", text, got, err)
			}
			return
		}
		var want []readLine
		if text = strings.TrimPrefix(text, "\ufeff"); text != "" {
			for i, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
				line = strings.TrimRight(line, "\r")
				want = append(want, readLine{line, i + 1, nil})
				if !utf8.ValidString(line) {
					want[i].err = ErrUTF8
				}
			}
		}
		if err != io.EOF || !slices.Equal(got, want) {
			t.Errorf("%q: lines %v, error %v, want %v", text, got, err, want)
		}
	})
}
