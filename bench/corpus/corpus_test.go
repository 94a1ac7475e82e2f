package main

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/softsearch-go/softsearch/model/text/grammar"
)

// make2 runs the command for two files in a new folder and returns their contents.
func make2(t *testing.T, suffix string, args ...string) (english, french string) {
	t.Helper()
	dir := t.TempDir()
	paths := []string{filepath.Join(dir, "a.en"+suffix), filepath.Join(dir, "a.fr"+suffix)}
	if err := run(t.Context(), append(args, paths...)); err != nil {
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
	return contents[0], contents[1]
}

// TestSame writes the same text twice, plain and compressed, and other text with another seed.
func TestSame(t *testing.T) {
	args := []string{"-pairs", "300", "-seed"}
	english, french := make2(t, "", append(args, "7")...)
	for _, suffix := range []string{"", ".gz"} {
		e, f := make2(t, suffix, append(args, "7")...)
		if e != english || f != french {
			t.Errorf("other text in a file with suffix %q", suffix)
		}
	}
	if e, f := make2(t, "", append(args, "8")...); e == english || f == french {
		t.Error("the same text with another seed")
	}
}

// TestWritten checks the properties of written text, and that both sides have the same names.
func TestWritten(t *testing.T) {
	const pairs = 20_000
	english, french := make2(t, "", "-pairs", fmt.Sprint(pairs))
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
			if err := write(t.Context(), pairs, 1, h, io.Discard); err != nil {
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
		{a}, {a, a + "b", a + "c"}, {"-pairs", "0", a, a + "b"},
		{old, a}, {a, old}, {a, a}, {filepath.Join(dir, "no", "a"), a},
	} {
		if err := run(t.Context(), args); err == nil {
			t.Errorf("%q: no error", args)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := run(ctx, []string{a, a + "b"}); !errors.Is(err, context.Canceled) {
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
