package pipeline

import (
	"encoding/json"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/softsearch-go/softsearch/model/text/bpe"
)

// TestChainMemory reads settings with merges each of which makes the symbol of the one before it a
// character longer. The memory is proportional to the length of the settings, although all segments
// are split and those of all symbols together are longer by far.
func TestChainMemory(t *testing.T) {
	var codes strings.Builder
	codes.WriteString("#version: 0.2\n")
	long := strings.Repeat("a", 3000)
	for i := range long {
		fmt.Fprintf(&codes, "%s a\n", long[:i+1])
	}
	data, err := json.Marshal(map[string]any{"codes": codes.String(), "segments": []string{}})
	if err != nil {
		t.Fatal(err)
	}
	var p Pipeline
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if err := p.UnmarshalJSON(data); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if n, limit := after.TotalAlloc-before.TotalAlloc, 16*uint64(len(data)); n > limit {
		t.Errorf("%d bytes allocated for settings of %d, want at most %d", n, len(data), limit)
	}
	if got := p.Words("aaa"); !slices.Equal(got, []string{"a@@", "a@@", "a"}) {
		t.Errorf("got %q", got)
	}
}

// doubled returns merges that double a symbol, up to one of n bytes, which is a power of two.
func doubled(n int) bpe.Codes {
	var codes bpe.Codes
	for half := "a"; len(half) < n; half += half {
		codes = append(codes, bpe.Merge{Left: half, Right: half})
	}
	return codes
}

// TestMaxSymbol has symbols around the maximum length.
func TestMaxSymbol(t *testing.T) {
	codes := doubled(bpe.MaxSymbol)
	last := codes[len(codes)-1].Left
	p := newPipeline(t, Settings{Codes: append(codes, bpe.Merge{Left: last, Right: "b"}, bpe.Merge{Left: "a", Right: "a</w>"})})
	var read Pipeline
	if err := json.Unmarshal([]byte(marshal(t, p)), &read); err != nil || !read.Equal(p) {
		t.Errorf("error %.200v", err)
	}
	for _, m := range []bpe.Merge{{Left: last + last, Right: "a"}, {Left: "a", Right: last + last}, {Left: last + last, Right: "a</w>"}} {
		_, err := New(Settings{Codes: append(doubled(bpe.MaxSymbol), m)})
		checkError(t, "symbol too long", err, fmt.Sprintf("merge 16: symbol %.80q of %d bytes, expected at most %d", last, bpe.MaxSymbol+1, bpe.MaxSymbol))
	}
}

// TestErrorLength: no error repeats the whole text that it is about.
func TestErrorLength(t *testing.T) {
	long := strings.Repeat("\U000e0001", 1<<18)
	newError := func(s Settings) error { _, err := New(s); return err }
	learnError := func(token string) error {
		_, err := Merges(bpe.Frequencies{token: 1}, nil)
		return err
	}
	withCountsError := func(codes bpe.Codes, token string) error {
		_, _, err := WithCounts(Pipeline{}, Pipeline{}, codes, bpe.Frequencies{token: 1}, nil, 1)
		return err
	}
	for name, err := range map[string]error{
		"symbol of no merge":      newError(Settings{Codes: bpe.Codes{{Left: long, Right: "a"}}}),
		"symbol with a space":     newError(Settings{Codes: bpe.Codes{{Left: "a", Right: long + " "}}}),
		"symbol not UTF-8":        newError(Settings{Codes: bpe.Codes{{Left: "a", Right: long + "\xff"}}}),
		"long symbol":             newError(Settings{Codes: doubled(2 * bpe.MaxSymbol)}),
		"segment of no merge":     newError(Settings{Codes: abc, Segments: []string{long}}),
		"segment with a space":    newError(Settings{Codes: abc, Segments: []string{long + " "}}),
		"segment not UTF-8":       newError(Settings{Codes: abc, Segments: []string{long + "\xff"}}),
		"repeated segment":        newError(Settings{Codes: doubled(bpe.MaxSymbol), Segments: slices.Repeat([]string{strings.Repeat("a", bpe.MaxSymbol) + "@@"}, 2)}),
		"token with a space":      learnError(long + " "),
		"token not UTF-8":         learnError(long + "\xff"),
		"token to segment":        withCountsError(abc, long+" "),
		"symbol of no merge, too": withCountsError(bpe.Codes{{Left: long, Right: "a"}}, "a"),
	} {
		checkError(t, name, err, "")
		if n := len(err.Error()); n > 1200 {
			t.Errorf("%s: error of %d bytes, want at most 1,200", name, n)
		}
	}
}

// TestLinear has lines of many spans, marks and symbols, which take gigabytes or minutes if they are compared in pairs.
func TestLinear(t *testing.T) {
	const n = 1 << 13
	p := copying(t, "en")
	var literals strings.Builder
	for i := range n {
		fmt.Fprintf(&literals, "⟦%d⟧ ", i+100)
	}
	for name, line := range map[string]string{
		"names": "See " + strings.Repeat("/a ", n), "literals": "A " + literals.String(),
		"marks": strings.Repeat("- ", n) + "a.", "symbols": "A b. " + strings.Repeat("★ ", n),
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		kept := p.Kept(line)
		words := p.WordsOf(line, kept)
		p.Restore(strings.Join(words, " "), kept)
		p.Sentences(line)
		runtime.ReadMemStats(&after)
		if got, limit := after.TotalAlloc-before.TotalAlloc, uint64(1000*len(line)); got > limit {
			t.Errorf("%s: %d bytes for a line of %d, want at most %d", name, got, len(line), limit)
		}
	}
}
