package main

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/softsearch-go/softsearch/model/cmd/internal/files"
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

// alignedWords is the number of words that are aligned together at most.
const alignedWords = 2048

// TestAlignPairs compares the JSON and Pharaoh formats with word-by-word predictions, over several
// windows.
func TestAlignPairs(t *testing.T) {
	m, pairs := tinyModel(t), mixed()
	pairs = append(pairs, pairsOfLengths([2]int{alignedWords - 2, 3}, [2]int{2, alignedWords - 3}, [2]int{4, 5})...)
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

// TestAlignTranslations compares each line with its translation alone, without loops: for a model that never
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
		links := aligns(t, "", append(args, "pharaoh", "--input", write(t, "in", stdin))...)
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
			source := m.Source.Encode(words)
			best, err := alone.Translate(t.Context(), source)
			if err != nil {
				t.Fatal(err)
			}
			want := best[0]
			translation := want.ReplaceUNK(m.Target, words)
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

// TestAlignBad has lines that cannot be used between others, whose alignments are as without them.
func TestAlignBad(t *testing.T) {
	const good = "the cat"
	bad := []struct{ line, want string }{
		{"th\xe9", "invalid UTF-8"},
		{strings.Repeat("a ", alignedWords), "sentence too long: 2048 words, expected at most 2047"},
		{strings.Repeat("a", text.MaxLine+1), "line longer than 1 MiB"},
		{"\xff", "invalid UTF-8"},
	}
	list, empty := []string{good}, []string{good}
	for _, b := range bad {
		list, empty = append(list, b.line, good), append(empty, "", good)
	}
	lines := func(list []string) string { return strings.Join(list, "\n") + "\n" }
	file, gaps, goods := write(t, "file", lines(list)), write(t, "gaps", lines(empty)), write(t, "goods", lines(slices.Repeat([]string{good}, 9)))
	errorField := regexp.MustCompile(`,"error":"[^"]*"`)
	model := []string{"align", "--model", saved(t, tinyModel(t)), "--format"}
	for _, format := range []string{"pharaoh", "json", "map", "svg"} {
		args := append(slices.Clone(model), format)
		treatment := "aligned as an empty line"
		if format == "svg" {
			treatment = "left out of the picture"
		}
		for _, input := range []struct {
			name, total string // in messages
			args        []string
		}{
			{files.StandardInput, files.StandardInput, nil},
			{file, file + ", " + goods, []string{"--source", file, "--target", goods}},
			{file, goods + ", " + file, []string{"--source", goods, "--target", file}},
		} {
			got, stderr, code := execute(lines(list), append(args, input.args...)...)
			messages := ""
			for i, b := range bad {
				place := fmt.Sprintf("%s:%d: %s", input.name, 2*i+2, b.want)
				if i < 3 {
					messages += "rnnsearch: warning: " + place + ", " + treatment + "\n"
				}
				if format == "json" && !strings.Contains(got, `,"error":"`+place+`"}`) {
					t.Errorf("no %s in\n%s", place, got)
				}
			}
			messages += fmt.Sprintf("rnnsearch: %s: 4 of 9 lines cannot be used: %s\n", input.total, treatment)
			if code != 1 || stderr != messages {
				t.Errorf("%s: exit code %d, standard error\n%swant\n%s", format, code, stderr, messages)
			}
			want, _, _ := execute(lines(empty), append(args, strings.Fields(strings.ReplaceAll(strings.Join(input.args, " "), file, gaps))...)...)
			if got, want := errorField.ReplaceAllString(got, ""), errorField.ReplaceAllString(want, ""); got != want {
				t.Errorf("%s: got\n%swant, as for empty lines,\n%s", format, got, want)
			}
		}
	}
}

// drawn returns the texts of an SVG and the colors of its rectangles.
func drawn(t *testing.T, svg string) (texts, fills []string) {
	t.Helper()
	inside := ""
	for d := xml.NewDecoder(strings.NewReader(svg)); ; {
		token, err := d.Token()
		if err == io.EOF {
			return texts, fills
		}
		if err != nil {
			t.Fatal(err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			inside = token.Name.Local
			for _, a := range token.Attr {
				if inside == "rect" && a.Name.Local == "fill" {
					fills = append(fills, a.Value)
				}
			}
		case xml.CharData:
			if inside == "text" {
				texts = append(texts, string(token))
			}
		case xml.EndElement:
			inside = ""
		}
	}
}
