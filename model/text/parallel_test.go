package text

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"
	"unsafe"
)

// parallel returns a ParallelReader of two texts that appends dropped pairs to drops.
func parallel(source, target string, drops *[]string) ParallelReader {
	return ParallelReader{
		Source: strings.NewReader(source), SourceName: "a.en",
		Target: strings.NewReader(target), TargetName: "b.fr",
		OnDrop: func(err error) { *drops = append(*drops, err.Error()) },
	}
}

// TestParallelReaderDrops has bad lines of every kind on either side.
func TestParallelReaderDrops(t *testing.T) {
	long := strings.Repeat("a ", MaxLine)
	source := "\ufeffone\r\n\ntwo\nthree\n\xff\nfour\n" + long + "\nfive\nsix\n \t\n"
	target := "un\ndeux\ndeux\n\xe9\n\n" + long + "\nquatre\ncinq\n\u00a0\r\n\n"
	var drops []string
	pairs, err := parallel(source, target, &drops).Read()
	if err != nil {
		t.Fatal(err)
	}
	want := []Pair{{[]string{"one"}, []string{"un"}}, {[]string{"two"}, []string{"deux"}}, {[]string{"five"}, []string{"cinq"}}, {[]string{"six"}, []string{"\u00a0"}}}
	if !reflect.DeepEqual(pairs, want) {
		t.Errorf("pairs %q, want %q", pairs, want)
	}
	wantDrops := []string{
		"a.en:2: empty line, expected a sentence",
		"b.fr:4: invalid UTF-8",
		"a.en:5: invalid UTF-8",
		"b.fr:6: line longer than 1 MiB",
		"a.en:7: line longer than 1 MiB",
		"a.en:10: empty line, expected a sentence",
	}
	if !slices.Equal(drops, wantDrops) {
		t.Errorf("dropped %q, want %q", drops, wantDrops)
	}
}

func TestParallelReaderErrors(t *testing.T) {
	tests := []struct {
		name           string
		source, target string
		strict         bool
		drops          int
		want           error
		text           string
	}{
		{"both empty", "", "", false, 0, ErrEmptyFile, "a.en: empty file"},
		{"source empty", "", "x\ny\n", false, 0, ErrEmptyFile, "a.en: empty file"},
		{"target empty", "\n\n", "", false, 0, ErrEmptyFile, "b.fr: empty file"},
		{"target empty, strict", "\n\n", "", true, 0, ErrEmptyFile, "b.fr: empty file"},
		{"source longer", "x\n\ny\n\xff\n", "u\nv\n", false, 1, ErrLineCount, "b.fr has 2, expected the same"},
		{"target longer", "\xff\n", "u\nv\n", false, 1, ErrLineCount, "b.fr:2: unequal numbers of lines: a.en has 1, b.fr has 2"},
		{"target longer by a bad line", "x\n", "u\n\n", false, 0, ErrLineCount, "b.fr:2: unequal numbers of lines"},
		{"empty source, strict", "x\n\ny\n", "u\nv\n", true, 0, ErrEmptyLine, "a.en:2: empty line"},
		{"bad target, strict", "x\ny\n", "u\n\xff\n", true, 0, ErrUTF8, "b.fr:2: invalid UTF-8"},
		{"no usable pair", "x\n\n", "\xff\nv\n", false, 2, ErrUTF8, "a.en, b.fr: no usable pair: b.fr:1: invalid UTF-8"},
		{"UTF-16", "x\n\n", "\xff\xfev\x00\n\x00\n", false, 0, ErrUTF8, "b.fr: line 1: invalid UTF-8: the text is UTF-16"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var drops []string
			r := parallel(test.source, test.target, &drops)
			r.Strict = test.strict
			pairs, err := r.Read()
			if !errors.Is(err, test.want) || !strings.Contains(err.Error(), test.text) || pairs != nil {
				t.Errorf("error %v, want one with %q", err, test.text)
			}
			if len(drops) != test.drops {
				t.Errorf("dropped %q", drops)
			}
		})
	}
}

// TestParallelReaderDefaults has no names, no functions and a reader that fails.
func TestParallelReaderDefaults(t *testing.T) {
	failing := func(text string) io.Reader {
		return io.MultiReader(strings.NewReader(text), iotest.ErrReader(io.ErrClosedPipe))
	}
	for _, r := range []ParallelReader{
		{Source: failing("a\n"), Target: strings.NewReader("b\n")},
		{Source: strings.NewReader("a\n\n"), Target: failing("b\nc\n")},
		{Source: strings.NewReader("a\n"), Target: failing("b\nc\n")},
	} {
		if pairs, err := r.Read(); !errors.Is(err, io.ErrClosedPipe) || pairs != nil {
			t.Errorf("pairs %q, error %v, want the error of the reader", pairs, err)
		}
	}
	_, err := ParallelReader{Source: strings.NewReader("a\n\n"), Target: strings.NewReader("b\n")}.Read()
	if err == nil || err.Error() != "source:2: unequal numbers of lines: source has 2, target has 1, expected the same" {
		t.Errorf("error %v", err)
	}
}

// TestReadByteOrderMark: a byte-order mark is skipped, and only at the beginning.
func TestReadByteOrderMark(t *testing.T) {
	text := "\ufeffa\r\n\ufeffb\r\n"
	want := [][]string{{"a"}, {"\ufeffb"}}
	pairs, err := ParallelReader{Source: strings.NewReader(text), Target: strings.NewReader(text)}.Read()
	if err != nil || !reflect.DeepEqual(pairs, []Pair{{want[0], want[0]}, {want[1], want[1]}}) {
		t.Errorf("pairs %q, error %v", pairs, err)
	}
}

// TestReadPipes reads texts that one program writes, line by line.
func TestReadPipes(t *testing.T) {
	source, sourceWriter := io.Pipe()
	target, targetWriter := io.Pipe()
	line := strings.Repeat("word ", 1000) + "\n"
	go func() {
		for range 100 {
			io.WriteString(sourceWriter, line)
			io.WriteString(targetWriter, line)
		}
		sourceWriter.Close()
		targetWriter.Close()
	}()
	if pairs, err := (ParallelReader{Source: source, Target: target}).Read(); err != nil || len(pairs) != 100 {
		t.Errorf("%d pairs, error %v", len(pairs), err)
	}
}

// TestParallelReaderMemory: sentences share words, have no spare capacity, and do not overlap.
func TestParallelReaderMemory(t *testing.T) {
	long := slices.Repeat([]string{"c"}, 10_000)
	split := func(source, target string) (Pair, error) {
		return Pair{append(make([]string, 0, 1000), Tokens(source)...), Tokens(target)}, nil
	}
	text := "a b\na c\n" + strings.Join(long, " ") + "\nb\n"
	r := ParallelReader{Source: strings.NewReader(text), Target: strings.NewReader(text), Split: split}
	pairs, err := r.Read()
	if err != nil {
		t.Fatal(err)
	}
	want := [][]string{{"a", "b"}, {"a", "c"}, long, {"b"}}
	for i, p := range pairs {
		for _, side := range [][]string{p.Source, p.Target} {
			if !slices.Equal(side, want[i]) || cap(side) != len(side) {
				t.Errorf("pair %d: %d words with capacity %d", i, len(side), cap(side))
			}
		}
	}
	if unsafe.StringData(pairs[0].Source[0]) != unsafe.StringData(pairs[1].Target[0]) {
		t.Error("equal words do not share memory")
	}
}

// TestReadBlocks reads text with bad lines in one and in several threads, to the results of Read, also
// where it ends with an error of the text or of use.
func TestReadBlocks(t *testing.T) {
	var source, target strings.Builder
	for i := range 5000 {
		switch {
		case i%700 == 3:
			fmt.Fprintln(&source)
		case i%900 == 5:
			fmt.Fprintln(&source, "\xff")
		default:
			fmt.Fprintln(&source, "s", i)
		}
		fmt.Fprintln(&target, "t", i)
	}
	errUse, errRead := errors.New("use"), errors.New("read")
	for _, test := range []struct {
		name   string
		more   string // target lines
		strict bool
		use    int // block whose use fails, -1 for none
		want   error
	}{
		{"whole", "", false, -1, nil},
		{"longer", "one more\n", false, -1, ErrLineCount},
		{"strict", "", true, -1, ErrEmptyLine},
		{"use", "", false, 2, errUse},
		{"reader", "fails", false, -1, errRead},
	} {
		for _, threads := range []int{1, 2, 5} {
			var drops, wantDrops []string
			reader := func(drops *[]string) ParallelReader {
				r := parallel(source.String(), target.String()+test.more, drops)
				if test.want == errRead {
					r.Target = io.MultiReader(strings.NewReader(target.String()), iotest.ErrReader(errRead))
				}
				r.Strict = test.strict
				return r
			}
			want, wantErr := reader(&wantDrops).Read()
			var pairs []Pair
			blocks := 0
			before := runtime.NumGoroutine()
			err := ReadBlocks(reader(&drops), threads, func(pairs []Pair, _ []int) []Pair { return pairs }, func(block []Pair) error {
				if blocks++; blocks-1 == test.use {
					return errUse
				}
				pairs = append(pairs, block...)
				return nil
			})
			// One that has said that it is done counts until it has returned.
			for deadline := time.Now().Add(5 * time.Second); runtime.NumGoroutine() > before; time.Sleep(time.Millisecond) {
				if time.Now().After(deadline) {
					t.Fatalf("%s, %d threads: %d goroutines are left", test.name, threads, runtime.NumGoroutine()-before)
				}
			}
			if !errors.Is(err, test.want) || test.use < 0 && fmt.Sprint(err) != fmt.Sprint(wantErr) {
				t.Errorf("%s, %d threads: error %v, want %v", test.name, threads, err, test.want)
			}
			if err == nil && !reflect.DeepEqual(pairs, want) || test.use < 0 && !slices.Equal(drops, wantDrops) {
				t.Errorf("%s, %d threads: %d pairs and drops %q, want %d and %q", test.name, threads, len(pairs), drops, len(want), wantDrops)
			}
		}
	}
}
