//go:build linux

package main

import (
	"fmt"
	"io"
	"math"
	"math/bits"
	"time"

	"github.com/softsearch-go/softsearch/bench"
	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/collective"
)

// sentences is the number of sentences of each machine in an update.
const sentences = bench.Sentences

// write measures and writes the page.
func write(w io.Writer, c model.Config) error {
	alone, err := measure(c, 1, sentences, 3, collective.Link{})
	if err != nil {
		return err
	}
	pair, err := measure(c, 2, sentences, 3, collective.Link{})
	if err != nil {
		return err
	}
	fmt.Fprintf(w, `# Training on several machines

Written by go run ./bench/scale on %s.
The model is the paper's, in float32; every rank has one thread and %d sentences of %d + %d words in an
update. The bits of the result depend on the number of shards, and not on the number of machines.

## Measured: two ranks

Ranks are goroutines of one process, so a message without a network takes the time of a copy. Each sends
%.1f MB per update: the gradients of all weights but embeddings, and of the rows of embeddings of the
words in the batch. The table of embeddings itself has %.1f MB. One rank alone takes %s for an
update; two take %s, of which they exchange gradients for %s. Times are the processor time of
rank 0 and its time in exchanges, of which communication is the share; calculated is that of the formula
below.

| network | update | communication | calculated |
|---|---|---|---|
`, processor(), sentences, bench.Words, bench.Words,
		float64(pair.sent)/1e6, float64(4*c.Embedding*(c.SourceVocab+c.TargetVocab))/1e6,
		seconds(alone.total), seconds(pair.total), seconds(pair.exchange))
	for _, gigabits := range []float64{1, 10, 100} {
		for _, delay := range []time.Duration{50 * time.Microsecond, 5 * time.Millisecond} {
			n := newNetwork(gigabits, delay)
			u, err := measure(c, 2, sentences, 1, n.Link)
			if err != nil {
				return err
			}
			p := predict(alone, pair, 2, n.Link)
			fmt.Fprintf(w, "| %s | %s | %.1f %% | %.1f %% |\n", n.name, seconds(u.total), 100*u.share(), 100*p.share())
		}
	}
	return writePredictions(w, alone, pair)
}

// writePredictions writes what updates on more machines take.
func writePredictions(w io.Writer, alone, pair update) error {
	fmt.Fprintf(w, `
## Calculated: 1, 8 and 64 machines

An update of R machines takes that of one, and the exchange of N bytes of gradients: 2·(1-1/R)·N /
bandwidth, a delay for each message, and the copies of the exchange above. Cost is the time of all machines
for one pair of sentences; a batch has %d·R pairs. More threads shorten the rest of an update, and more
sentences lengthen it. N is that of the two ranks; a larger batch has more rows of embeddings, at most all.

| machines | network | update | pairs/s | cost of a pair | communication |
|---|---|---|---|---|---|
`, sentences)
	for _, machines := range []int{1, 8, 64} {
		for _, n := range []network{
			newNetwork(1, 100*time.Microsecond), newNetwork(10, 50*time.Microsecond), newNetwork(100, 10*time.Microsecond),
		} {
			u := predict(alone, pair, machines, n.Link)
			name := n.name
			if machines == 1 {
				name = "none"
			}
			pairs := float64(machines * sentences)
			if _, err := fmt.Fprintf(w, "| %d | %s | %s | %.1f | %.1f ms | %.1f %% |\n", machines, name, seconds(u.total),
				pairs/u.total.Seconds(), 1e3*u.total.Seconds()*float64(machines)/pairs, 100*u.share()); err != nil {
				return err
			}
			if machines == 1 {
				break
			}
		}
	}
	return nil
}

// predict returns the update of that many ranks on a network, from those of one rank and, without a
// network, of two, which send as many bytes as the gradients have.
func predict(alone, pair update, ranks int, link collective.Link) update {
	if ranks == 1 {
		return alone
	}
	part := 1 - 1/float64(ranks)
	bytes := float64(pair.sent)
	exchange := 2 * part * pair.exchange.Seconds() // memory
	exchange += 2 * part * bytes / link.Bandwidth
	half := bytes
	for range bits.Len(uint(ranks)) - 1 {
		half /= 2
		exchange += (math.Ceil(half/collective.MessageBytes) + 1) * link.Delay.Seconds()
	}
	t := time.Duration(exchange * float64(time.Second))
	return update{total: alone.total + t, exchange: t}
}

// seconds returns a duration in seconds.
func seconds(d time.Duration) string { return fmt.Sprintf("%.3f s", d.Seconds()) }
