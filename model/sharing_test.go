package model

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model/text"
)

// TestSharedModel lets goroutines, each with a scorer and a stepper of its own, use one model at
// the same time.
func TestSharedModel(t *testing.T) {
	const goroutines = 6
	eachVariant(t, smallConfig, func(t *testing.T, c Config) {
		m, batch := randomModel(t, c, 40, 0.5), randomBatch(newRand(41), c, 5, 5, 6)
		want := scoreAll(t, m, batch)
		got := make([][]string, goroutines)
		var wait sync.WaitGroup
		for g := range goroutines {
			wait.Go(func() { got[g] = scoreAll(t, m, batch) })
		}
		wait.Wait()
		for g := range got {
			if !slices.Equal(got[g], want) {
				t.Errorf("goroutine %d: got %q, want %q", g, got[g], want)
			}
		}
	})
}

// scoreAll returns the bits of the loss of each pair and of the scores of the first word. It
// reports errors with t.Error alone, as it runs on any goroutine.
func scoreAll(t *testing.T, m *Model, batch []text.Example) []string {
	k := kernels.Best()
	w, err := NewScorer(k, m, capacityOf(batch))
	if err != nil {
		t.Error(err)
		return nil
	}
	s, err := NewStepper(k, m, stepperCapacity(1, 1, capacityOf(batch).SourceLength))
	if err != nil {
		t.Error(err)
		return nil
	}
	var results []string
	for i, e := range batch {
		loss, err := w.Loss(batch[i : i+1])
		if err != nil {
			t.Error(err)
			return nil
		}
		if err := s.Begin(e.Source); err != nil {
			t.Error(err)
			return nil
		}
		scores, err := s.Step([]int32{-1})
		if err != nil {
			t.Error(err)
			return nil
		}
		results = append(results, fmt.Sprintf("%x %x", loss, scores.Data))
	}
	return results
}
