package model

import (
	"bytes"
	"fmt"
	"math"
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
	s := &Shortlist{Common: 17}
	for range c.SourceVocab {
		ids := randomWords(r, r.IntN(20), c.TargetVocab)
		slices.Sort(ids)
		ids = slices.Compact(ids)
		s.Lexicon = append(s.Lexicon, slices.DeleteFunc(ids, func(id int32) bool { return int(id) < s.Common }))
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
		equal := got.Shortlist.Common == m.Shortlist.Common &&
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
	// store replaces the shortlist by bytes, and then lists without ids.
	store := func(lists int, first ...byte) {
		data := make([]int8, len(first)+lists)
		for i, x := range first {
			data[i] = int8(x)
		}
		f.Tensors[slices.IndexFunc(f.Tensors, func(t safetensors.Tensor) bool { return t.Name == shortlistName })] =
			safetensors.Tensor{Name: shortlistName, Shape: []int{len(data)}, Int8: data}
	}
	n := smallConfig.SourceVocab
	for _, test := range []struct {
		lists int
		first []byte
		part  string
	}{
		{0, nil, "ends before the common words of list 0, expected 21 lists"},
		{3, []byte{0}, "ends before the length of list 3"},
		{n + 1, []byte{0}, "1 bytes after"},
		{n, []byte{28}, "common words 28 of list 0, expected 0 to 27"},
		{n, []byte{25, 3}, "length 3 of list 0, expected 0 to 2"},
		{n, []byte{0, 200, 1}, "length 200"},
		{n, []byte{20, 1, 7}, "distance 7 of list 0, expected 0 to 6"},
		{n, []byte{0, 2, 20, 6}, "distance 6 of list 0, expected 0 to 5"},
		{n, []byte{0, 1, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255}, "ends before the distance of list 0"},
		{n, []byte{0, 2, 26, 0}, "distance 0 of list 0, expected 0 to -1"},
	} {
		store(test.lists, test.first...)
		_, err := reread(t, f)
		checkError(t, fmt.Sprint(test.first), err, ErrFile, "shortlist", test.part)
	}
	store(n-1, 25, 1, 1)
	if got, err := reread(t, f); err != nil || got.Shortlist.Common != 25 || !slices.Equal(got.Shortlist.Lexicon[0], []int32{26}) {
		t.Errorf("got %v, error %v", got, err)
	}
	f.Tensors[slices.IndexFunc(f.Tensors, func(t safetensors.Tensor) bool { return t.Name == shortlistName })] =
		safetensors.Tensor{Name: shortlistName, Shape: []int{1}, Data: []float32{0}}
	_, err = reread(t, f)
	checkError(t, "float32", err, ErrFile, "shortlist", `dtype "F32"`)
	for what, s := range map[string]*Shortlist{
		"one list":    {Lexicon: make([][]int32, 1)},
		"many":        {Common: 28, Lexicon: make([][]int32, smallConfig.SourceVocab)},
		"negative":    {Common: -1, Lexicon: make([][]int32, smallConfig.SourceVocab)},
		"descending":  {Lexicon: append(make([][]int32, smallConfig.SourceVocab-1), []int32{4, 3})},
		"equal":       {Lexicon: append(make([][]int32, smallConfig.SourceVocab-1), []int32{4, 4})},
		"common":      {Common: 5, Lexicon: append(make([][]int32, smallConfig.SourceVocab-1), []int32{4})},
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
			for id := range m.Shortlist.Common {
				want = append(want, int32(id))
			}
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
	config := smallConfig
	config.TargetVocab = 811 // the sample is every fourth word
	float := randomModel(t, config, 5, 0.3)
	for i := 400; i < 404; i++ { // one of them is in each sample
		float.Parameters.B[i] = 9
	}
	for _, m := range []*Model{float, quantized(t, float)} {
		eachImpl(t, func(t *testing.T, k kernels.Impl) {
			capacity := stepperCapacity(4, 8, 9)
			capacity.Outputs = 512
			s, err := NewStepper(k, m, capacity)
			if err != nil {
				t.Fatal(err)
			}
			full, err := NewStepper(k, m, stepperCapacity(4, 8, 9))
			if err != nil {
				t.Fatal(err)
			}
			first := Words{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}
			lists := []Words{{0, 3, 17, 40, 210}, nil, {1}, append(first[1:16:16], 16, 17, 18, 30, 31, 32, 209), first, append(first[:16:16], 16, 17, 18, 30, 31, 32, 209)}
			sources, next := [][]int32{{3, 4, 0}, {5, 0}, {6, 7, 8, 0}, {1, 2, 0}, {9, 0}, {4, 3, 0}}, 0
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
						if s.spans.Spans() == 4 || s.panels.Used()*panel+OutputsOf(lists[i], config.TargetVocab) > capacity.Outputs {
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
		if words != nil {
			compareSample(t, words, got.Row(i)[len(words):s.Summed(i)], want.Row(i))
		}
	}
}

// compareSample compares the scores that stand for other words than these with those of every fourth of the others,
// times four as probabilities. One of them, far above the mean, is lowered.
func compareSample(t *testing.T, words Words, got, want []float32) {
	t.Helper()
	sample := make([]float64, 0, maxSample)
	others, mean := 0, 0.0
	for id, score := range want {
		if slices.Contains(words, int32(id)) {
			continue
		}
		if others%4 == 0 {
			sample = append(sample, float64(score)+math.Log(4))
			mean += float64(score) + math.Log(4)
		}
		others++
	}
	if len(sample) != len(got) {
		t.Fatalf("sample of %d words, want %d", len(got), len(sample))
	}
	most, lowered := mean/float64(len(sample))+math.Log(64), 0
	for i, score := range sample {
		if score > most {
			score = most
			lowered++
		}
		if math.Abs(float64(got[i])-score) > 1e-5 {
			t.Fatalf("sample %v for words %v: place %d, want %v", got, words, i, score)
		}
	}
	if lowered != 1 {
		t.Fatalf("sample %v for words %v: %d scores above %v, want 1", got, words, lowered, most)
	}
}

func TestStepperWordsErrors(t *testing.T) {
	m := randomModel(t, smallConfig, 6, 0.2)
	capacity := stepperCapacity(2, 2, 3)
	capacity.Outputs = 32
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
	checkError(t, "second list", s.JoinWords(source, []Words{{1}}), ErrCapacity, "64 outputs", "32")
}
