package model

import (
	"bytes"
	"encoding/base64"
	"slices"
	"strings"
	"testing"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model/safetensors"
)

// lexiconConfig has vocabularies of which a shortlist is a small part.
var lexiconConfig = func() Config {
	c := smallConfig
	c.TargetVocab = 211
	return c
}()

// randomShortlist returns a shortlist of lists of up to 20 ids.
func randomShortlist(c Config, seed uint64) *Shortlist {
	r := newRand(seed)
	list := func() []int32 {
		ids := randomWords(r, r.IntN(20), c.TargetVocab)
		slices.Sort(ids)
		return slices.Compact(ids)
	}
	s := &Shortlist{Common: []int32{2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 150, 160, 170, 180, 190}}
	for range c.SourceVocab {
		s.Lexicon = append(s.Lexicon, list())
	}
	return s
}

// TestShortlistFile: a file has the shortlist, which is the only difference, and int8 keeps it.
func TestShortlistFile(t *testing.T) {
	m := randomModel(t, lexiconConfig, 1, 0.2)
	before := written(t, m)
	m.Shortlist = randomShortlist(lexiconConfig, 2)
	q, err := m.Quantize()
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range []*Model{m, q} {
		got, err := Read(strings.NewReader(string(written(t, m))))
		if err != nil {
			t.Fatal(err)
		}
		equal := slices.Equal(got.Shortlist.Common, m.Shortlist.Common) &&
			slices.EqualFunc(got.Shortlist.Lexicon, m.Shortlist.Lexicon, func(a, b []int32) bool { return slices.Equal(a, b) })
		if !equal {
			t.Errorf("%s: got %v, want %v", m.Config.Weights, got.Shortlist, m.Shortlist)
		}
	}
	m.Shortlist = nil
	if got := written(t, m); string(got) != string(before) {
		t.Error("the file without a shortlist is not that of before")
	}
	m.Shortlist = q.Shortlist
	if _, err := NewTrainer(kernels.Best(), m, Recipe{}, Capacity{1, 3, 3}); err != nil || m.Shortlist != nil {
		t.Errorf("a trainer leaves the shortlist %v, error %v", m.Shortlist, err)
	}
}

func TestBadShortlist(t *testing.T) {
	m := randomModel(t, smallConfig, 1, 0.2)
	m.Shortlist = &Shortlist{Lexicon: make([][]int32, smallConfig.SourceVocab)}
	f, err := safetensors.Read(strings.NewReader(string(written(t, m))))
	if err != nil {
		t.Fatal(err)
	}
	lists := func(first ...byte) string {
		b := make([]byte, smallConfig.SourceVocab+1)
		return base64.RawStdEncoding.EncodeToString(append(first, b[1:]...))
	}
	for stored, part := range map[string]string{
		"*":             "illegal base64",
		"":              "shortlist of 0 lists",
		lists()[:10]:    "lists, expected 22",
		lists(0, 0):     "1 bytes after",
		lists(28):       "length 28 in list 0, expected 0 to",
		lists(200):      "length",
		lists(1, 27):    "distance 27 in list 0, expected 0 to 26",
		lists(2, 20, 6): "distance 6 in list 0, expected 0 to 5",
		lists(1, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255): "ends within list 0",
		lists(2, 26, 0): "distance 0 in list 0, expected 0 to -1",
	} {
		f.Metadata[keyShortlist] = stored
		_, err := reread(t, f)
		checkError(t, stored, err, ErrFile, "shortlist", part)
	}
	f.Metadata[keyShortlist] = lists(1, 26)
	if got, err := reread(t, f); err != nil || !slices.Equal(got.Shortlist.Common, []int32{26}) {
		t.Errorf("got %v, error %v", got, err)
	}
	for what, s := range map[string]*Shortlist{
		"one list":    {Lexicon: make([][]int32, 1)},
		"descending":  {Common: []int32{4, 3}, Lexicon: make([][]int32, smallConfig.SourceVocab)},
		"equal":       {Common: []int32{4, 4}, Lexicon: make([][]int32, smallConfig.SourceVocab)},
		"negative":    {Common: []int32{-1}, Lexicon: make([][]int32, smallConfig.SourceVocab)},
		"not a word":  {Common: []int32{27}, Lexicon: make([][]int32, smallConfig.SourceVocab)},
		"source word": {Lexicon: append(make([][]int32, smallConfig.SourceVocab-1), []int32{27})},
	} {
		m.Shortlist = s
		checkError(t, what, m.Check(), ErrConfig, "shortlist")
	}
}

func reread(t *testing.T, f *safetensors.File) (*Model, error) {
	t.Helper()
	var b bytes.Buffer
	if err := safetensors.Write(&b, f); err != nil {
		t.Fatal(err)
	}
	return Read(&b)
}

func TestCandidates(t *testing.T) {
	a, b := &Model{Config: lexiconConfig, Shortlist: randomShortlist(lexiconConfig, 3)}, &Model{Config: lexiconConfig, Shortlist: randomShortlist(lexiconConfig, 4)}
	source := []int32{4, 7, 4, 0}
	union := func(models []*Model, more ...int32) Words {
		want := append([]int32{0, 1}, more...)
		for _, m := range models {
			want = append(want, m.Shortlist.Common...)
			for _, id := range source {
				want = append(want, m.Shortlist.Lexicon[id]...)
			}
		}
		slices.Sort(want)
		return slices.Compact(want)
	}
	for _, models := range [][]*Model{{a}, {b}, {a, b}} {
		if got, want := Candidates(models, source), union(models); !slices.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
		if got, want := Candidates(models, source, []int32{210, 64}, []int32{63}), union(models, 210, 64, 63); !slices.Equal(got, want) {
			t.Errorf("with more: got %v, want %v", got, want)
		}
	}
	all := make([]int32, 106)
	for i := range all {
		all[i] = int32(i)
	}
	few := &Model{Config: lexiconConfig, Shortlist: &Shortlist{Lexicon: make([][]int32, lexiconConfig.SourceVocab)}}
	for what, got := range map[string]Words{
		"a model without a shortlist": Candidates([]*Model{a, {Config: lexiconConfig}}, source),
		"more than half":              Candidates([]*Model{a}, source, all),
		"two words":                   Candidates([]*Model{few}, source),
	} {
		if got != nil {
			t.Errorf("%s: got %d words, want all", what, len(got))
		}
	}
}

// TestStepperWords compares the scores of sentences with words of their own, which come and go, with those of all
// words, and counts allocations.
func TestStepperWords(t *testing.T) {
	float := randomModel(t, lexiconConfig, 5, 0.3)
	for _, m := range []*Model{float, quantized(t, float)} {
		eachImpl(t, func(t *testing.T, k kernels.Impl) {
			capacity := stepperCapacity(4, 8, 9)
			capacity.Outputs = 96
			s, err := NewStepper(k, m, capacity)
			if err != nil {
				t.Fatal(err)
			}
			full, err := NewStepper(k, m, stepperCapacity(4, 8, 9))
			if err != nil {
				t.Fatal(err)
			}
			lists := []Words{{0, 3, 17, 40, 210}, nil, {1}, {2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 30, 31, 32, 209}}
			sources, next := [][]int32{{3, 4, 0}, {5, 0}, {6, 7, 8, 0}, {1, 2, 0}}, 0
			var parents []int
			run := func() {
				if err := s.Begin(sources[1]); err != nil {
					t.Fatal(err)
				}
				if err := full.Begin(sources[1]); err != nil {
					t.Fatal(err)
				}
				for step := range 12 {
					for range 2 {
						i := next % len(lists)
						next++
						if s.spans.Spans() == 4 || s.panels.Used()*panel+OutputsOf(lists[i]) > capacity.Outputs {
							continue
						}
						if err := s.JoinWords(sources[i:i+1], lists[i:i+1]); err != nil {
							t.Fatal(err)
						}
						if err := full.Join(sources[i]); err != nil {
							t.Fatal(err)
						}
					}
					compareWords(t, s, full)
					n := len(s.sentence)
					parents = append(parents[:0], n-1, n-1, n/2, 0)
					for _, s := range []*Stepper{s, full} {
						if err := s.Keep(parents[:1+step%4]); err != nil {
							t.Fatal(err)
						}
					}
				}
			}
			noAllocations(t, "Stepper", k, run)
		})
	}
}

var noWords = slices.Repeat([]int32{-1}, 8)

// compareWords takes a step with both, whose hypotheses are the same.
func compareWords(t *testing.T, s, full *Stepper) {
	t.Helper()
	n := len(s.sentence)
	got, err := s.Step(noWords[:n])
	if err != nil {
		t.Fatal(err)
	}
	want, err := full.Step(noWords[:n])
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		words := s.Words(i)
		for column := range words.Len(want.Cols) {
			id := words.ID(column)
			if words.Column(id) != column || got.Row(i)[column] != want.Row(i)[id] {
				t.Fatalf("%s: hypothesis %d of words %v: score of %d is %v, want %v", s.kernels, i, words, id, got.Row(i)[column], want.Row(i)[id])
			}
		}
	}
}

func TestStepperWordsErrors(t *testing.T) {
	m := randomModel(t, smallConfig, 6, 0.2)
	capacity := stepperCapacity(2, 2, 3)
	capacity.Outputs = 16
	s, err := NewStepper(kernels.Best(), m, capacity)
	if err != nil {
		t.Fatal(err)
	}
	source := [][]int32{{1, 0}}
	for what, words := range map[string][]Words{
		"two lists": {nil, nil}, "empty list": {{}}, "descending": {{3, 2}}, "equal": {{3, 3}}, "no word": {{27}}, "negative": {{-1}},
	} {
		checkError(t, what, s.JoinWords(source, words), ErrExample)
	}
	if err := s.JoinWords(source, []Words{{1, 2}}); err != nil {
		t.Fatal(err)
	}
	checkError(t, "second list", s.JoinWords(source, []Words{{1}}), ErrCapacity, "32 outputs", "16")
}
