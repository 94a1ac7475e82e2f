package bench

import (
	"flag"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/text"
)

// A modelSize makes the weights of one size when a benchmark needs them, once.
type modelSize struct {
	name    string
	config  model.Config
	kernels func() *model.Model // weights of float32
	int8    func() *model.Model
	naive   func() *RNNsearch
}

// modelSizes are the sizes of the published model and smaller ones.
var modelSizes = []modelSize{
	newModelSize("small", Small),
	newModelSize("paper", Paper),
}

func newModelSize(name string, c model.Config) modelSize {
	untrained := func() *model.Model { return must(model.New(c, 1)) }
	return modelSize{
		name: name, config: c,
		kernels: sync.OnceValue(untrained),
		int8:    sync.OnceValue(func() *model.Model { return must(untrained().Quantize()) }),
		naive: sync.OnceValue(func() *RNNsearch {
			m := NewRNNsearch(c)
			copy(m.Values, newSource().uniform(len(m.Values), 0.02))
			return m
		}),
	}
}

// must returns v. It panics on an error.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func (s source) sentence(vocabulary int) []int32 {
	ids := make([]int32, Words)
	for i := range Words - 1 {
		ids[i] = 1 + int32(s.rng.IntN(vocabulary-1))
	}
	ids[Words-1] = text.EOS
	return ids
}

func perSecond(count int, things string) metric {
	return metric{things + "/s", func(ns float64) float64 { return float64(count) * 1e9 / ns }}
}

// weights returns the model with weights of that type.
func (s modelSize) weights(precision string) *model.Model {
	if precision == "int8" {
		return s.int8()
	}
	return s.kernels()
}

// sizes lists the sizes of a model that are not too large.
func sizes() []modelSize {
	if !full {
		return modelSizes[:1]
	}
	return modelSizes
}

// BenchmarkDecoderStep extends every hypothesis of one source sentence by a word and scores
// all words for the next. Naive Go has one thread and weights of float32.
func BenchmarkDecoderStep(b *testing.B) {
	for _, s := range sizes() {
		for _, size := range []struct{ threads, batch int }{{1, 1}, {1, 12}, {2, 1}, {2, 12}} {
			for _, precision := range []string{"float32", "int8"} {
				name := fmt.Sprintf("weights=%s/sizes=%s/threads=%d/batch=%d", precision, s.name, size.threads, size.batch)
				list := contenders("naive")
				if precision == "int8" || size.threads > 1 {
					list = contenders()
				}
				compare(b, list, name, perSecond(1, "steps"), func(c contender, r source) func() {
					team := kernels.NewTeam(size.threads)
					b.Cleanup(team.Close)
					c.k = c.k.With(team)
					sentence := r.sentence(s.config.SourceVocab)
					next := r.sentence(s.config.TargetVocab)[:size.batch]
					if c.naive {
						return s.naiveStep(sentence, next)
					}
					return step(c, s.weights(precision), sentence, next)
				})
			}
		}
	}
}

// step returns a step of m for hypotheses that are extended by the words next.
func step(c contender, m *model.Model, sentence, next []int32) func() {
	stepper := must(model.NewStepper(c.k, m, model.StepperCapacity{Sentences: 1, Hypotheses: len(next), Words: Words, Joining: Words}))
	if err := stepper.Begin(sentence); err != nil {
		panic(err)
	}
	must(stepper.Step([]int32{-1}))
	if err := stepper.Keep(make([]int, len(next))); err != nil {
		panic(err)
	}
	return func() { must(stepper.Step(next)) }
}

// naiveStep is step with naive Go, one hypothesis after the other.
func (s modelSize) naiveStep(sentence, next []int32) func() {
	stepper := NewStepper(s.naive())
	scores, states := make([]float32, len(next)*s.config.TargetVocab), make([]float32, len(next)*s.config.Hidden)
	run := func(i int, word int32) {
		v, h := s.config.TargetVocab, s.config.Hidden
		stepper.Step(scores[i*v:(i+1)*v], states[i*h:(i+1)*h], word)
	}
	for i := range next {
		stepper.Begin(states[i*s.config.Hidden:(i+1)*s.config.Hidden], sentence)
		run(i, -1)
	}
	return func() {
		for i, word := range next {
			run(i, word)
		}
	}
}

// BenchmarkTrainingUpdate takes one step of Adadelta on a batch, with the kernels on one thread
// and on two, in float32 and in bfloat16, and on one with dropout and label smoothing.
func BenchmarkTrainingUpdate(b *testing.B) {
	for _, s := range sizes() {
		for _, threads := range []int{1, 2} {
			s.updates(b, s.trainers(threads), fmt.Sprintf("threads=%d", threads), threads, model.Hyperparameters{})
			kernels := slices.DeleteFunc(s.trainers(threads), func(c contender) bool { return c.naive })
			s.updates(b, kernels, fmt.Sprintf("threads=%d/precision=bf16", threads), threads, model.Hyperparameters{Precision: model.BF16})
		}
	}
	p := 0.2
	regularized := model.Hyperparameters{Dropout: model.Dropout{Embedding: p, Context: p, Readout: p}, LabelSmoothing: 0.1}
	small := modelSizes[0]
	list := slices.DeleteFunc(small.trainers(1), func(c contender) bool { return c.naive })
	small.updates(b, list, "threads=1/dropout=0.2/smoothing=0.1", 1, regularized)
}

// updates compares updates of size s by a recipe, which naive Go ignores.
func (s modelSize) updates(b *testing.B, list []contender, name string, threads int, recipe model.Hyperparameters) {
	compare(b, list, "sizes="+s.name+"/"+name, perSecond(Sentences, "sentences"), func(c contender, r source) func() {
		batch := make([]text.Example, Sentences)
		for i := range batch {
			batch[i] = text.Example{Source: r.sentence(s.config.SourceVocab), Target: r.sentence(s.config.TargetVocab)}
		}
		if c.naive {
			trainer := NewTrainer(s.naive())
			return func() { trainer.Update(batch) }
		}
		team := kernels.NewTeam(threads)
		b.Cleanup(team.Close)
		capacity := model.Capacity{Sentences: Sentences, SourceLength: Words, TargetLength: Words}
		trainer := must(model.NewTrainer(c.k.With(team), s.kernels(), recipe, capacity))
		update := func() { must(trainer.Update(batch)) }
		update() // the first one touches the trainer's memory, which takes seconds at the paper's sizes
		return update
	})
}

var long = flag.Bool("long", false, "include Go without SIMD in the training update at the paper's sizes, which takes minutes")

// trainers returns the contenders of a training update. Naive Go has one thread. At the paper's sizes
// Go without SIMD needs -long; portable Go takes part where all sizes do.
func (s modelSize) trainers(threads int) []contender {
	return slices.DeleteFunc(contenders("naive"), func(c contender) bool {
		portable, slow := c.name == "go", s.name == "paper" && !*long
		return c.naive && (threads > 1 || slow) || portable && (slow || !full)
	})
}
