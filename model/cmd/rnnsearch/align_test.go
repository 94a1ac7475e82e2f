package main

import (
	"encoding/json"
	"fmt"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/softsearch-go/softsearch/model/decode"
	"github.com/softsearch-go/softsearch/model/text"
)

// pairFlags writes pairs to two files and returns the flags for them.
func pairFlags(t *testing.T, pairs []text.Pair) []string {
	t.Helper()
	return []string{"--source", write(t, "source", lines(text.Sources(pairs))...), "--target", write(t, "target", lines(text.Targets(pairs))...)}
}

// aligns runs align and returns the lines of its output.
func aligns(t *testing.T, stdin string, args ...string) []string {
	t.Helper()
	stdout, stderr, code := execute(stdin, append([]string{"align"}, args...)...)
	if code != 0 || stderr != "" {
		t.Fatalf("exit code %d, standard error %s", code, stderr)
	}
	return strings.Split(strings.TrimSuffix(stdout, "\n"), "\n")
}

// An object is a line of align --format json.
type object struct {
	Source, Target []string
	Weights        [][]float32
	LogProb        float64 `json:"log_prob"`
}

// objects parses the output of align --format json.
func objects(t *testing.T, lines []string) []object {
	t.Helper()
	list := make([]object, len(lines))
	for i, line := range lines {
		d := json.NewDecoder(strings.NewReader(line))
		d.DisallowUnknownFields()
		if err := d.Decode(&list[i]); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
	}
	return list
}

// TestAlignPairs compares the JSON and Pharaoh formats with word-by-word predictions, over several
// windows.
func TestAlignPairs(t *testing.T) {
	m, pairs := tinyModel(t), mixed()
	pairs = append(pairs, pairsOfLengths([2]int{maxWords - 2, 3}, [2]int{2, maxWords - 3}, [2]int{4, 5})...)
	args := append(pairFlags(t, pairs), "--model", saved(t, m), "--threads", "2", "--format")
	got := objects(t, aligns(t, "", append(args, "json")...))
	links := aligns(t, "", append(args, "pharaoh")...)
	if len(got) != len(pairs) || len(links) != len(pairs) {
		t.Fatalf("%d objects and %d lines, want %d", len(got), len(links), len(pairs))
	}
	for i, e := range text.Examples(pairs, m.Source, m.Target) {
		if !slices.Equal(got[i].Source, append(slices.Clone(pairs[i].Source), "<end>")) ||
			!slices.Equal(got[i].Target, append(slices.Clone(pairs[i].Target), "<end>")) {
			t.Errorf("pair %d: words %q and %q, want %q", i, got[i].Source, got[i].Target, pairs[i])
		}
		logProbs, weights := predicted(t, m, e)
		sum, want := 0.0, []string{}
		for j, row := range weights {
			sum += logProbs[j]
			if !slices.Equal(got[i].Weights[j], row) {
				t.Errorf("pair %d, word %d: weights %v, want %v", i, j, got[i].Weights[j], row)
			}
			largest := 0
			for k := range row {
				if row[k] > row[largest] {
					largest = k
				}
			}
			if j < len(pairs[i].Target) && largest < len(pairs[i].Source) {
				want = append(want, strconv.Itoa(largest)+"-"+strconv.Itoa(j))
			}
		}
		if math.Abs(got[i].LogProb-sum) > 1e-5*math.Abs(sum) || links[i] != strings.Join(want, " ") {
			t.Errorf("pair %d: log p %v and links %q, want %v and %q", i, got[i].LogProb, links[i], sum, want)
		}
	}
}

// TestAlignTranslations compares each line with its translation alone: for a model that never
// predicts EOS, and for one that predicts it at once, whose lines fill several windows.
func TestAlignTranslations(t *testing.T) {
	m := tinyModel(t)
	some := [][]string{{"the", "cat"}, nil, wordsOf(9), wordsOf(70), nil, wordsOf(150), {"zebra", "</s>"}}
	for _, ends := range []float32{-100, 100} {
		sentences := some
		if ends > 0 {
			sentences = slices.Repeat(some, 10)
		}
		stdin := strings.Join(lines(slices.Values(sentences)), "\n")
		m.Parameters.B[text.EOS] = ends
		args := []string{"--model", saved(t, m), "--beam", "2", "--format"}
		got := objects(t, aligns(t, stdin, append(args, "json")...))
		links := aligns(t, stdin, append(args, "pharaoh")...)
		if len(got) != len(sentences) || len(links) != len(sentences) {
			t.Fatalf("%d objects and %d lines, want %d", len(got), len(links), len(sentences))
		}
		alone := testTranslator(t, m, decode.Options{Beam: 2, Threads: 1})
		for i, words := range sentences {
			if len(words) == 0 {
				if o := got[i]; o.Source == nil || o.Target == nil || o.Weights == nil || len(o.Source)+len(o.Target)+len(o.Weights) > 0 || links[i] != "" {
					t.Errorf("empty line %d: %v and %q", i, o, links[i])
				}
				continue
			}
			best, err := alone.Translate(t.Context(), m.Source.Encode(words))
			if err != nil {
				t.Fatal(err)
			}
			want := best[0]
			translation := m.Target.Decode(want.IDs)
			target := translation
			if ends > 0 {
				target = append(slices.Clone(target), "<end>")
			}
			if !slices.Equal(got[i].Target, target) || got[i].LogProb != want.LogProb || !slices.Equal(got[i].Source, append(slices.Clone(words), "<end>")) {
				t.Errorf("line %d: %q of %v for %q, want %q of %v", i, got[i].Target, got[i].LogProb, got[i].Source, target, want.LogProb)
			}
			for j := range want.Alignment.Rows {
				if !slices.Equal(got[i].Weights[j], want.Alignment.Row(j)) {
					t.Errorf("line %d, word %d: weights %v, want %v", i, j, got[i].Weights[j], want.Alignment.Row(j))
				}
			}
			if got, _, _ := strings.Cut(links[i], " ||| "); got != strings.Join(translation, " ") {
				t.Errorf("line %d: translation %q, want %q", i, got, translation)
			}
		}
	}
}

func TestAlignMap(t *testing.T) {
	m := tinyModel(t)
	pairs := pairsOfLengths([2]int{3, 2}, [2]int{1, 4})
	got := strings.Join(aligns(t, "", append(pairFlags(t, pairs), "--model", saved(t, m), "--format", "map")...), "\n")
	want, tr := "", testTranslator(t, m, decode.Options{})
	for _, p := range pairs {
		if _, err := tr.scorePairs(t.Context(), []text.Pair{p}, func(_ int, r decode.Translation) {
			want += alignment{source: withEnd(p.Source), target: withEnd(p.Target), weights: r.Alignment}.heatMap() + "\n"
		}); err != nil {
			t.Fatal(err)
		}
	}
	if got+"\n" != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestAlignFigures checks the words and shades of SVG and the size of PNG. Writing a file twice
// gives the same bytes as standard output.
func TestAlignFigures(t *testing.T) {
	m := tinyModel(t)
	pairs := []text.Pair{{Source: []string{"the", "<cat>", "&amp;"}, Target: []string{"\"", "l'", "été"}}, {Source: []string{"a"}, Target: []string{"un"}}}
	dir := t.TempDir()
	svg, image := filepath.Join(dir, "a.svg"), filepath.Join(dir, "a.png")
	args := append(pairFlags(t, pairs), "--model", saved(t, m), "--format")
	stdout, _, _ := execute("", append([]string{"align"}, append(args, "svg")...)...)
	for range 2 {
		for _, a := range [][]string{{"svg", "--output", svg}, {"png", "--output", image}} {
			if got := aligns(t, "", append(args, a...)...); !slices.Equal(got, []string{""}) {
				t.Errorf("standard output %q", got)
			}
		}
	}
	if got := contents(t, svg); got != stdout {
		t.Errorf("file\n%s\nstandard output\n%s", got, stdout)
	}
	texts, fills := drawn(t, stdout)
	if want := []string{"the", "<cat>", "&amp;", "<end>", "\"", "l'", "été", "<end>", "(a)", "a", "<end>", "un", "<end>", "(b)"}; !slices.Equal(texts, want) {
		t.Errorf("words %q, want %q", texts, want)
	}
	var want []string
	for _, e := range text.Examples(pairs, m.Source, m.Target) {
		_, weights := predicted(t, m, e)
		for _, w := range slices.Concat(weights...) {
			shade := ""
			if level := math.Round(255 * float64(w)); level > 0 {
				shade = "#" + strings.Repeat(fmt.Sprintf("%02X", int(level)), 3)
			}
			want = append(want, shade)
		}
	}
	if got := fills[1:]; !slices.Equal(got, want) { // the first path is the background
		t.Errorf("shades %q, want %q", got, want)
	}
	var width, height int
	if _, err := fmt.Sscanf(stdout[strings.Index(stdout, "<svg"):], `<svg width="%dpt" height="%dpt"`, &width, &height); err != nil {
		t.Fatal(err)
	}
	picture, err := png.DecodeConfig(strings.NewReader(contents(t, image)))
	if err != nil || picture.Width != width*8/3 || picture.Height != height*8/3 {
		t.Errorf("%d×%d pixels, want 8/3 of %v×%v points: %v", picture.Width, picture.Height, width, height, err)
	}
}

func contents(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestWindow(t *testing.T) {
	for _, test := range []struct {
		words []int
		want  int
	}{
		{[]int{5}, 1},
		{[]int{1, 2, 3}, 3},
		{[]int{maxWords + 7, 1}, 1},
		{[]int{maxWords - 3, 1}, 2},
		{[]int{maxWords - 2, 1}, 1},
	} {
		if got := window(test.words, func(n int) int { return n }); got != test.want {
			t.Errorf("window(%v) = %d, want %d", test.words, got, test.want)
		}
	}
}

// A failingWriter fails after a number of alignments.
type failingWriter struct{ left int }

func (w *failingWriter) write(alignment) error {
	if w.left--; w.left < 0 {
		return io.ErrShortWrite
	}
	return nil
}

func (w *failingWriter) finish() error { return nil }

// TestAlignWriteError has an error in the second window.
func TestAlignWriteError(t *testing.T) {
	m := tinyModel(t)
	m.Parameters.B[text.EOS] = 100
	const n = maxWords/10 + 20
	sentence := strings.Join(wordsOf(9), " ")
	stdin := strings.Repeat(sentence+"\n", n+5)
	tr := testTranslator(t, m, decode.Options{Beam: 1})
	err := alignTranslations(t.Context(), &failingWriter{n}, strings.NewReader(stdin), tr)
	if want := "standard input:" + strconv.Itoa(n+1) + ": " + io.ErrShortWrite.Error(); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	path := write(t, "file", slices.Repeat([]string{sentence}, n+5)...)
	err = alignPairs(t.Context(), &failingWriter{n}, tr, path, path)
	if want := path + ":" + strconv.Itoa(n+1) + ": " + io.ErrShortWrite.Error(); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}
