package breakdown

import (
	"fmt"
	"math/rand/v2"

	"github.com/softsearch-go/softsearch/bench"
	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/text"
)

// An operation is a function ready to run, and how to tell its parts apart.
type operation struct {
	run   func() error
	root  string // the function of the library that run calls
	rules []rule
	parts []part
	sizes sizes
}

// update returns a training update with factors of that precision.
func update(k kernels.Impl, m *model.Model, precision model.Precision, sentences, words int) (operation, error) {
	trainer, err := model.NewTrainer(k, m, model.Recipe{Precision: precision}, model.Capacity{Sentences: sentences, SourceLength: words, TargetLength: words})
	if err != nil {
		return operation{}, err
	}
	r := rand.New(rand.NewPCG(1, 0))
	batch := make([]text.Example, sentences)
	for i := range batch {
		batch[i] = text.Example{Source: sentence(r, m.Config.SourceVocab, words), Target: sentence(r, m.Config.TargetVocab, words)}
	}
	run := func() error {
		_, err := trainer.Update(batch)
		return err
	}
	return operation{run, "model.(*Trainer).Update", updateRules, updateParts, sizesOf(m.Config, sentences, words)}, nil
}

// step returns a decoder step of one hypothesis.
func step(k kernels.Impl, m *model.Model, words int) (operation, error) {
	stepper, err := model.NewStepper(k, m, model.StepperCapacity{Sentences: 1, Hypotheses: 1, Words: words, Joining: words})
	if err != nil {
		return operation{}, err
	}
	r := rand.New(rand.NewPCG(1, 0))
	if err := stepper.Begin(sentence(r, m.Config.SourceVocab, words)); err != nil {
		return operation{}, err
	}
	next := sentence(r, m.Config.TargetVocab, words)[:1]
	run := func() error {
		_, err := stepper.Step(next)
		return err
	}
	return operation{run, "model.(*Stepper).Step", stepRules, stepParts, sizesOf(m.Config, 1, words)}, nil
}

// sentence returns words of a vocabulary and the end.
func sentence(r *rand.Rand, vocabulary, words int) []int32 {
	ids := make([]int32, words)
	for i := range words - 1 {
		ids[i] = 1 + int32(r.IntN(vocabulary-1))
	}
	ids[words-1] = text.EOS
	return ids
}

func sizesOf(c model.Config, sentences, words int) sizes {
	return sizes{
		e: c.Embedding, h: c.Hidden, a: c.Alignment, l: c.Maxout, c: 2 * c.Hidden,
		target: c.TargetVocab, b: sentences, s: words, t: words, int8: c.Weights == model.Int8,
	}
}

// prepare returns the operation of a work, whose weights m has.
func prepare(name Name, k kernels.Impl, m *model.Model) (operation, error) {
	switch name.Operation {
	case Update:
		return update(k, m, name.Precision, bench.Sentences, bench.Words)
	case Step:
		return step(k, m, bench.Words)
	}
	return operation{}, fmt.Errorf("breakdown: no operation %q", name.Operation)
}
