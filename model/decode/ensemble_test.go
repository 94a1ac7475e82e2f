package decode

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/text"
	"github.com/softsearch-go/softsearch/model/text/pipeline"
)

// TestEnsembleAlignment compares α with the mean over the models with attention, as scorers that are
// given the translation compute it.
func TestEnsembleAlignment(t *testing.T) {
	const source, length = 6, 7
	for _, kinds := range [][]model.Kind{{model.RNNsearch, model.RNNsearch}, {model.RNNencdec, model.RNNsearch, model.RNNsearch}, {model.RNNencdec, model.RNNencdec}, {model.RNNsearch, model.RNNencdec}} {
		var models []*model.Model
		for i, kind := range kinds {
			c := smallConfig
			c.Kind, c.Hidden = kind, c.Hidden+i
			models = append(models, randomModel(t, c, uint64(i), 0.6))
		}
		words := randomWords(newRand(90), source, smallConfig.SourceVocab)
		best := searcherOf(t, kernels.Best(), Options{Beam: 3, NBest: 2}, capacityFor(1, source+1, length), models...).best(t, words, length)
		for _, r := range best {
			if !slices.Contains(kinds, model.RNNsearch) {
				if r.Alignment.Rows != 0 {
					t.Errorf("%v: alignment of %d rows, want none", kinds, r.Alignment.Rows)
				}
				continue
			}
			want := meanScore(t, text.Example{Source: words, Target: r.IDs}, models).Alignment.Data
			if len(r.Alignment.Data) != len(want) {
				t.Fatalf("%v: %d values, want %d", kinds, len(r.Alignment.Data), len(want))
			}
			for i, a := range r.Alignment.Data {
				if !(math.Abs(float64(a-want[i])) <= 0x1p-22) {
					t.Errorf("%v: α %d: got %v, want %v", kinds, i, a, want[i])
				}
			}
		}
	}
}

// TestEnsembleOfOne repeats a model two and four times, where means are exact.
func TestEnsembleOfOne(t *testing.T) {
	eachVariant(t, smallConfig, func(t *testing.T, c model.Config) {
		eachImpl(t, func(t *testing.T, k kernels.Impl) {
			m, list := randomModel(t, c, 91, 0.6), sentencesOf(92, c, 7, 9, 8)
			want := aloneOf(t, k, Options{Beam: 4}, list, m)
			for _, models := range [][]*model.Model{{m, m}, {m, m, m, m}} {
				for i, best := range aloneOf(t, k, Options{Beam: 4}, list, models...) {
					sameList(t, fmt.Sprintf("%s: %d times: sentence %d", k, len(models), i), best, want[i])
				}
			}
		})
	})
}

func TestEnsembleErrors(t *testing.T) {
	base := withVocabularies(t, smallConfig)
	other := func(change func(m *model.Model)) *model.Model {
		m := *base
		change(&m)
		return &m
	}
	words := func(v *text.Vocabulary) *text.Vocabulary {
		list := v.Words()
		list[5] = "another"
		w, err := text.VocabularyOf(list)
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
	sized := func(source, target int) *model.Model {
		c := smallConfig
		c.SourceVocab, c.TargetVocab = c.SourceVocab+source, c.TargetVocab+target
		return randomModel(t, c, 1, 0.1)
	}
	english, err := pipeline.New(pipeline.Settings{Language: "en"})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name   string
		models []*model.Model
		says   string
	}{
		{"none", []*model.Model{nil}, "model 1: "},
		{"nil", []*model.Model{base, nil}, "model 2: "},
		{"empty", []*model.Model{{}}, "model 1: "},
		{"empty in an ensemble", []*model.Model{base, base, {}}, "model 3: "},
		{"no parameters", []*model.Model{{Config: smallConfig}}, "without parameters"},
		{"other parameters", []*model.Model{base, {Config: smallConfig, Parameters: sized(0, 1).Parameters}}, "model 2: "},
		{"source size", []*model.Model{base, sized(1, 0)}, "source vocabulary of model 2"},
		{"target size", []*model.Model{base, base, sized(0, -1)}, "target vocabulary of model 3"},
		{"source words", []*model.Model{base, other(func(m *model.Model) { m.Source = words(m.Source) })}, "source vocabulary of model 2"},
		{"target words", []*model.Model{base, other(func(m *model.Model) { m.Target = words(m.Target) })}, "target vocabulary of model 2"},
		{"source text", []*model.Model{base, other(func(m *model.Model) { m.SourceText = english })}, "source text of model 2"},
		{"target text", []*model.Model{base, other(func(m *model.Model) { m.TargetText = english })}, "target text of model 2"},
	} {
		_, err := New(test.models[0], Options{Ensemble: test.models[1:]})
		checkError(t, test.name, err, model.ErrConfig, test.says)
	}
	wordless := other(func(m *model.Model) { m.Source, m.Target, m.SourceText = nil, nil, english })
	newTranslator(t, Options{}, base, wordless)
}
