package bench

import (
	"sync"
	"testing"
	"time"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/collective"
	"github.com/softsearch-go/softsearch/model/text"
)

// BenchmarkRanks takes turns between updates of one trainer of two threads and of two ranks of one
// thread each, with the same batch. speed is that of the ranks by that of the threads, from the fastest
// update of each.
func BenchmarkRanks(b *testing.B) {
	for _, s := range modelSizes {
		b.Run("sizes="+s.name, func(b *testing.B) {
			if !full && s.name == "paper" {
				b.Skip("takes minutes")
			}
			r := newSource()
			batch := make([]text.Example, Sentences)
			for i := range batch {
				batch[i] = text.Example{Source: r.sentence(s.config.SourceVocab), Target: r.sentence(s.config.TargetVocab)}
			}
			capacity := model.CapacityOf(batch, len(batch))
			team := kernels.NewTeam(2)
			defer team.Close()
			threads := must(model.NewTrainer(kernels.Best().With(team), must(model.New(s.config, 1)), model.Hyperparameters{}, capacity))
			network := collective.NewLocal(2, collective.Link{})
			defer network.Close()
			var ranks [2]*model.Trainer
			onBoth(func(rank int) {
				ranks[rank] = must(model.NewTrainer(kernels.Best(), must(model.New(s.config, 1)), model.Hyperparameters{Shards: 2}, capacity))
				if err := ranks[rank].Join(must(collective.New(network.Transport(rank)))); err != nil {
					panic(err)
				}
			})
			best := [2]time.Duration{1 << 62, 1 << 62}
			for b.Loop() {
				start := time.Now()
				must(threads.Update(batch))
				between := time.Now()
				onBoth(func(rank int) { must(ranks[rank].Update(batch)) })
				best[0], best[1] = min(best[0], between.Sub(start)), min(best[1], time.Since(between))
			}
			b.ReportMetric(float64(best[0].Nanoseconds()), "threads-ns")
			b.ReportMetric(float64(best[1].Nanoseconds()), "ranks-ns")
			b.ReportMetric(float64(best[0])/float64(best[1]), "speed")
		})
	}
}

// onBoth runs f for two ranks at once.
func onBoth(f func(rank int)) {
	var both sync.WaitGroup
	for rank := range 2 {
		both.Go(func() { f(rank) })
	}
	both.Wait()
}
