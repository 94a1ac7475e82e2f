package model_test

import (
	"context"
	"fmt"
	"log"
	"sync"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/text"
)

// pairs has each name once, and every other word more often.
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
	capacity := model.Capacity{Sentences: 1, SourceLength: 100, TargetLength: 300}
	translator, err := model.NewBeam(kernels.Best(), model.Options{Beam: 5}, capacity, m)
	if err != nil {
		log.Fatal(err)
	}
	best, err := translator.Translate(context.Background(), m.Encode("the dog sleeps in the garden"), 300)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(m.Decode(best[0].IDs))
	// Output: le chien dort dans le jardin
}

// train returns a small model, without the names among its words, after 600 updates on all pairs.
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
	trainer, err := model.NewTrainer(kernels.Best(), m, model.Recipe{}, capacity)
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

// englishToFrench returns a model that is trained once, for all examples.
var englishToFrench = sync.OnceValue(func() *model.Model {
	m, err := train()
	if err != nil {
		log.Fatal(err)
	}
	return m
})
