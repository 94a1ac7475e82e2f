package model

import (
	"testing"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model/text/pipeline"
)

// TestAverageModels compares with means, of models of float32 and of one of int8.
func TestAverageModels(t *testing.T) {
	a, b := withVocabularies(t, smallConfig), randomModel(t, smallConfig, 5, 0.3)
	b.Source, b.Target, b.LongestSource = a.Source, a.Target, a.LongestSource+1
	a.Search, b.Search = Search{5, 1.5, 1, -2}, Search{3, 0, 0, -1}
	q := quantized(t, b)
	for name, other := range map[string]*Model{"float32": b, "int8": q} {
		for _, models := range [][]*Model{{a, other}, {other, a, a}} {
			mean, err := Average(models...)
			if err != nil {
				t.Fatal(err)
			}
			if mean.Config != smallConfig || mean.Source != a.Source || mean.LongestSource != b.LongestSource || mean.Search != models[0].Search {
				t.Errorf("%s: %+v with at most %d words, want %+v", name, mean.Config, mean.LongestSource, smallConfig)
			}
			for i, tensor := range mean.Parameters.tensors(mean.Config) {
				got := tensor.read()
				sums := make([]float64, len(got))
				for _, m := range models {
					for j, v := range m.Parameters.tensors(m.Config)[i].dequantized() {
						sums[j] += float64(v)
					}
				}
				for j, v := range got {
					if want := float32(sums[j] / float64(len(models))); v != want {
						t.Fatalf("%s: %s[%d] is %v, want %v", name, tensor.name, j, v, want)
					}
				}
			}
		}
	}
	same, err := Average(a)
	if err != nil || same.Parameters == a.Parameters {
		t.Errorf("of one model: error %v, or its own parameters", err)
	}
	if _, err := NewTrainer(kernels.Best(), same, Hyperparameters{}, smallCapacity); err != nil {
		t.Error(err)
	}
	other := *b
	p, err := pipeline.New(pipeline.Settings{Language: "en"})
	if err != nil {
		t.Fatal(err)
	}
	other.SourceText = p
	larger := smallConfig
	larger.Maxout++
	_, err = Average(a, randomModel(t, larger, 1, 1))
	checkError(t, "configuration", err, ErrConfig, "model 2 has another configuration")
	_, err = Average(a, b, randomModel(t, smallConfig, 1, 1))
	checkError(t, "vocabulary", err, ErrConfig, "model 3 has another vocabulary")
	_, err = Average(a, &other)
	checkError(t, "pipeline", err, ErrConfig, "model 2 has other text settings")
	_, err = Average()
	checkError(t, "none", err, ErrConfig, "no models")
	_, err = Average(a, nil)
	checkError(t, "nil", err, ErrConfig, "nil model")
}
