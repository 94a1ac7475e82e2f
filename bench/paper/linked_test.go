package main

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model/cmd/figure"
	"github.com/softsearch-go/softsearch/model/cmd/links"
	"github.com/softsearch-go/softsearch/model/text"
)

func TestReadLinked(t *testing.T) {
	folder := t.TempDir()
	read := func(en, fr, gold string) ([]linkedPair, error) {
		for name, content := range map[string]string{"text.en": en, "text.fr": fr, "gold": gold} {
			if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		path := func(name string) string { return filepath.Join(folder, name) }
		return readLinked([2]string{path("text.en"), path("text.fr")}, path("gold"))
	}
	list, err := read("a b\nc\n", "x\ny z\n", "1-0\n0p0 0-1\n")
	want := []linkedPair{
		{Pair: text.Pair{Source: []string{"a", "b"}, Target: []string{"x"}}, gold: links.Alignment{Sure: []links.Link{{Source: 1}}}},
		{Pair: text.Pair{Source: []string{"c"}, Target: []string{"y", "z"}}, gold: links.Alignment{Sure: []links.Link{{Target: 1}}, Possible: []links.Link{{}}}},
	}
	if err != nil || !reflect.DeepEqual(list, want) {
		t.Errorf("got %+v, %v", list, err)
	}
	for name, test := range map[string]struct {
		en, fr, gold string
		err          error
	}{
		"fewer sentences":     {"a\n", "x\ny\n", "\n\n", text.ErrLineCount},
		"fewer lines by hand": {"a\nb\n", "x\ny\n", "0-0\n", text.ErrLineCount},
		"no such word":        {"a\n", "x\n", "1-0\n", links.ErrSyntax},
	} {
		if _, err := read(test.en, test.fr, test.gold); !errors.Is(err, test.err) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestLinks has a source word with which two target words agree, and one with which none agrees enough.
func TestLinks(t *testing.T) {
	p := linkedPair{Pair: text.Pair{Source: []string{"a", "b"}, Target: []string{"x", "y", "z"}}, agreement: kernels.View([]float32{0.5, 0, 0.6, minAgreement, 0, 0.2}, 3, 2)}
	for side, want := range []string{"0-0 0-1", "1-0 1-1"} {
		if got := p.links(side).String(); got != want {
			t.Errorf("%v: got %q, want %q", directions[side], got, want)
		}
	}
}

func TestBestAndWorst(t *testing.T) {
	// pair returns a pair of words without an error of which the first two English ones are linked to columns 0 and 1.
	pair := func(words int, order []int, gold string) linkedPair {
		p := linkedPair{agreement: kernels.NewMatrix(words, words)}
		p.Source, p.Target = strings.Fields(strings.Repeat("w ", words)), strings.Fields(strings.Repeat("w ", words))
		for target := range words {
			p.agreement.Row(target)[target] = 1
		}
		for target, source := range order {
			clear(p.agreement.Row(target))
			p.agreement.Row(target)[source] = 1
		}
		var err error
		if p.gold, err = links.Parse(gold); err != nil {
			t.Fatal(err)
		}
		return p
	}
	straight := "0-0 1-1 2-2 3-3 4-4 5-5 6-6 7-7"
	crossed := "1-0 0-1 2-2 3-3 4-4 5-5 6-6 7-7"
	list := bestAndWorst([]linkedPair{
		pair(7, nil, "0-0"), pair(17, nil, "0-0"), pair(8, nil, ""),
		pair(8, nil, straight), pair(8, []int{1, 0}, crossed), pair(8, nil, crossed), pair(8, nil, "3-0 4p0"), pair(8, nil, straight),
	})
	if len(list) != 2 || list[0].Weights.Row(0)[1] != 1 || len(list[0].Frames) != 8 || list[0].Frames[0] != (figure.Frame{Source: 1}) {
		t.Errorf("best of %d: %+v", len(list), list)
	}
	if want := []figure.Frame{{Source: 3}, {Source: 4, Muted: true}}; !reflect.DeepEqual(list[1].Frames, want) {
		t.Errorf("worst: frames %v, want %v", list[1].Frames, want)
	}
	if list := bestAndWorst(nil); len(list) != 0 {
		t.Errorf("of none: %v", list)
	}
}
