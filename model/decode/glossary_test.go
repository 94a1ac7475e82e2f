package decode

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/text"
	"github.com/softsearch-go/softsearch/model/text/bpe"
	"github.com/softsearch-go/softsearch/model/text/pipeline"
)

// TestGlossary finds the longest terms, each as often as it stands in a line.
func TestGlossary(t *testing.T) {
	m := withVocabularies(t, smallConfig)
	g, err := NewGlossary(m, []Term{{"s2 s3", "t5"}, {"s2", "t2 t3"}, {"s2 s3 s4", "t7"}, {"new", "t9"}, {"s3 ", " t8 "}})
	if err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string][]Constraint{
		"":               nil,
		"s4 s5":          nil,
		"s2 s3 s4 s2 s3": {{[]int32{7}, 0, 3}, {[]int32{5}, 3, 5}},
		"s2 s2 s3":       {{[]int32{2, 3}, 0, 1}, {[]int32{5}, 1, 3}},
		"New s2 New":     {{[]int32{9}, 0, 1}, {[]int32{2, 3}, 1, 2}},
		"s3":             {{[]int32{8}, 0, 1}},
	} {
		if got := g.Find(line); !reflect.DeepEqual(got, want) {
			t.Errorf("%q: got %v, want %v", line, got, want)
		}
	}
	g.Find("s2")[0].IDs[0] = 9 // the caller's own
	if got := g.Find("s2"); got[0].IDs[0] != 2 {
		t.Errorf("got %v after the caller has changed an id", got)
	}
	tr := newTranslator(t, Options{Terms: []Term{{"s2", "t2 t3"}}, Threads: 1}, m)
	for line, term := range map[string]bool{"s2 s4": true, "s4 s5": false} {
		if got, err := tr.Line(t.Context(), line); err != nil || strings.Contains(got, "t2 t3") != term {
			t.Errorf("%q: got %q, %v", line, got, err)
		}
	}
}

// TestGlossaryLimits has lines with more terms than a sentence can have, or than the maximum length of translations has
// room for.
func TestGlossaryLimits(t *testing.T) {
	m := withVocabularies(t, smallConfig)
	for _, test := range []struct{ length, times, want int }{{0, 64, 64}, {0, 66, 64}, {1, 1, 0}, {5, 2, 2}, {6, 3, 2}} {
		tr := newTranslator(t, Options{Terms: []Term{{"s2", "t2 t3"}}, MaxLength: test.length, Beam: 1, Threads: 1}, m)
		line := strings.Repeat("s2 ", test.times)
		if got := len(tr.Terms(line)); got != test.want {
			t.Errorf("%+v: got %d terms", test, got)
		}
		if got, err := tr.Line(t.Context(), line); err != nil || strings.Count(got, "t2 t3") < test.want {
			t.Errorf("%+v: got %q, %v", test, got, err)
		}
	}
}

// TestGlossarySpans has terms that are spans which the model copies: each stays where it stands, and no other
// span is taken for it.
func TestGlossarySpans(t *testing.T) {
	m := copyingModel(t, 0)
	g, err := NewGlossary(m, []Term{{"``x y``", " ``x y``"}, {"s2", "t4"}, {"⟦1⟧", "⟦1⟧"}})
	if err != nil {
		t.Fatal(err)
	}
	copied := []int32{m.Target.ID("⟦1⟧")} // the only one that the model has learned
	for line, want := range map[string][]Constraint{
		"``x`` s2":           {{[]int32{4}, 1, 2}},
		"``x y`` s2":         {{copied, 0, 1}, {[]int32{4}, 1, 2}},
		"``a`` s2 ``x y``":   {{[]int32{4}, 1, 2}},
		"``x y`` ``x y`` s4": {{copied, 0, 1}, {copied, 1, 2}},
	} {
		if got := g.Find(line); !reflect.DeepEqual(got, want) {
			t.Errorf("%q: got %v, want %v", line, got, want)
		}
	}
	for _, term := range []Term{{"``x``", "``y``"}, {"s2 ``x``", "s2 ``x``"}} {
		_, err := NewGlossary(m, []Term{term})
		checkTermError(t, err, 0, fmt.Sprintf("term 1: %q for %q, expected no \"``x``\" in it, which stays in any case", term.Target, term.Source))
	}
}

// TestGlossaryNames has terms that replace names, which translations copy otherwise.
func TestGlossaryNames(t *testing.T) {
	m := copyingModel(t, 5)
	terms := []Term{{"a.go", "t4"}, {"s2 b.go", "t5 t6"}, {"c.go", "c.go"}}
	g, err := NewGlossary(m, terms)
	if err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string][]Constraint{
		"a.go s4":    {{[]int32{4}, 0, 1}},
		"s4 s2 b.go": {{[]int32{5, 6}, 1, 3}},
		"s2 c.go":    {{[]int32{m.Target.ID("⟦1⟧")}, 1, 2}},
		"s2 d.go":    nil,
	} {
		if got := g.Find(line); !reflect.DeepEqual(got, want) {
			t.Errorf("%q: got %v, want %v", line, got, want)
		}
	}
	tr := newTranslator(t, Options{Terms: terms, Threads: 1}, m)
	for line, copied := range map[string]bool{"a.go s4": false, "s4 s2 b.go": false, "c.go s4": true, "d.go s4": true} {
		name := strings.Fields(strings.Replace(line, "s4 s2 ", "", 1))[0]
		if got, err := tr.Line(t.Context(), line); err != nil || strings.Contains(got, name) != copied {
			t.Errorf("%q: got %q, %v", line, got, err)
		}
	}
}

// TestGlossaryPlainText has a line in capitals with terms in lower case and in capitals, first words after quotation
// marks and brackets, and lines and a term with marks at their ends, which are words in the term only.
func TestGlossaryPlainText(t *testing.T) {
	m := withVocabularies(t, smallConfig)
	var err error
	if m.SourceText, err = pipeline.New(pipeline.Settings{Language: "en", Codes: bpe.Codes{{Left: "a", Right: "b"}, {Left: "ab", Right: "c</w>"}, {Left: "d", Right: "e</w>"}}}); err != nil {
		t.Fatal(err)
	}
	g, err := NewGlossary(m, []Term{{"abc", "t5"}, {"XY", "t7"}, {"# abc", "t8"}, {"Abc", "t9"}, {"De", "t4"}, {"XY De", "t6"}})
	if err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string][]Constraint{
		"ABC XY ABC": {{[]int32{5}, 0, 1}, {[]int32{7}, 1, 3}, {[]int32{5}, 3, 4}},
		"xy XY abc":  {{[]int32{7}, 2, 4}, {[]int32{5}, 4, 5}},
		"- abc 😀":    {{[]int32{5}, 0, 1}},
		"XY # abc":   {{[]int32{7}, 0, 2}, {[]int32{8}, 2, 4}},
		"👍":          nil,
		"Abc":        {{[]int32{9}, 0, 1}},
		"ABC DE XY":  {{[]int32{5}, 0, 1}, {[]int32{4}, 1, 2}, {[]int32{7}, 2, 4}},
		"ABC XY DE":  {{[]int32{5}, 0, 1}, {[]int32{6}, 1, 4}},
		"abc DE dE":  {{[]int32{5}, 0, 1}},
		"dE":         nil,
		"\"# Abc\"":  {{[]int32{8}, 1, 5}},
		"(xY xY)":    nil,
	} {
		if got := g.Find(line); !reflect.DeepEqual(got, want) {
			t.Errorf("%q: got %v, want %v", line, got, want)
		}
	}
}

// TestGlossarySegments has a term that byte-pair encoding divides into a segment that the model lacks.
func TestGlossarySegments(t *testing.T) {
	m := withVocabularies(t, smallConfig)
	words := m.Target.Words()
	copy(words[2:], []string{"ab", "a@@", "b"})
	var err error
	if m.Target, err = text.VocabularyOf(words); err != nil {
		t.Fatal(err)
	}
	codes := bpe.Codes{{Left: "b", Right: "a"}, {Left: "ba", Right: "b</w>"}, {Left: "a", Right: "b</w>"}}
	if m.TargetText, err = pipeline.New(pipeline.Settings{Codes: codes}); err != nil {
		t.Fatal(err)
	}
	for term, want := range map[string][]int32{"ab": {2}, "aab": {3, 2}, "ab ab": {2, 2}} {
		g, err := NewGlossary(m, []Term{{"s2", term}})
		if err != nil {
			t.Fatal(err)
		}
		if got := g.Find("s2"); !slices.Equal(got[0].IDs, want) {
			t.Errorf("%q: got %v, want %v", term, got, want)
		}
	}
	words[2] = "c"
	if m.Target, err = text.VocabularyOf(words); err != nil {
		t.Fatal(err)
	}
	g, err := NewGlossary(m, []Term{{"s2", "ab"}}) // a segment of its own, but for the vocabulary
	if err != nil {
		t.Fatal(err)
	}
	if got := g.Find("s2"); !slices.Equal(got[0].IDs, []int32{3, 4}) {
		t.Errorf("got %v, want a@@ b", got)
	}
}

func TestGlossaryErrors(t *testing.T) {
	m := withVocabularies(t, smallConfig)
	for _, test := range []struct {
		terms []Term
		want  string
	}{
		{[]Term{{"", "t2"}}, `term 1: "t2" for "", expected words on both sides`},
		{[]Term{{"s2", " "}}, `term 1: " " for "s2", expected words on both sides`},
		{[]Term{{"s2", "t2"}, {"s3", "unwritable"}}, `term 2: this model cannot write "unwritable"`},
		{[]Term{{"s2", "t2"}, {"s2 ", "t3"}}, `term 2: several terms for "s2 ", expected one`},
	} {
		_, err := NewGlossary(m, test.terms)
		checkTermError(t, err, len(test.terms)-1, test.want)
		_, err = New(m, Options{Terms: test.terms})
		checkTermError(t, err, len(test.terms)-1, test.want)
	}
	_, err := NewGlossary(randomModel(t, smallConfig, 1, 1), []Term{{"a", "b"}})
	checkError(t, "no vocabularies", err, model.ErrConfig, "without vocabularies")
}

func checkTermError(t *testing.T, err error, index int, want string) {
	t.Helper()
	var rejected *TermError
	if !errors.As(err, &rejected) || rejected.Index != index || err.Error() != want {
		t.Errorf("got error %v, want %s", err, want)
	}
}
