package bench

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/text"
)

const (
	updates = 5000
	slice   = 500 // updates whose median time is a metric
)

// wordy configures a model whose weights are nearly all embeddings.
var wordy = model.Config{
	Kind: model.RNNsearch, Order: model.UpdateFirst,
	SourceVocab: 20000, TargetVocab: 100, Embedding: 64, Hidden: 16, Alignment: 16, Maxout: 8,
}

// BenchmarkUpdates trains a model on 5,000 batches, most of whose words are frequent, some
// rare. first-ns, middle-ns and last-ns are medians of 500 updates: until rare words come again,
// there is no decay of averages to make up for.
func BenchmarkUpdates(b *testing.B) {
	capacity := model.Capacity{Sentences: 4, SourceLength: 10, TargetLength: 3}
	for _, c := range translators() {
		b.Run("impl="+c.name, func(b *testing.B) {
			times := make([]float64, updates)
			for b.Loop() {
				r := newSource()
				source := rand.NewZipf(r.rng, 1.1, 1, uint64(wordy.SourceVocab-1))
				target := rand.NewZipf(r.rng, 1.1, 1, uint64(wordy.TargetVocab-1))
				trainer := must(model.NewTrainer(c.k, must(model.New(wordy, 1)), model.Hyperparameters{}, capacity))
				batch := make([]text.Example, capacity.Sentences)
				for update := range times {
					for i := range batch {
						batch[i] = text.Example{Source: drawn(source, capacity.SourceLength), Target: drawn(target, capacity.TargetLength)}
					}
					start := time.Now()
					must(trainer.Update(batch))
					times[update] = float64(time.Since(start).Nanoseconds())
				}
			}
			from := func(update int) float64 { return median(times[update : update+slice]) }
			first, middle, last := from(0), from((updates-slice)/2), from(updates-slice)
			b.ReportMetric(first, "first-ns")
			b.ReportMetric(middle, "middle-ns")
			b.ReportMetric(last, "last-ns")
			b.ReportMetric(last/first, "last/first")
		})
	}
}

func drawn(words *rand.Zipf, n int) []int32 {
	ids := make([]int32, n)
	for i := range ids {
		ids[i] = int32(words.Uint64())
	}
	return ids
}

func median(x []float64) float64 {
	sorted := slices.Sorted(slices.Values(x))
	return sorted[len(sorted)/2]
}
