package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/softsearch-go/softsearch/model/text/grammar"
)

// make2 runs the command for two files in a new folder and returns their contents and standard output.
func make2(t *testing.T, suffix string, args ...string) (english, french, places string) {
	t.Helper()
	dir := t.TempDir()
	paths := []string{filepath.Join(dir, "a.en"+suffix), filepath.Join(dir, "a.fr"+suffix)}
	var out bytes.Buffer
	if err := run(t.Context(), append(args, paths...), &out); err != nil {
		t.Fatal(err)
	}
	var contents []string
	for _, path := range paths {
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		var r io.Reader = f
		if suffix == ".gz" {
			if r, err = gzip.NewReader(f); err != nil {
				t.Fatal(err)
			}
		}
		b, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		contents = append(contents, string(b))
	}
	return contents[0], contents[1], out.String()
}

// TestSame writes the same text twice, plain and compressed, and other text with another seed.
func TestSame(t *testing.T) {
	args := []string{"-pairs", "300", "-bad", "3", "-seed"}
	english, french, places := make2(t, "", append(args, "7")...)
	for _, suffix := range []string{"", ".gz"} {
		e, f, p := make2(t, suffix, append(args, "7")...)
		if e != english || f != french || p != places {
			t.Errorf("other text in a file with suffix %q", suffix)
		}
	}
	if e, f, _ := make2(t, "", append(args, "8")...); e == english || f == french {
		t.Error("the same text with another seed")
	}
}

// TestBad compares the text with and without bad lines: they differ in the lines that standard output
// names.
func TestBad(t *testing.T) {
	const pairs, bad = 1000, 12
	good, goodFrench, _ := make2(t, "", "-pairs", fmt.Sprint(pairs))
	text, french, places := make2(t, "", "-pairs", fmt.Sprint(pairs), "-bad", fmt.Sprint(bad))
	want := map[string][]string{"source": strings.Split(good, "\n"), "target": strings.Split(goodFrench, "\n")}
	got := map[string][]string{"source": strings.Split(text, "\n"), "target": strings.Split(french, "\n")}
	for file, lines := range got {
		if len(lines) != pairs+1 || len(want[file]) != pairs+1 {
			t.Fatalf("%s: %d lines, %d without bad ones, want %d", file, len(lines)-1, len(want[file])-1, pairs)
		}
	}
	kinds := map[string]func(line string) bool{
		"empty":       func(line string) bool { return line == "" },
		"white space": func(line string) bool { return line != "" && strings.TrimSpace(line) == "" },
		"not UTF-8":   func(line string) bool { return !utf8.ValidString(line) },
		"too long":    func(line string) bool { return len(line) > 1<<20 && utf8.ValidString(line) },
	}
	seen := map[string]int{}
	for place := range strings.Lines(places) {
		var number int
		fields := strings.Split(strings.TrimSuffix(place, "\n"), "\t")
		if _, err := fmt.Sscan(fields[0], &number); err != nil || len(fields) != 3 {
			t.Fatalf("place %q: %v", place, err)
		}
		file, kind := fields[1], fields[2]
		if line := got[file][number-1]; !kinds[kind](line) {
			t.Errorf("%s has %.80q", place, line)
		}
		got[file][number-1] = want[file][number-1]
		seen[file+", "+kind]++
	}
	if len(seen) != len(damages) || strings.Count(places, "\n") != bad {
		t.Errorf("bad lines\n%s", places)
	}
	for file, lines := range got {
		if !slices.Equal(lines, want[file]) {
			t.Errorf("%s: lines differ that standard output does not name", file)
		}
	}
}

// TestBadEverywhere makes every pair a bad one.
func TestBadEverywhere(t *testing.T) {
	_, _, places := make2(t, "", "-pairs", "5", "-bad", "5")
	for i := range 5 {
		if !strings.Contains("\n"+places, fmt.Sprintf("\n%d\t", i+1)) {
			t.Errorf("no line %d in\n%s", i+1, places)
		}
	}
}

// TestWritten checks the properties of written text, and that both sides have the same names.
func TestWritten(t *testing.T) {
	const pairs = 20_000
	english, french, places := make2(t, "", "-pairs", fmt.Sprint(pairs))
	if places != "" {
		t.Errorf("bad lines %q", places)
	}
	types := map[string]bool{}
	frenchLines := strings.Split(french, "\n")
	for i, line := range strings.Split(strings.TrimSuffix(english, "\n"), "\n") {
		for _, l := range []string{line, frenchLines[i]} {
			first, _ := utf8.DecodeRuneInString(strings.TrimLeft(l, "“« \u00a0"))
			if first < 'A' || first > 'Z' {
				t.Errorf("no capital at the beginning: %s", l)
			}
			if !strings.ContainsRune(".!”»", lastRune(l)) || strings.Contains(l, " .") || strings.Contains(l, "' ") || strings.Contains(l, "  ") || strings.Contains(l, " ,") {
				t.Errorf("punctuation: %q", l)
			}
		}
		for _, word := range strings.Fields(line) {
			types[word] = true
		}
		if _, name, ok := strings.Cut(line, "ccording to "); ok {
			if name, _, _ = strings.Cut(name, ","); !strings.Contains(frenchLines[i], "elon "+name+", ") {
				t.Errorf("%s\n%s: other name", line, frenchLines[i])
			}
		}
	}
	if len(types) < 3000 {
		t.Errorf("%d different words", len(types))
	}
	for _, part := range []string{"https://www.", "@", "%)", "In 1", "“", "!", "'s letter, ", "Monday", " English ", ", but "} {
		if !strings.Contains(english, part) {
			t.Errorf("no %q", part)
		}
	}
	for _, part := range []string{"https://www.", "@", "\u00a0%)", "En 1", "«\u00a0", "\u202f!", "l'", " lundi ", " anglais ", ", mais "} {
		if !strings.Contains(french, part) {
			t.Errorf("no %q in French", part)
		}
	}
}

func lastRune(s string) rune {
	r, _ := utf8.DecodeLastRuneInString(s)
	return r
}

// TestNames has every rank.
func TestNames(t *testing.T) {
	ranks := make(map[string]int, 1<<rankBits)
	for rank := 1; rank < 1<<rankBits; rank++ {
		name := nameOf(rank)
		if other := ranks[name]; other != 0 {
			t.Fatalf("ranks %d and %d are %s", other, rank, name)
		}
		ranks[name] = rank
	}
	counts := map[string]int{}
	w := newWriter(1)
	for range 200_000 {
		counts[w.name()]++
	}
	// Ranks 1, 2 to 3, 4 to 7 and so on have 10,000 draws each.
	if first, third := counts[nameOf(1)], counts[nameOf(3)]; first < 9_000 || first > 11_000 || third < 4_000 || third > 6_000 {
		t.Errorf("%d times rank 1, %d times rank 3", first, third)
	}
}

// A heap is a writer that keeps the largest size of the heap after garbage collection.
type heap struct{ written, next, largest uint64 }

func (h *heap) Write(p []byte) (int, error) {
	const interval = 1 << 20
	if h.written += uint64(len(p)); h.written >= h.next {
		h.next += interval
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		h.largest = max(h.largest, m.HeapAlloc)
	}
	return len(p), nil
}

// TestMemory checks that the live memory and the allocations per pair do not grow with the number of
// pairs.
func TestMemory(t *testing.T) {
	measure := func(pairs int) (largest uint64, perPair float64) {
		h := &heap{}
		perPair = testing.AllocsPerRun(1, func() {
			if err := (corpus{pairs: pairs, seed: 1}).write(t.Context(), h, io.Discard, io.Discard); err != nil {
				t.Error(err)
			}
		}) / float64(pairs)
		return h.largest, perPair
	}
	small, few := measure(2_000)
	large, many := measure(40_000)
	if large > small+1<<20 {
		t.Errorf("live heap of %d bytes for 2,000 pairs, %d for 40,000", small, large)
	}
	if many > 1.1*few {
		t.Errorf("%.1f allocations per pair for 2,000 pairs, %.1f for 40,000", few, many)
	}
}

// TestRefusals has command lines that are refused, and leaves files as they are.
func TestRefusals(t *testing.T) {
	dir := t.TempDir()
	old := filepath.Join(dir, "old")
	if err := os.WriteFile(old, []byte("old"), 0o666); err != nil {
		t.Fatal(err)
	}
	a := filepath.Join(dir, "a")
	for _, args := range [][]string{
		{a}, {a, a + "b", a + "c"}, {"-pairs", "0", a, a + "b"}, {"-pairs", "5", "-bad", "6", a, a + "b"}, {"-bad", "-1", a, a + "b"},
		{old, a}, {a, old}, {a, a}, {filepath.Join(dir, "no", "a"), a},
	} {
		var out bytes.Buffer
		if err := run(t.Context(), args, &out); err == nil || out.Len() > 0 {
			t.Errorf("%q: error %v, output %q", args, err, &out)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := run(ctx, []string{a, a + "b"}, io.Discard); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
	content, err := os.ReadFile(old)
	if err != nil || string(content) != "old" {
		t.Errorf("existing file: %q, %v", content, err)
	}
	if _, err := os.Stat(a); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("left behind: %v", err)
	}
}

func BenchmarkWrite(b *testing.B) {
	w := newWriter(1)
	for p := range grammar.All(1) {
		if !b.Loop() {
			break
		}
		w.write(p)
	}
}
