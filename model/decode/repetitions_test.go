package decode

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model/internal/fixture"
	"github.com/softsearch-go/softsearch/model/text"
)

func TestTrim(t *testing.T) {
	tr := newTrimming(t, Options{Threads: 1}, randomModel(t, tinyConfig, 1, 1))
	for _, test := range []struct {
		name              string
		source, ids, want []int32
		prefix            []int32
	}{
		{name: "a word", ids: []int32{9, 5, 5, 5, 5, 0}, want: []int32{9, 5, 0}},
		{name: "three times", ids: []int32{9, 5, 5, 5, 0}},
		{name: "two words, one of them once more", ids: []int32{9, 5, 6, 5, 6, 5, 6, 5, 6, 5, 7, 0}, want: []int32{9, 5, 6, 5, 7, 0}},
		{name: "four words", ids: []int32{2, 3, 4, 5, 2, 3, 4, 5, 2, 3, 4, 5, 2, 3, 4, 5}, want: []int32{2, 3, 4, 5}},
		{name: "five words", ids: []int32{2, 3, 4, 5, 6, 2, 3, 4, 5, 6, 2, 3, 4, 5, 6, 2, 3, 4, 5, 6}},
		{name: "two loops", ids: []int32{5, 5, 5, 5, 7, 6, 6, 6, 6, 6, 0}, want: []int32{5, 7, 6, 0}},
		{name: "loop of loops", ids: []int32{5, 5, 5, 5, 6, 5, 5, 5, 5, 6, 5, 5, 5, 5, 6, 5, 5, 5, 5, 6, 0}, want: []int32{5, 6, 0}},
		{name: "source", source: []int32{8, 8, 8, 0}, ids: []int32{5, 5, 5, 5, 5, 5, 0}},
		{name: "more than the source", source: []int32{8, 8, 8, 0}, ids: []int32{5, 5, 5, 5, 5, 5, 5, 0}, want: []int32{5, 5, 5, 0}},
		{name: "prefix", prefix: []int32{5, 5, 5, 5, 5}, ids: []int32{5, 5, 5, 5, 5, 5, 5, 5, 6, 0}},
		{name: "after the prefix", prefix: []int32{5, 5, 5, 5, 5}, ids: []int32{5, 5, 5, 5, 5, 5, 5, 5, 5, 6, 0}, want: []int32{5, 5, 5, 5, 5, 5, 6, 0}},
		{name: "nothing"},
	} {
		if test.source == nil {
			test.source = []int32{2, 3, 4, 0}
		}
		s, r := Sentence{Source: test.source, Prefix: test.prefix}, Translation{IDs: test.ids, LogProbs: make([]float64, len(test.ids))}
		if test.want == nil {
			if got := tr.trim(s, r); !reflect.DeepEqual(got, r) {
				t.Errorf("%s: got %+v, want %+v", test.name, got, r)
			}
			continue
		}
		if got := tr.trim(s, r); !slices.Equal(got.IDs, test.want) || !got.Trimmed {
			t.Errorf("%s: got %v, want %v", test.name, got, test.want)
		}
	}
}

// TestTrimUnknown has unknown words that are aligned with one source word, with several, or with none.
func TestTrimUnknown(t *testing.T) {
	tr := newTrimming(t, Options{Threads: 1}, randomModel(t, tinyConfig, 1, 1))
	s := Sentence{Source: []int32{1, 4, 2, 3, 0}}
	for alpha, want := range map[string]int{"00000": 2, "01230": 5, "01010": 5, "": 5} {
		r := Translation{IDs: []int32{1, 1, 1, 1, 0}, LogProbs: make([]float64, 5)}
		if alpha != "" {
			r.Alignment = kernels.NewMatrix(5, 5)
			for i, place := range alpha {
				r.Alignment.Row(i)[place-'0'] = 1
			}
		}
		if got := tr.trim(s, r); len(got.IDs) != want {
			t.Errorf("attention to %q: got %v, want %d ids", alpha, got.IDs, want)
		}
	}
}

// TestTrimRandom cuts translations of few different ids.
func TestTrimRandom(t *testing.T) {
	tr := newTrimming(t, Options{Threads: 1}, randomModel(t, tinyConfig, 1, 1))
	r, trimmed, trials := newRand(7), 0, 4000
	isWord := func(id int32) bool { return id != 2 }
	if fixture.Full() {
		trials = 20_000
	}
	for range trials {
		s := Sentence{Source: sentenceOf(r, 1+r.IntN(8), 3+r.IntN(20)), Prefix: sentenceOf(r, 1+r.IntN(4), 4)}
		s.Prefix = s.Prefix[:len(s.Prefix)-1]
		if tr.kept = nil; r.IntN(2) == 0 {
			tr.kept = &placeholders{target: []uint8{2: 1, 100: 0}}
		}
		raw := Translation{IDs: append(slices.Clone(s.Prefix), sentenceOf(r, 1+r.IntN(40), 4)...)}
		n := len(raw.IDs)
		raw.Alignment = kernels.NewMatrix(n, 2)
		for i, id := range raw.IDs {
			if id == text.UNK {
				raw.IDs[i], id = 4, 4
			}
			raw.LogProbs = append(raw.LogProbs, float64(id))
			raw.Alignment.Row(i)[0], raw.Alignment.Row(i)[1] = float32(i), float32(id)
		}
		before := fmt.Sprint(raw)
		got := tr.trim(s, raw)
		if fmt.Sprint(raw) != before {
			t.Fatalf("%v: has changed to %v", before, raw)
		}
		if again := tr.trim(s, got); !reflect.DeepEqual(again, got) {
			t.Fatalf("%v: trimmed again to %v", got, again)
		}
		switch most := max(mostCopies, 2*repetitions(s.Source)); {
		case got.Trimmed != (len(got.IDs) < n), tr.kept == nil && repetitions(got.IDs[len(s.Prefix):]) > most:
			t.Fatalf("%v: got %v, want at most %d copies", raw.IDs, got.IDs, most)
		case tr.kept != nil && !slices.Equal(slices.DeleteFunc(slices.Clone(got.IDs), isWord), slices.DeleteFunc(slices.Clone(raw.IDs), isWord)):
			t.Fatalf("%v: got %v without a placeholder", raw.IDs, got.IDs)
		}
		last := -1
		for i, id := range got.IDs {
			row := got.Alignment.Row(i)
			if place := int(row[0]); place <= last || raw.IDs[place] != id || row[1] != float32(id) || got.LogProbs[i] != float64(id) || i < len(s.Prefix) && place != i {
				t.Fatalf("%v: got %v, place %d of which is from place %d", raw.IDs, got, i, place)
			}
			last = int(row[0])
		}
		if got.Trimmed {
			trimmed++
		}
	}
	if trimmed < trials/20 {
		t.Errorf("%d loops, want more", trimmed)
	}
}

// TestLineLoop translates by a model that repeats a word endlessly.
func TestLineLoop(t *testing.T) {
	m := withVocabularies(t, smallConfig)
	setBias(m, 7, 60)
	setBias(m, int(text.EOS), -60)
	tr := newTrimming(t, Options{Threads: 1}, m)
	raw, err := newTranslator(t, Options{Threads: 1}, m).Translate(t.Context(), m.Encode("s3 s4 s5"))
	if err != nil {
		t.Fatal(err)
	}
	if want := strings.TrimSpace(strings.Repeat("t7 ", 12)); m.Decode(raw[0].IDs) != want || slices.Contains(raw[0].IDs, text.EOS) {
		t.Errorf("translation %v, want %q", raw[0], want)
	}
	if line, err := tr.Line(t.Context(), "s3 s4 s5"); line != "t7" || err != nil {
		t.Errorf("line %q, %v, want t7", line, err)
	}
	long := newTrimming(t, Options{Threads: 1, MinLength: 2}, m)
	if line, err := long.Line(t.Context(), "s3 s4 s5"); line != m.Decode(raw[0].IDs) || err != nil {
		t.Errorf("line %q, %v, want the loop", line, err)
	}
}
