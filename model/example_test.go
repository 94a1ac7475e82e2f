package model_test

import (
	"bytes"
	"context"
	"embed"
	"flag"
	"fmt"
	"log"
	"os"
	"sync"
	"testing"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/decode"
	"github.com/softsearch-go/softsearch/model/text"
)

// pairs contains each name once, and every other word more often.
var pairs = []text.Pair{
	pair("the cat sleeps in the garden", "le chat dort dans le jardin"),
	pair("the cat sleeps in the house", "le chat dort dans la maison"),
	pair("the cat eats in the house", "le chat mange dans la maison"),
	pair("the dog sleeps in the house", "le chien dort dans la maison"),
	pair("the dog eats in the house", "le chien mange dans la maison"),
	pair("the dog eats in the garden", "le chien mange dans le jardin"),
	pair("Anna sleeps in the house", "Anna dort dans la maison"),
	pair("Boris eats in the garden", "Boris mange dans le jardin"),
	pair("Clara eats in the house", "Clara mange dans la maison"),
}

func pair(source, target string) text.Pair {
	return text.Pair{Source: text.Tokens(source), Target: text.Tokens(target)}
}

// Train a model on nine pairs of sentences and translate one that is none of them.
func Example() {
	m := englishToFrench()
	t, err := decode.New(m, decode.Options{Beam: 5})
	if err != nil {
		log.Fatal(err)
	}
	defer t.Close()
	line, err := t.Line(context.Background(), "the dog sleeps in the garden")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(line)
	// Output: le chien dort dans le jardin
}

// train returns a small model after 600 updates on all pairs. The names are not in its vocabulary.
func train() (*model.Model, error) {
	source, err := text.NewVocabulary(text.Sources(pairs), 10)
	if err != nil {
		return nil, err
	}
	target, err := text.NewVocabulary(text.Targets(pairs), 11)
	if err != nil {
		return nil, err
	}
	m, err := model.New(model.Config{
		Kind: model.RNNsearch, Order: model.UpdateFirst,
		SourceVocab: source.Size(), TargetVocab: target.Size(),
		Embedding: 8, Hidden: 16, Alignment: 8, Maxout: 8,
	}, 16)
	if err != nil {
		return nil, err
	}
	m.Source, m.Target = source, target
	capacity := model.Capacity{Sentences: len(pairs), SourceLength: 10, TargetLength: 10}
	trainer, err := model.NewTrainer(kernels.Best(), m, model.Hyperparameters{}, capacity)
	if err != nil {
		return nil, err
	}
	examples := text.Examples(pairs, source, target)
	for range 600 {
		if _, err := trainer.Update(examples); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// englishToFrench trains a model once and returns it to all examples.
var englishToFrench = sync.OnceValue(func() *model.Model {
	m, err := train()
	if err != nil {
		log.Fatal(err)
	}
	return m
})

// TestExampleFile checks that every machine trains the same model, byte for byte: the one that the
// examples of package decode open.
func TestExampleFile(t *testing.T) {
	const path = "decode/testdata/en-fr.safetensors"
	var trained bytes.Buffer
	if err := model.Write(&trained, englishToFrench()); err != nil {
		t.Fatal(err)
	}
	if flag.Lookup("update").Value.String() == "true" {
		if err := os.WriteFile(path, trained.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(trained.Bytes(), want) {
		t.Errorf("the trained model differs from %s", path)
	}
}

// Goroutines share a model that nobody trains. Each has a Scorer of its own.
func ExampleModel_goroutines() {
	m := englishToFrench()
	examples := text.Examples(pairs, m.Source, m.Target)
	losses := make([]float64, len(examples))
	var wait sync.WaitGroup
	for i, e := range examples {
		wait.Go(func() {
			w, err := model.NewScorer(kernels.Best(), m, model.Capacity{Sentences: 1, SourceLength: 10, TargetLength: 10})
			if err != nil {
				log.Fatal(err)
			}
			if losses[i], err = w.Loss([]text.Example{e}); err != nil {
				log.Fatal(err)
			}
		})
	}
	wait.Wait()
	fmt.Printf("%.4f\n", losses)
	// Output: [0.0105 0.0084 0.0155 0.0101 0.0149 0.0038 0.0040 0.0036 0.0087]
}

//go:embed testdata/tiny.safetensors
var files embed.FS

// A program can embed its model.
func ExampleRead() {
	f, err := files.Open("testdata/tiny.safetensors")
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	m, err := model.Read(f)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(m.Config.Kind, m.Source.Size(), "source words,", m.Target.Size(), "target words")
	// Output: search 9 source words, 11 target words
}
