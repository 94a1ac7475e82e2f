package model_test

import (
	"errors"
	"fmt"
	"io/fs"
	"log"
	"os"
	"path/filepath"
	"slices"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/grammar"
	"github.com/softsearch-go/softsearch/model/text"
)

// Train on generated sentences, with a validation and a checkpoint after each epoch. The first
// call stops after two epochs. The second resumes from its checkpoint and has the losses of a
// training that never stopped.
func Example_training() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	checkpoint, file := filepath.Join(dir, "checkpoint"), filepath.Join(dir, "en-fr.safetensors")
	for _, epochs := range []int{2, 4} {
		trained, err := trainEpochs(epochs, checkpoint)
		if err != nil {
			log.Fatal(err)
		}
		if err := model.Save(file, trained); err != nil {
			log.Fatal(err)
		}
	}
	m, err := model.Open(file)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("saved a model of %d English and %d French words\n", m.Source.Size(), m.Target.Size())
	// Output:
	// from update 0
	// after update 11: validation loss 4.9743 per word
	// after update 22: validation loss 4.8422 per word
	// from update 22
	// after update 33: validation loss 4.6533 per word
	// after update 44: validation loss 4.4964 per word
	// saved a model of 161 English and 200 French words
}

// trainEpochs trains up to that number of epochs, from the checkpoint if the file exists.
func trainEpochs(epochs int, checkpoint string) (*model.Model, error) {
	trainPairs, heldOutPairs := grammar.Pairs(1, 400, 40)
	trainPairs = slices.DeleteFunc(trainPairs, func(p text.Pair) bool { return max(len(p.Source), len(p.Target)) > 15 })
	m, err := untrained(trainPairs)
	if err != nil {
		return nil, err
	}
	const sentences = 20 // in a batch
	examples := text.Examples(trainPairs, m.Source, m.Target)
	recipe := model.Hyperparameters{Adam: &model.Adam{Rate: 0.01, Warmup: 10}, Dropout: model.Dropout{Embedding: 0.1}, Seed: 1}
	trainer, err := model.NewTrainer(kernels.Best(), m, recipe, model.CapacityOf(examples, sentences))
	if err != nil {
		return nil, err
	}
	heldOut := text.Examples(heldOutPairs, m.Source, m.Target)
	scorer, err := model.NewScorer(kernels.Best(), trainer.Model(), model.CapacityOf(heldOut, sentences))
	if err != nil {
		return nil, err
	}
	if _, err := trainer.Load(checkpoint); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	fmt.Println("from update", trainer.Updates())
	batches := text.NewBatcher(examples, sentences, 1)
	perEpoch := batches.BatchesPerEpoch()
	batches.Seek(trainer.Updates()/perEpoch, trainer.Updates()%perEpoch)
	for epoch := batches.Epoch(); epoch < epochs; epoch++ {
		for batches.Epoch() == epoch {
			if _, err := trainer.Update(batches.Next()); err != nil {
				return nil, err
			}
		}
		loss, err := lossPerWord(scorer, text.SortedBatches(heldOut, sentences))
		if err != nil {
			return nil, err
		}
		fmt.Printf("after update %d: validation loss %.4f per word\n", trainer.Updates(), loss)
		if err := trainer.Save(checkpoint, ""); err != nil {
			return nil, err
		}
	}
	return trainer.Model(), nil
}

// untrained returns a model for the most frequent words of the pairs.
func untrained(pairs []text.Pair) (*model.Model, error) {
	source, err := text.NewVocabulary(text.Sources(pairs), 200)
	if err != nil {
		return nil, err
	}
	target, err := text.NewVocabulary(text.Targets(pairs), 200)
	if err != nil {
		return nil, err
	}
	m, err := model.New(model.Config{
		Kind: model.RNNsearch, Order: model.UpdateFirst,
		SourceVocab: source.Size(), TargetVocab: target.Size(),
		Embedding: 16, Hidden: 32, Alignment: 16, Maxout: 16,
	}, 1)
	if err != nil {
		return nil, err
	}
	m.Source, m.Target = source, target
	return m, nil
}

// lossPerWord returns the mean of -log p over all target words.
func lossPerWord(scorer *model.Scorer, batches [][]text.Example) (float64, error) {
	sum, words := 0.0, 0
	for _, batch := range batches {
		loss, err := scorer.Loss(batch)
		if err != nil {
			return 0, err
		}
		sum += loss
		for _, e := range batch {
			words += len(e.Target)
		}
	}
	return sum / float64(words), nil
}
