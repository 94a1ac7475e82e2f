package model

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model/collective"
	"github.com/softsearch-go/softsearch/model/text"
)

// onRanks runs f on every rank of a group, each on a goroutine. If one fails, so do the others.
func onRanks(t *testing.T, size int, f func(g *collective.Group) error) {
	t.Helper()
	network := collective.NewLocal(size)
	var ranks sync.WaitGroup
	for rank := range size {
		ranks.Go(func() {
			g, err := collective.New(network.Transport(rank))
			if err == nil {
				err = f(g)
			}
			if err != nil {
				t.Errorf("rank %d of %d: %v", rank, size, err)
				network.Close()
			}
		})
	}
	ranks.Wait()
}

// shardCapacity and shardBatches are for trainings with 8 shards, some of which are empty.
var shardCapacity = Capacity{Sentences: 19, SourceLength: 8, TargetLength: 9}

func shardBatches(c Config) [][]text.Example {
	r := newRand(50)
	var list [][]text.Example
	for _, n := range []int{19, 8, 3, 16, 1, 12} {
		list = append(list, randomBatch(r, c, n, 8, 9))
	}
	return list
}

// A shardedTraining is what a few updates leave.
type shardedTraining struct {
	losses []float64
	norms  []float32
	state  [][]float32
}

// updateAll takes a step on each batch.
func (s *shardedTraining) updateAll(trainer *Trainer, batches [][]text.Example) error {
	for _, batch := range batches {
		loss, err := trainer.Update(batch)
		if err != nil {
			return err
		}
		s.norms = append(s.norms, trainer.gradients.norm(trainer.kernels))
		s.losses = append(s.losses, loss)
	}
	s.state = nil
	for _, tensor := range trainer.state() {
		s.state = append(s.state, slices.Clone(tensor.Data))
	}
	return nil
}

// check returns an error unless s has the bits of want.
func (s *shardedTraining) check(want *shardedTraining) error {
	if !slices.Equal(s.losses, want.losses) || s.norms != nil && !slices.Equal(s.norms, want.norms) {
		return fmt.Errorf("losses %v and norms %v, want %v and %v", s.losses, s.norms, want.losses, want.norms)
	}
	for i := range want.state {
		if j := differs(s.state[i], want.state[i]); j >= 0 {
			return fmt.Errorf("value %d of tensor %d of the state differs", j, i)
		}
	}
	return nil
}

// shardRecipes are the recipes whose updates differ.
var shardRecipes = map[string]Hyperparameters{
	"adadelta": {Shards: 8}, "bf16": {Shards: 8, Precision: BF16},
	"regularized": {
		Shards: 8, Seed: 3, Adam: &Adam{Rate: 0.01, Warmup: 3, Decay: 4},
		Dropout: Dropout{0.2, 0.1, 0.3}, LabelSmoothing: 0.1, Average: 0.5,
	},
}

// TestRanksSameBits trains with 1, 2, 4 and 8 ranks, the 4 with different implementations. Every rank ends
// with the losses, norms, weights and optimizer of one rank, whatever weights it began with.
func TestRanksSameBits(t *testing.T) {
	several := smallConfig // whose gradients have several blocks
	several.Hidden, several.Maxout, several.TargetVocab = 70, 60, 150
	for name, recipe := range shardRecipes {
		eachVariant(t, several, func(t *testing.T, c Config) {
			t.Run(name, func(t *testing.T) {
				if !full() && nameOf(c) != nameOf(smallConfig) && name != "regularized" {
					return
				}
				sizes := []int{4}
				if nameOf(c) == nameOf(smallConfig) && (full() || name == "regularized") {
					sizes = []int{1, 2, 4, 8}
				}
				var want shardedTraining
				batches := shardBatches(c)
				trainer, err := NewTrainer(kernels.Best(), randomModel(t, c, 51, 0.3), recipe, shardCapacity)
				if err == nil {
					err = want.updateAll(trainer, batches)
				}
				if err != nil {
					t.Fatal(err)
				}
				for _, size := range sizes {
					onRanks(t, size, func(g *collective.Group) error {
						k := kernels.Best()
						if implementations := kernels.Available(); size == 4 && len(sizes) > 1 {
							k = implementations[g.Rank()%len(implementations)]
						}
						trainer, err := NewTrainer(k, randomModel(t, c, uint64(51+g.Rank()), 0.3), recipe, shardCapacity)
						if err != nil {
							return err
						}
						if err := trainer.Join(g); err != nil {
							return err
						}
						var got shardedTraining
						if err := got.updateAll(trainer, batches); err != nil {
							return err
						}
						return got.check(&want)
					})
				}
			})
		})
	}
}

// TestRanksCheckpoint resumes on 2 ranks, and on one, a training begun on 4.
func TestRanksCheckpoint(t *testing.T) {
	for name, recipe := range shardRecipes {
		batches := shardBatches(smallConfig)
		path := filepath.Join(t.TempDir(), "checkpoint")
		var want shardedTraining
		onRanks(t, 4, func(g *collective.Group) error {
			trainer, err := NewTrainer(kernels.Best(), randomModel(t, smallConfig, 51, 0.3), recipe, shardCapacity)
			if err != nil {
				return err
			}
			if err := trainer.Join(g); err != nil {
				return err
			}
			var first, rest shardedTraining
			if err := first.updateAll(trainer, batches[:3]); err != nil {
				return err
			}
			if g.Rank() == 0 {
				if err := trainer.Save(path, ""); err != nil {
					return err
				}
			}
			if err := rest.updateAll(trainer, batches[3:]); err != nil || g.Rank() > 0 {
				return err
			}
			want = rest
			return nil
		})
		for _, size := range []int{1, 2} {
			onRanks(t, size, func(g *collective.Group) error {
				trainer, err := NewTrainer(kernels.Best(), randomModel(t, smallConfig, 7, 0.3), recipe, shardCapacity)
				if err != nil {
					return err
				}
				if g.Rank() == 0 {
					if _, err := trainer.Load(path); err != nil {
						return err
					}
				}
				if err := trainer.Join(g); err != nil {
					return err
				}
				if trainer.Updates() != 3 {
					return fmt.Errorf("%s: %d updates, want 3", name, trainer.Updates())
				}
				var got shardedTraining
				if err := got.updateAll(trainer, batches[3:]); err != nil {
					return err
				}
				return got.check(&want)
			})
		}
	}
}

// TestShardsGradient compares the gradient of shards with that of the undivided batch, which differs
// only by rounding.
func TestShardsGradient(t *testing.T) {
	eachVariant(t, smallConfig, func(t *testing.T, c Config) {
		for _, batch := range shardBatches(c) {
			of := func(shards int) (float64, []float32) {
				trainer, err := NewTrainer(kernels.Best(), randomModel(t, c, 52, 0.3), Hyperparameters{Shards: shards}, shardCapacity)
				if err != nil {
					t.Fatal(err)
				}
				loss, err := trainer.gradient(batch)
				if err != nil {
					t.Fatal(err)
				}
				return loss, trainer.gradients.Values
			}
			wantLoss, want := of(0)
			scale := kernels.Best().Norm(want)
			for _, shards := range []int{1, 2, 4, 16} {
				loss, got := of(shards)
				if math.Abs(loss-wantLoss) > 1e-6*wantLoss {
					t.Errorf("%d shards: loss %v, want %v", shards, loss, wantLoss)
				}
				for i := range want {
					if math.Abs(float64(got[i]-want[i])) > 1e-6*float64(scale) {
						t.Fatalf("%d shards: gradient %d is %v, want %v", shards, i, got[i], want[i])
					}
				}
				if shards == 1 && differs(got, want) >= 0 {
					t.Error("the gradient of 1 shard has other bits than without shards")
				}
			}
		}
	})
}

// TestShardsDropout: the shards of an update have masks of their own.
func TestShardsDropout(t *testing.T) {
	sentence := randomBatch(newRand(53), smallConfig, 1, 8, 9)[0]
	trainer, err := NewTrainer(kernels.Best(), randomModel(t, smallConfig, 54, 0.3), Hyperparameters{Shards: 4, Dropout: Dropout{Readout: 0.5}}, shardCapacity)
	if err != nil {
		t.Fatal(err)
	}
	losses := map[float64]bool{}
	for shard := range 4 {
		losses[trainer.shardGradient(shard, []text.Example{sentence})] = true
	}
	if len(losses) != 4 {
		t.Errorf("one sentence in 4 shards has losses %v, want 4 of them", losses)
	}
}

func TestShardsAllocations(t *testing.T) {
	batches := shardBatches(smallConfig)
	for _, shards := range []int{2, 8} {
		trainer, err := NewTrainer(kernels.Best(), randomModel(t, smallConfig, 51, 0.3), Hyperparameters{Shards: shards}, shardCapacity)
		if err != nil {
			t.Fatal(err)
		}
		noAllocations(t, fmt.Sprintf("Trainer.Update with %d shards", shards), kernels.Best(), func() {
			for _, batch := range batches {
				if _, err := trainer.Update(batch); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// TestShardsBytes compares TrainerBytes with what NewTrainer allocates.
func TestShardsBytes(t *testing.T) {
	m := randomModel(t, threadsConfig, 1, 0.1)
	for _, shards := range []int{2, 8} {
		r := Hyperparameters{Shards: shards}
		bytes := TrainerBytes(m.Config, r, threadsCapacity)
		got := allocated(t, func() error { _, err := NewTrainer(kernels.Best(), m, r, threadsCapacity); return err })
		if got < bytes || got > bytes+bytes/8+1<<16 {
			t.Errorf("%d shards: NewTrainer allocates %d bytes, want %d and at most an eighth more", shards, got, bytes)
		}
	}
}

// TestRanksNotFinite: every rank refuses an update whose gradient is infinite or NaN in one shard.
func TestRanksNotFinite(t *testing.T) {
	batch := randomBatch(newRand(55), smallConfig, 4, 8, 9)
	for i := range batch {
		for j := range batch[i].Source {
			batch[i].Source[j] = int32(i) // so that one shard has word 2
		}
	}
	onRanks(t, 4, func(g *collective.Group) error {
		m := randomModel(t, smallConfig, 51, 0.3)
		setWeight(t, m, "source.embedding", 2*smallConfig.Embedding, nan)
		trainer, err := NewTrainer(kernels.Best(), m, Hyperparameters{Shards: 4}, shardCapacity)
		if err != nil {
			return err
		}
		if err := trainer.Join(g); err != nil {
			return err
		}
		if _, err := trainer.Update(batch); !errors.Is(err, ErrNotFinite) || trainer.Updates() != 0 {
			return fmt.Errorf("%v after %d updates, want %w after 0", err, trainer.Updates(), ErrNotFinite)
		}
		return nil
	})
}

func TestShardsErrors(t *testing.T) {
	for _, shards := range []int{-2, 3, 2048} {
		if err := (Hyperparameters{Shards: shards}).Check(); !errors.Is(err, ErrConfig) {
			t.Errorf("%d shards: %v, want %v", shards, err, ErrConfig)
		}
	}
	join := func(size int, recipe func(rank int) Hyperparameters) (list []string) {
		errs := make([]string, size)
		onRanks(t, size, func(g *collective.Group) error {
			trainer, err := NewTrainer(kernels.Best(), randomModel(t, smallConfig, 51, 0.3), recipe(g.Rank()), shardCapacity)
			if err != nil {
				return err
			}
			if err := trainer.Join(g); err != nil {
				errs[g.Rank()] = err.Error()
			}
			return nil
		})
		return errs
	}
	for rank, got := range join(4, func(int) Hyperparameters { return Hyperparameters{Shards: 2} }) {
		if want := "invalid settings: 4 ranks, expected at most as many as shards, 2"; got != want {
			t.Errorf("rank %d: got %q, want %q", rank, got, want)
		}
	}
	for rank, got := range join(4, func(rank int) Hyperparameters {
		r := Hyperparameters{Shards: 4}
		if rank == 2 {
			r.Precision = BF16
		}
		return r
	}) {
		if !strings.HasPrefix(got, "rank 2 differs from rank 0: recipe ") || !strings.Contains(got, "; hash of the kernels' results ") {
			t.Errorf("rank %d: got %q, want the recipe and the results of rank 2", rank, got)
		}
	}
}

// TestRanksTransport: an update that the transport ends changes nothing.
func TestRanksTransport(t *testing.T) {
	network := collective.NewLocal(2)
	var ranks sync.WaitGroup
	for rank := range 2 {
		ranks.Go(func() {
			trainer, err := NewTrainer(kernels.Best(), randomModel(t, smallConfig, 51, 0.3), Hyperparameters{Shards: 2}, shardCapacity)
			if err != nil {
				t.Error(err)
				return
			}
			g, err := collective.New(network.Transport(rank))
			if err == nil {
				err = trainer.Join(g)
			}
			if err != nil {
				t.Error(err)
				return
			}
			if rank == 1 {
				network.Close() // as a rank that dies
				return
			}
			before := slices.Clone(trainer.model.Parameters.Values)
			_, err = trainer.Update(shardBatches(smallConfig)[0])
			if !errors.Is(err, collective.ErrClosed) || trainer.Updates() != 0 || differs(trainer.model.Parameters.Values, before) >= 0 {
				t.Errorf("error %v after %d updates, want %v and the weights as they were", err, trainer.Updates(), collective.ErrClosed)
			}
		})
	}
	ranks.Wait()
}
