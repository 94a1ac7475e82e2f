//go:build linux

package main

import (
	"fmt"
	"math"
	"math/bits"
	"time"

	"github.com/softsearch-go/softsearch/bench"
	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/collective"
)

// RNNsearch-50 of the paper, and RNNsearch-50*, which was trained longer (Bahdanau, Cho and Bengio,
// 2014, Table 2), in updates of bench.Sentences pairs and in hours on a Quadro K-6000.
const (
	paperUpdates, paperHours   = 288_000, 111
	longerUpdates, longerHours = 667_000, 252
)

// The rest of a training.
const (
	corpusPairs       = 12_000_000
	validationPairs   = 6003 // of news-test-2012 and 2013, the paper's
	validationUpdates = 5000 // between two validations
	saveSeconds       = 600  // between two checkpoints
	testSentences     = 3003 // of news-test-2014
)

// seconds returns the processor time of a stage.
func (c *textCosts) seconds(stage string) float64 {
	s := c.costs[stage].processor
	if stage == tokenizing {
		s -= c.costs[reading].processor
	}
	return s
}

// growth returns the exponent of the number of pairs in the cost of a stage, from the two largest
// texts.
func growth(list []*textCosts, stage string) float64 {
	a, b := list[len(list)-2], list[len(list)-1]
	return math.Log(b.seconds(stage)/a.seconds(stage)) / math.Log(float64(b.pairs)/float64(a.pairs))
}

// secondsOf returns the processor time of a stage for that many pairs.
func secondsOf(list []*textCosts, stage string, pairs int) float64 {
	largest := list[len(list)-1]
	if stage == learning {
		pairs = min(pairs, max(maxSample, largest.pairs))
	}
	return largest.seconds(stage) * math.Pow(float64(pairs)/float64(largest.pairs), growth(list, stage))
}

// part returns the largest part of a batch that machines divide.
func part(machines int) int { return (bench.Sentences-1)/machines + 1 }

// A machine is what a machine with all its threads takes, in seconds.
type machine struct {
	text       float64         // on every machine
	update     map[int]float64 // of its part of a batch, by the pairs in it
	bytes      map[int]float64 // of the gradients of a whole batch, by its pairs; not seconds
	sum        float64         // to copy and add a byte of the gradients of two machines
	validation float64         // of one machine, for which the others wait
	save       float64         // the same
}

// machine returns what a machine takes to train a kind of model.
func (m *measurements) machine(kind int) machine {
	c, float32Costs := m.models[kind][1], m.models[float32s][1]
	k := machine{
		text:   secondsOf(m.corpora, batching, paperUpdates*bench.Sentences),
		update: map[int]float64{}, bytes: m.bytes, sum: m.sum, save: c[saving].elapsed,
		validation: validationPairs * (float32Costs[losing].elapsed + float32Costs[greedy].elapsed) / validated,
	}
	for _, stage := range toCache {
		k.text += secondsOf(m.corpora, stage, corpusPairs)
	}
	for _, n := range machines {
		k.update[part(n)] = c[updateOf(part(n))].elapsed
	}
	return k
}

// A plan is what a training takes on several machines, in seconds.
type plan struct {
	update, exchange                         float64 // of one update; its exchange is a part of it
	text, updates, validations, saves, total float64 // of all of them
	communication                            float64 // share of the total
}

// plan returns what the pairs of that many updates take. Machines divide batches of bench.Sentences
// pairs, or each has so many pairs of a batch.
func (m machine) plan(machines, updates int, divide bool, link collective.Link) plan {
	own, batch, count := bench.Sentences, bench.Sentences*machines, float64(updates)/float64(machines)
	if divide {
		own, batch, count = part(machines), bench.Sentences, float64(updates)
	}
	p := plan{exchange: exchange(m.bytes[batch], machines, link, m.sum), text: m.text}
	p.update = m.update[own] + p.exchange
	p.updates = count * p.update
	p.validations = float64(updates/validationUpdates) * m.validation
	p.saves = (p.updates + p.validations) / saveSeconds * m.save
	p.total = p.text + p.updates + p.validations + p.saves
	p.communication = count * p.exchange / p.total
	return p
}

// exchange returns the seconds in which ranks add vectors of that many bytes: each sends and receives a
// half, a quarter and so on of a vector, and then sums of the same lengths. sum is the time to copy and
// add a byte of two ranks.
func exchange(bytes float64, ranks int, link collective.Link, sum float64) float64 {
	moved := 2 * (1 - 1/float64(ranks)) * bytes
	t := moved * sum
	if link.Bandwidth > 0 {
		t += moved / link.Bandwidth
	}
	for range bits.Len(uint(ranks)) - 1 {
		bytes /= 2
		t += (math.Ceil(bytes/collective.MessageBytes) + 1) * link.Delay.Seconds()
	}
	return t
}

// gradientBytes returns the length of the gradients of a batch: those of the dense weights, and of the
// rows of embeddings of its words.
func gradientBytes(c model.Config, dense, pairs int) float64 {
	source, target := map[int32]bool{}, map[int32]bool{}
	for _, e := range batch(newRandom(), c, pairs, bench.Words) {
		for _, id := range e.Source {
			source[id] = true
		}
		for _, id := range e.Target {
			target[id] = true
		}
	}
	return 4 * float64(dense+c.Embedding*(len(source)+len(target)))
}

// A network is a link with a name.
type network struct {
	name string
	collective.Link
}

// networks are those of the page.
var networks = []network{
	newNetwork(1, 100*time.Microsecond), newNetwork(10, 50*time.Microsecond), newNetwork(100, 10*time.Microsecond),
}

// newNetwork returns a network of a bandwidth in 10^9 bits per second.
func newNetwork(gigabits float64, delay time.Duration) network {
	return network{fmt.Sprintf("%g Gbit/s, %v", gigabits, delay), collective.Link{Delay: delay, Bandwidth: gigabits / 8 * 1e9}}
}
