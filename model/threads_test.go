package model

import (
	"testing"

	"github.com/softsearch-go/softsearch/kernels"
)

// TestThreadsSameBits takes three updates alone and with teams, at sizes whose products a
// team divides.
func TestThreadsSameBits(t *testing.T) {
	c := Config{Kind: Search, Order: UpdateFirst, SourceVocab: 301, TargetVocab: 307, Embedding: 49, Hidden: 67, Alignment: 41, Maxout: 48}
	updates := func(k kernels.Impl) (result training) {
		m := randomModel(t, c, 3, 0.3)
		trainer, err := NewTrainer(k, m, Capacity{Sentences: 16, SourceLength: 12, TargetLength: 12})
		if err != nil {
			t.Fatal(err)
		}
		r := newRand(4)
		for range 3 {
			loss, err := trainer.Update(randomBatch(r, c, 16, 12, 12))
			if err != nil {
				t.Fatal(err)
			}
			result.losses = append(result.losses, loss)
		}
		result.weights = m.Parameters.Values
		return result
	}
	want := updates(kernels.Best()).digest()
	teams := []int{1, 2, 3, 8}
	if testing.Short() {
		teams = []int{3}
	}
	for _, threads := range teams {
		team := kernels.NewTeam(threads)
		if got := updates(kernels.Best().With(team)).digest(); got != want {
			t.Errorf("%d threads: digest %#x, alone %#x", threads, got, want)
		}
		team.Close()
	}
}
