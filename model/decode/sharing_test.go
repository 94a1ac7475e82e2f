package decode

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/text"
)

// TestSharedModel lets goroutines, each with a translator and a workspace of its own, use
// one model at the same time.
func TestSharedModel(t *testing.T) {
	const goroutines, length = 6, 6
	eachVariant(t, smallConfig, func(t *testing.T, c model.Config) {
		m, r := randomModel(t, c, 40, 0.5), newRand(41)
		var sources [][]int32
		for n := range 5 {
			sources = append(sources, randomWords(r, n+1, c.SourceVocab))
		}
		want := translateAll(t, m, sources, length)
		got := make([][]string, goroutines)
		var wait sync.WaitGroup
		for g := range goroutines {
			wait.Go(func() { got[g] = translateAll(t, m, sources, length) })
		}
		wait.Wait()
		for g := range got {
			if !slices.Equal(got[g], want) {
				t.Errorf("goroutine %d: got %q, want %q", g, got[g], want)
			}
		}
	})
}

// translateAll returns the bits of translations, their alignments and log-probabilities.
// It reports errors with t.Error alone, as it runs on any goroutine.
func translateAll(t *testing.T, m *model.Model, sources [][]int32, length int) []string {
	k := kernels.Best()
	tr, err := NewBeam(k, Options{Beam: 4}, capacityFor(1, 5, length), m)
	if err != nil {
		t.Error(err)
		return nil
	}
	w, err := model.NewScorer(k, m, capacityFor(1, 5, length))
	if err != nil {
		t.Error(err)
		return nil
	}
	var results []string
	for _, source := range sources {
		best, err := tr.Translate(t.Context(), source, length)
		if err != nil {
			t.Error(err)
			return nil
		}
		r := best[0]
		loss, err := w.Loss([]text.Example{{Source: source, Target: r.IDs}})
		if err != nil {
			t.Error(err)
			return nil
		}
		results = append(results, fmt.Sprintf("%v %x %x %x", r.IDs, r.LogProb, loss, r.Alignment.Data))
	}
	return results
}
