package bench

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/decode"
	"github.com/softsearch-go/softsearch/model/text"
)

const (
	translated = 64 // sentences
	shortest   = 7  // words of a sentence with its end
	longest    = 21
	clients    = 64 // of a load
)

// captions is a model of the size for image captions. EOS is so improbable that every
// translation takes all the words that it may have.
var captions = sync.OnceValue(func() *model.Model {
	m := must(model.New(model.Config{
		Kind: model.RNNsearch, Order: model.UpdateFirst,
		SourceVocab: 10000, TargetVocab: 10000, Embedding: 256, Hidden: 256, Alignment: 256, Maxout: 256,
	}, 1))
	m.Parameters.B[text.EOS] = -100
	return m
})

var captionsInt8 = sync.OnceValue(func() *model.Model { return must(captions().Quantize()) })

// BenchmarkTranslate translates sentences of different lengths, a batch on each thread at a time.
func BenchmarkTranslate(b *testing.B) {
	for _, size := range []struct{ beam, batch, threads int }{
		{1, 1, 1}, {1, 8, 1}, {1, 16, 1}, {1, 32, 1}, {1, 32, 2}, {1, 64, 1},
		{5, 1, 1}, {5, 16, 1}, {5, 16, 2},
		{12, 1, 1}, {12, 4, 1}, {12, 8, 1}, {12, 8, 2},
	} {
		if !full && size.batch != 16 {
			continue
		}
		for _, weights := range []struct {
			name  string
			model func() *model.Model
		}{{"float32", captions}, {"int8", captionsInt8}} {
			name := fmt.Sprintf("weights=%s/sizes=captions/beam=%d/batch=%d/threads=%d", weights.name, size.beam, size.batch, size.threads)
			compare(b, translators(), name, perSecond(translated, "sentences"), func(c contender, r source) func() {
				t := must(decode.New(weights.model(), decode.Options{Beam: size.beam, Threads: size.threads, Kernels: &c.k}))
				b.Cleanup(t.Close)
				run := translation(b, t, r.captions(), size.batch*size.threads)
				run() // a Translator allocates at its first sentences
				return run
			})
		}
	}
}

// translation returns a function that translates the sentences, so many at a time.
func translation(b *testing.B, t *decode.Translator, list []decode.Sentence, together int) func() {
	return func() {
		for part := range slices.Chunk(list, together) {
			t.Each(b.Context(), part, func(_ int, _ []decode.Translation, err error) {
				if err != nil {
					b.Fatal(err)
				}
			})
		}
	}
}

// translators returns the implementations of the kernels but portable Go, which takes minutes.
func translators() []contender {
	return slices.DeleteFunc(contenders(), func(c contender) bool { return c.name == "go" })
}

// captions returns the sentences to translate, the longest first.
func (s source) captions() []decode.Sentence {
	list := s.mixed(translated, shortest, longest, captions().Config.SourceVocab)
	slices.SortFunc(list, func(a, b decode.Sentence) int { return b.MaxLength - a.MaxLength })
	return list
}

// mixed returns n sentences of from to to ids, with translations of the same length.
func (s source) mixed(n, from, to, vocabulary int) []decode.Sentence {
	list := make([]decode.Sentence, n)
	for i := range list {
		length := from + s.rng.IntN(to-from+1)
		ids := make([]int32, length)
		for j := range length - 1 {
			ids[j] = int32(text.UNK) + 1 + int32(s.rng.IntN(vocabulary-2))
		}
		ids[length-1] = text.EOS
		list[i] = decode.Sentence{Source: ids, MaxLength: length}
	}
	return list
}

// endless is the model of the paper with the bias of captions.
var endless = sync.OnceValue(func() *model.Model {
	m := must(model.New(Paper, 1))
	m.Parameters.B[text.EOS] = -100
	return m
})

// BenchmarkLoad translates sentences of 3 to 60 words on two threads: in one call as a file, one
// by one on each thread, and by 64 clients that send the next one when they have the last. It reports
// the throughput of the clients relative to the others, and how long a sentence takes relative to
// the same one alone, where sentences arrive at random half as often as the clients send them.
func BenchmarkLoad(b *testing.B) {
	for _, size := range []struct {
		name      string
		model     func() *model.Model
		sentences int
	}{{"captions", captions, 512}, {"paper", endless, 192}} {
		for _, beam := range []int{1, 5} {
			if !full && (size.name == "paper" || beam == 5) {
				continue
			}
			b.Run(fmt.Sprintf("sizes=%s/beam=%d/clients=%d/threads=2", size.name, beam, clients), func(b *testing.B) {
				t := must(decode.New(size.model(), decode.Options{Beam: beam, Threads: 2, NoAlignments: true}))
				b.Cleanup(t.Close)
				list := newSource().mixed(size.sentences, 4, 61, size.model().Config.SourceVocab)
				if !full {
					list = list[:clients]
				}
				request(b, t, list, 2)
				var file, single, load time.Duration
				var slowness []float64
				for b.Loop() {
					file += timed(translation(b, t, list, len(list)))
					single += timed(func() { request(b, t, list, 2) })
					took := timed(func() { request(b, t, list, clients) })
					load += took
					slowness = append(slowness, arrivals(b, t, list, 2*took)...)
				}
				slices.Sort(slowness)
				b.ReportMetric(float64(len(list)*b.N)/load.Seconds(), "sentences/s")
				b.ReportMetric(float64(file)/float64(load), "load/file")
				b.ReportMetric(float64(single)/float64(load), "load/single")
				b.ReportMetric(slowness[len(slowness)/2], "p50/alone")
				b.ReportMetric(slowness[len(slowness)*99/100], "p99/alone")
			})
		}
	}
}

func timed(f func()) time.Duration {
	start := time.Now()
	f()
	return time.Since(start)
}

// request translates the sentences, each in a call of its own, by that many clients.
func request(b *testing.B, t *decode.Translator, list []decode.Sentence, clients int) {
	var wait sync.WaitGroup
	requests := make(chan int, len(list))
	for i := range list {
		requests <- i
	}
	close(requests)
	for range clients {
		wait.Go(func() {
			for i := range requests {
				t.Each(b.Context(), list[i:i+1], func(_ int, _ []decode.Translation, err error) {
					if err != nil {
						b.Error(err)
					}
				})
			}
		})
	}
	wait.Wait()
}

// arrivals translates each sentence alone, and again as it arrives at a random time within the
// duration. It returns the ratios of the times.
func arrivals(b *testing.B, t *decode.Translator, list []decode.Sentence, within time.Duration) []float64 {
	ratios, times := make([]float64, len(list)), make([]float64, len(list))
	r := rand.New(rand.NewPCG(1, 2))
	for i := range list {
		ratios[i] = 1 / timed(func() { request(b, t, list[i:i+1], 1) }).Seconds()
		times[i] = r.Float64() * within.Seconds()
	}
	start := time.Now()
	var wait sync.WaitGroup
	for i := range list {
		wait.Go(func() {
			time.Sleep(time.Duration(times[i]*1e9) - time.Since(start))
			ratios[i] *= timed(func() { request(b, t, list[i:i+1], 1) }).Seconds()
		})
	}
	wait.Wait()
	return ratios
}
