package model

import (
	"runtime"
	"testing"
	"time"

	"github.com/softsearch-go/softsearch/kernels"
)

// threadsConfig is large enough for a team to divide products and attention, whose columns do not
// divide evenly.
var threadsConfig = Config{
	Kind: RNNsearch, Order: UpdateFirst,
	SourceVocab: 301, TargetVocab: 1307, Embedding: 49, Hidden: 67, Alignment: 261, Maxout: 48,
}

// threadsCapacity is the capacity of the trainers in this file.
var threadsCapacity = Capacity{Sentences: 24, SourceLength: 30, TargetLength: 12}

// threadUpdates takes two updates. Its weights are those of Trainer.Model.
func threadUpdates(t *testing.T, k kernels.Impl, c Config, recipe Hyperparameters) (result training) {
	t.Helper()
	m := randomModel(t, c, 3, 0.3)
	trainer, err := NewTrainer(k, m, recipe, threadsCapacity)
	if err != nil {
		t.Fatal(err)
	}
	r := newRand(4)
	for range 2 {
		loss, err := trainer.Update(randomBatch(r, c, 24, 30, 12))
		if err != nil {
			t.Fatal(err)
		}
		result.losses = append(result.losses, loss)
	}
	result.weights = trainer.Model().Parameters.Values
	return result
}

// TestThreadsSameBits trains on teams, with every implementation for one variant. The weights are those of
// the fastest implementation without a team.
func TestThreadsSameBits(t *testing.T) {
	before := runtime.NumGoroutine()
	for name, recipe := range map[string]Hyperparameters{"float32": {}, "bf16": bf16, "regularized": regularized} {
		eachVariant(t, threadsConfig, func(t *testing.T, c Config) {
			first := nameOf(c) == nameOf(threadsConfig)
			if !full() && !first && name != "regularized" {
				return
			}
			implementations := kernels.Available()
			if !first || name == "float32" {
				implementations = implementations[:1]
			}
			want := threadUpdates(t, kernels.Best(), c, recipe).digest()
			for _, k := range implementations {
				for _, threads := range teamSizes(k) {
					team := kernels.NewTeam(threads)
					if got := threadUpdates(t, k.With(team), c, recipe).digest(); got != want {
						t.Errorf("%s, %s, %d threads: digest %#x, want %#x as without a team", name, k, threads, got, want)
					}
					team.Close()
				}
			}
		})
	}
	for deadline := time.Now().Add(5 * time.Second); runtime.NumGoroutine() > before; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d goroutines after Close, %d before", runtime.NumGoroutine(), before)
		}
	}
}

// teamSizes returns the numbers of threads to test with an implementation: fewer of portable Go, which is slow, unless tests are full.
func teamSizes(k kernels.Impl) []int {
	switch slow := k == portable(); {
	case !full() && slow:
		return nil
	case !full() || slow:
		return []int{3}
	}
	return []int{2, 5}
}

func TestThreadsAllocations(t *testing.T) {
	eachVariant(t, threadsConfig, func(t *testing.T, c Config) {
		if !full() && nameOf(c) != nameOf(threadsConfig) {
			return
		}
		team := kernels.NewTeam(2)
		defer team.Close()
		batch := randomBatch(newRand(4), c, 24, 30, 12)
		for _, recipe := range []Hyperparameters{{}, regularized, {Precision: BF16}} {
			trainer, err := NewTrainer(kernels.Best().With(team), randomModel(t, c, 3, 0.3), recipe, threadsCapacity)
			if err != nil {
				t.Fatal(err)
			}
			noAllocations(t, "Trainer.Update with a team", kernels.Best(), func() {
				if _, err := trainer.Update(batch); err != nil {
					t.Fatal(err)
				}
			})
		}
	})
}
