package server

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/decode"
	"github.com/softsearch-go/softsearch/model/text"
)

const (
	benchmarkClients = 64
	benchmarkThreads = 2
)

// captions returns a model of the size for image captions, and lines of 3 to 60 of its words. EOS is
// so improbable that every translation takes all the words that it may have.
func captions(b *testing.B, n int) (*model.Model, []string) {
	b.Helper()
	words := []string{"</s>", "<unk>"}
	for len(words) < 10_000 {
		words = append(words, fmt.Sprint("w", len(words)))
	}
	v, err := text.VocabularyOf(words)
	if err != nil {
		b.Fatal(err)
	}
	m, err := model.New(model.Config{
		Kind: model.RNNsearch, Order: model.UpdateFirst, SourceVocab: len(words), TargetVocab: len(words),
		Embedding: 256, Hidden: 256, Alignment: 256, Maxout: 256,
	}, 1)
	if err != nil {
		b.Fatal(err)
	}
	m.Source, m.Target, m.Parameters.B[text.EOS] = v, v, -100
	r := rand.New(rand.NewPCG(1, 2))
	lines := make([]string, n)
	for i := range lines {
		line := make([]string, 3+r.IntN(58))
		for k := range line {
			line[k] = words[2+r.IntN(len(words)-2)]
		}
		lines[i] = strings.Join(line, " ")
	}
	return m, lines
}

// BenchmarkServer translates sentences of 3 to 60 words by requests over HTTP on loopback: 64 clients
// that send the next one when they have the last, and then sentences that arrive at random half as
// often. It reports the throughput, also relative to that of decode.Translator.Lines with all
// sentences, and the latencies at half load, also relative to the same sentence alone.
func BenchmarkServer(b *testing.B) {
	const sentences = 128
	m, lines := captions(b, sentences)
	for _, beam := range []int{1, 5} {
		b.Run(fmt.Sprintf("sizes=captions/beam=%d/clients=%d/threads=%d", beam, benchmarkClients, benchmarkThreads), func(b *testing.B) {
			o := decode.Options{Beam: beam, Threads: benchmarkThreads, NoAlignments: true}
			t, err := decode.New(m, o)
			if err != nil {
				b.Fatal(err)
			}
			defer t.Close()
			o.NoAlignments = false
			s, err := New(Options{Models: []Model{{Name: "m", Open: func() ([]*model.Model, error) { return []*model.Model{m}, nil }}}, Decoding: o})
			if err != nil {
				b.Fatal(err)
			}
			defer s.Close()
			client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: sentences}}
			defer client.CloseIdleConnections()
			send := sender(b, client, listen(b, s), lines)
			all(lines, benchmarkThreads, send)
			var file, load time.Duration
			var latencies, ratios []float64
			for b.Loop() {
				file += timed(func() {
					if _, err := t.Lines(b.Context(), lines); err != nil {
						b.Fatal(err)
					}
				})
				took := timed(func() { all(lines, benchmarkClients, send) })
				load += took
				alone := make([]time.Duration, len(lines))
				for i := range lines {
					alone[i] = timed(func() { send(i) })
				}
				for i, d := range arrivals(len(lines), 2*took, send) {
					latencies, ratios = append(latencies, d.Seconds()*1000), append(ratios, float64(d)/float64(alone[i]))
				}
			}
			slices.Sort(latencies)
			slices.Sort(ratios)
			b.ReportMetric(float64(len(latencies))/load.Seconds(), "sentences/s")
			b.ReportMetric(float64(file)/float64(load), "server/file")
			b.ReportMetric(latencies[len(latencies)/2], "p50-ms")
			b.ReportMetric(latencies[len(latencies)*99/100], "p99-ms")
			b.ReportMetric(ratios[len(ratios)/2], "p50/alone")
			b.ReportMetric(ratios[len(ratios)*99/100], "p99/alone")
		})
	}
}

// sender returns a function that has line i translated by the server at an address.
func sender(b *testing.B, client *http.Client, address string, lines []string) func(i int) {
	return func(i int) {
		answer, err := client.Post(address+"/v1/translate", "application/json", strings.NewReader(`{"text": "`+lines[i]+`"}`))
		if err != nil {
			b.Error(err)
			return
		}
		defer answer.Body.Close()
		if _, err := io.Copy(io.Discard, answer.Body); err != nil || answer.StatusCode != http.StatusOK {
			b.Errorf("status %d, %v", answer.StatusCode, err)
		}
	}
}

func timed(f func()) time.Duration {
	start := time.Now()
	f()
	return time.Since(start)
}

// all calls f for each line, from that many goroutines.
func all(lines []string, clients int, f func(i int)) {
	next := make(chan int)
	var group sync.WaitGroup
	for range clients {
		group.Go(func() {
			for i := range next {
				f(i)
			}
		})
	}
	for i := range lines {
		next <- i
	}
	close(next)
	group.Wait()
}

// arrivals calls f for each i below n at a random time within a duration, and returns how long the
// calls take.
func arrivals(n int, within time.Duration, f func(i int)) []time.Duration {
	took := make([]time.Duration, n)
	r := rand.New(rand.NewPCG(3, 4))
	var group sync.WaitGroup
	for i := range took {
		wait := time.Duration(r.Int64N(int64(within)))
		group.Go(func() {
			time.Sleep(wait)
			took[i] = timed(func() { f(i) })
		})
	}
	group.Wait()
	return took
}
