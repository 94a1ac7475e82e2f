package model

import (
	"bytes"
	"math"
	"path/filepath"
	"testing"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model/safetensors"
)

// TestLongestSource writes and reads models. The entry in the metadata is the only difference
// between their files, and a file without it is that of an unknown length.
func TestLongestSource(t *testing.T) {
	m := withVocabularies(t, smallConfig)
	f, err := m.file()
	if err != nil {
		t.Fatal(err)
	}
	if got, ok := f.Metadata["longest_source"]; ok {
		t.Errorf("a model of unknown length has the entry %q", got)
	}
	plain := encoded(t, f)
	for n, want := range map[int]string{1: "1", 50: "50", math.MaxInt32: "2147483647"} {
		m.LongestSource = n
		data := written(t, m)
		got, err := Read(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		if got.LongestSource != n {
			t.Errorf("got %d, want %d", got.LongestSource, n)
		}
		f, err := safetensors.Read(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		if got := f.Metadata["longest_source"]; got != want {
			t.Errorf("%d is stored as %q, want %q", n, got, want)
		}
		delete(f.Metadata, "longest_source")
		if !bytes.Equal(encoded(t, f), plain) {
			t.Errorf("%d: the file differs in more than an entry", n)
		}
	}
	for _, n := range []int{-1, math.MinInt} {
		m.LongestSource = n
		checkError(t, "Write", Write(new(bytes.Buffer), m), ErrConfig, "longest source")
	}
}

// TestSearchFile: the entry in the metadata is exact, and absent without one.
func TestSearchFile(t *testing.T) {
	m := withVocabularies(t, smallConfig)
	for want, search := range map[string]Search{
		"": {}, `{"beam":5,"normalization":1}`: {5, 0, 1, 0}, `{"beam":0,"normalization":0,"unsure":-0.1}`: {0, 0, 0, -0.1},
		`{"beam":1,"prune":1.5,"normalization":0.3,"unsure":-1.2345678901234567}`: {1, 1.5, 0.3, -1.2345678901234567},
	} {
		m.Search = search
		f, err := m.file()
		if err != nil {
			t.Fatal(err)
		}
		if got := f.Metadata["search"]; got != want {
			t.Errorf("%+v is stored as %q, want %q", search, got, want)
		}
		got, err := Read(bytes.NewReader(encoded(t, f)))
		if err != nil {
			t.Fatal(err)
		}
		sameModel(t, got, m)
	}
	for _, value := range []string{"", "5", `{"beam":-1}`, `{"beam":1.5}`, `{"prune":-1}`, `{"normalization":11}`, `{"unsure":1}`, `{"unsure":-1e999}`} {
		f := contents(t, smallConfig)
		f.Metadata["search"] = value
		_, err := Read(bytes.NewReader(encoded(t, f)))
		checkError(t, value, err, ErrFile, "search")
	}
}

func TestBadLongestSource(t *testing.T) {
	trainer := checkpointed(t, Hyperparameters{})
	path := filepath.Join(t.TempDir(), "checkpoint")
	if err := trainer.Save(path, ""); err != nil {
		t.Fatal(err)
	}
	checkpoint, err := safetensors.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, value := range []string{"", "0", "-1", "+1", "01", " 1", "1.0", "1e3", "2147483648", "18446744073709551617", "fifty"} {
		f := contents(t, smallConfig)
		f.Metadata["longest_source"] = value
		_, err := Read(bytes.NewReader(encoded(t, f)))
		checkError(t, "model file: "+value, err, ErrFile, "longest_source", "1 to 2147483647")

		checkpoint.Metadata["longest_source"] = value
		if err := safetensors.Save(path, checkpoint); err != nil {
			t.Fatal(err)
		}
		_, err = trainer.Load(path)
		checkError(t, "checkpoint: "+value, err, ErrCheckpoint, "longest_source", "1 to 2147483647")
	}
}

// TestLongestSourceOfTraining interrupts a training, whose next trainer starts with another length
// or none, and compares the model file with that of an uninterrupted one.
func TestLongestSourceOfTraining(t *testing.T) {
	batches := trainingBatches(4)
	eachRecipe(t, func(t *testing.T, r Hyperparameters) {
		start := func(longest int) *Trainer {
			m := randomModel(t, smallConfig, 71, 0.4)
			m.LongestSource = longest
			trainer, err := NewTrainer(kernels.Best(), m, r, smallCapacity)
			if err != nil {
				t.Fatal(err)
			}
			return trainer
		}
		whole := start(30)
		learn(t, whole, batches)
		if got := whole.Model().LongestSource; got != 30 {
			t.Errorf("trained model: got %d, want 30", got)
		}
		for _, c := range []struct{ first, then, want int }{{30, 30, 30}, {30, 0, 30}, {30, 7, 30}, {30, 40, 40}, {0, 30, 30}, {0, 0, 0}} {
			path := filepath.Join(t.TempDir(), "checkpoint")
			stopped, resumed := start(c.first), start(c.then)
			learn(t, stopped, batches[:2])
			if err := stopped.Save(path, ""); err != nil {
				t.Fatal(err)
			}
			if _, err := resumed.Load(path); err != nil {
				t.Fatal(err)
			}
			learn(t, resumed, batches[2:])
			for what, m := range map[string]*Model{"model in training": resumed.model, "model to save": resumed.Model()} {
				if m.LongestSource != c.want {
					t.Errorf("%+v: %s: got %d", c, what, m.LongestSource)
				}
			}
			if c.want == 30 && !bytes.Equal(written(t, resumed.Model()), written(t, whole.Model())) {
				t.Errorf("%+v: the file differs from that of an uninterrupted training", c)
			}
		}
		bad := start(0)
		bad.model.LongestSource = -1
		checkError(t, "Save", bad.Save(filepath.Join(t.TempDir(), "checkpoint"), ""), ErrConfig, "longest source")
	})
}
