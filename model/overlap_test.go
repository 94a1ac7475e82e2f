package model

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model/collective"
)

// TestParts: parts have every value once, none before a layer that reads it needs them, and none is sent before the last
// layer that adds to it is complete.
func TestParts(t *testing.T) {
	big := smallConfig
	big.Hidden, big.Alignment, big.Maxout, big.Embedding = 200, 150, 170, 100
	for _, base := range []Config{smallConfig, big} {
		eachVariant(t, base, func(t *testing.T, c Config) {
			sizes := c.sizes()
			p := newParameters(nil, c)
			parts := partsOf(c, sizes.used-p.embeddings)
			if base == big && len(parts) < 5 {
				t.Errorf("%d parts, want one for each layer at least", len(parts))
			}
			if !slices.IsSortedFunc(parts, func(a, b part) int { return int(a.need - b.need) }) {
				t.Errorf("parts %v are not in the order of need", parts)
			}
			count := make([]int, sizes.used-p.embeddings)
			for _, q := range parts {
				if q.from%collective.Block != 0 {
					t.Errorf("part %v does not begin with a block", q)
				}
				for i := range count[q.from:q.to] {
					count[q.from+i]++
				}
			}
			if slices.ContainsFunc(count, func(n int) bool { return n != 1 }) {
				t.Errorf("parts %v do not have every value once", parts)
			}
			a := &arena{}
			(*Parameters)(nil).each(c, nil, func(q parameter) {
				from := a.used - p.embeddings
				if a.next(q); q.table != nil {
					return
				}
				for _, part := range parts {
					if part.from < a.used-p.embeddings && from < part.to && (part.need > q.layer || q.layer.completesAfter(part.complete)) {
						t.Errorf("part %v has weights of layer %d", part, q.layer)
					}
				}
			})
		})
	}
}

// TestUnfinished: ranks save nothing before they finish, and one that is alone has nothing to finish.
func TestUnfinished(t *testing.T) {
	batch, path := shardBatches(smallConfig)[0], filepath.Join(t.TempDir(), "checkpoint")
	for _, size := range []int{1, 2} {
		onRanks(t, size, func(g *collective.Group) error {
			trainer, err := NewTrainer(kernels.Best(), randomModel(t, smallConfig, 51, 0.3), Recipe{Shards: 2}, shardCapacity)
			if err == nil {
				err = trainer.Join(g)
			}
			if err == nil {
				_, err = trainer.Update(batch)
			}
			if err != nil {
				return err
			}
			file := fmt.Sprint(path, g.Rank())
			if err := trainer.Save(file, ""); errors.Is(err, errUnfinished) != (size > 1) {
				return fmt.Errorf("%d ranks: Save before Finish: %v", size, err)
			}
			return errors.Join(trainer.Finish(), trainer.Save(file, ""), trainer.Finish())
		})
	}
}

// TestOverlapErrors: after an error of the transport a trainer has no weights to save.
func TestOverlapErrors(t *testing.T) {
	network := collective.NewLocal(2, collective.Link{})
	joined := make(chan error)
	var trainers [2]*Trainer
	for rank := range 2 {
		go func() {
			g, err := collective.New(network.Transport(rank))
			if err == nil {
				trainers[rank], err = NewTrainer(kernels.Best(), randomModel(t, smallConfig, 51, 0.3), Recipe{Shards: 2}, shardCapacity)
			}
			if err == nil {
				err = trainers[rank].Join(g)
			}
			if err == nil {
				_, err = trainers[rank].Update(shardBatches(smallConfig)[0])
			}
			joined <- err
		}()
	}
	if err := errors.Join(<-joined, <-joined); err != nil {
		t.Fatal(err)
	}
	network.Close() // as a rank that dies
	for _, trainer := range trainers {
		_, updated := trainer.Update(shardBatches(smallConfig)[1])
		for _, err := range []error{updated, trainer.Finish(), trainer.Save(filepath.Join(t.TempDir(), "checkpoint"), "")} {
			if !errors.Is(err, collective.ErrClosed) {
				t.Errorf("got %v, want %v", err, collective.ErrClosed)
			}
		}
		if trainer.Updates() != 1 {
			t.Errorf("%d updates, want 1", trainer.Updates())
		}
	}
}
