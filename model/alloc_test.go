package model

import (
	"testing"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model/text"
)

// allocCapacity is the capacity in tests that count allocations.
var allocCapacity = Capacity{Sentences: 30, SourceLength: 9, TargetLength: 11}

// allocBatches returns a batch of the full capacity, then smaller ones.
func allocBatches(c Config) [][]text.Example {
	r := newRand(30)
	list := [][]text.Example{randomBatch(r, c, allocCapacity.Sentences, allocCapacity.SourceLength, allocCapacity.TargetLength)}
	for _, n := range []int{1, 17, 30, 4} {
		list = append(list, randomBatch(r, c, n, 1+r.IntN(allocCapacity.SourceLength), 1+r.IntN(allocCapacity.TargetLength)))
	}
	return list
}

// noAllocations fails if a call of f allocates after the first one.
func noAllocations(t *testing.T, what string, k kernels.Impl, f func()) {
	t.Helper()
	if n := testing.AllocsPerRun(3, f); n != 0 {
		t.Errorf("%s: %s: got %v allocations, want 0", k, what, n)
	}
}

func TestNoAllocations(t *testing.T) {
	eachVariant(t, smallConfig, func(t *testing.T, c Config) {
		eachImpl(t, func(t *testing.T, k kernels.Impl) {
			m, batches := randomModel(t, c, 31, 0.3), allocBatches(c)
			updateAllocations(t, k, m, Hyperparameters{}, batches)
			updateAllocations(t, k, m, regularized, batches)
			updateAllocations(t, k, m, Hyperparameters{Precision: BF16}, batches)
			for _, m := range []*Model{m, quantized(t, m)} {
				lossAllocations(t, k, m, batches)
				stepAllocations(t, k, m)
			}
		})
	})
}

func updateAllocations(t *testing.T, k kernels.Impl, m *Model, recipe Hyperparameters, batches [][]text.Example) {
	t.Helper()
	trainer, err := NewTrainer(k, m, recipe, allocCapacity)
	if err != nil {
		t.Fatal(err)
	}
	noAllocations(t, "Trainer.Update", k, func() {
		for _, batch := range batches {
			if _, err := trainer.Update(batch); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func lossAllocations(t *testing.T, k kernels.Impl, m *Model, batches [][]text.Example) {
	t.Helper()
	w, err := NewScorer(k, m, allocCapacity)
	if err != nil {
		t.Fatal(err)
	}
	logs := make([]float32, allocCapacity.TargetLength)
	alpha := kernels.NewMatrix(allocCapacity.TargetLength, allocCapacity.SourceLength)
	noAllocations(t, "Scorer.Loss", k, func() {
		for _, batch := range batches {
			if _, err := w.Loss(batch); err != nil {
				t.Fatal(err)
			}
		}
	})
	noAllocations(t, "Scorer.LogProbabilities and Alignment", k, func() {
		for i := range batches[len(batches)-1] {
			w.LogProbabilities(logs, i)
			w.Alignment(alpha, i)
		}
	})
}

func stepAllocations(t *testing.T, k kernels.Impl, m *Model) {
	t.Helper()
	s := stepperOf(t, k, m, 5, 9)
	source, parents := []int32{1, 2, 3, 4, 5, 6, 7, 8, 0}, []int{0, 0, 0, 0, 0}
	words := []int32{5, 4, 3, 2, 1}
	none := []int32{-1}
	steps := func(n int) {
		begin(t, s, source[len(source)-n:])
		for _, w := range [][]int32{none, words, words[:2], words[:1], words} {
			if _, err := s.Step(w); err != nil {
				t.Fatal(err)
			}
			if err := s.Keep(parents); err != nil {
				t.Fatal(err)
			}
		}
	}
	noAllocations(t, "Stepper", k, func() {
		for _, n := range []int{9, 1, 4} {
			steps(n)
		}
	})
}
