//go:build linux

package main

import (
	"fmt"
	"math"
	"time"

	"github.com/softsearch-go/softsearch/bench"
	"github.com/softsearch-go/softsearch/model/collective"
)

// A training. The updates are those of RNNsearch-50 in the paper, and of RNNsearch-50*, which was trained
// longer (Bahdanau, Cho and Bengio, 2014, Table 2), with bench.Sentences pairs each.
const (
	paperUpdates      = 288_000
	longerUpdates     = 667_000
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

// A plan is what a training takes on several machines with all their threads, in seconds.
type plan struct {
	Update, Exchange                         float64 // of one update; the exchange is what it takes longer than alone
	Text, Updates, Validations, Saves, Total float64 // of all of them
	Communication                            float64 // share of the total
}

// plan returns what the pairs of that many updates take with a kind of model. Machines divide batches of
// bench.Sentences pairs, or each has so many pairs of a batch. Every machine prepares the text; one
// validates and saves, and the others wait.
func (m *measurements) plan(kind, machines, updates int, divide bool, link collective.Link) plan {
	own, batch, count := bench.Sentences, bench.Sentences*machines, float64(updates)/float64(machines)
	if divide {
		own, batch, count = part(machines), bench.Sentences, float64(updates)
	}
	update := m.updates[group{kind, machines, batch, link}]
	if alone := m.models[kind][1][updateOf(own)].elapsed; machines == 1 {
		update = rankUpdate{Total: alone}
	} else {
		update.Exchange = max(0, update.Total-alone)
	}
	float32Costs := m.models[float32s][1]
	validation := validationPairs * (float32Costs[losing].elapsed + float32Costs[greedy].elapsed) / validated
	p := plan{
		Update: update.Total, Exchange: update.Exchange,
		Text:        secondsOf(m.corpora, batching, paperUpdates*bench.Sentences),
		Validations: float64(updates/validationUpdates) * validation,
	}
	for _, stage := range toCache {
		p.Text += secondsOf(m.corpora, stage, corpusPairs)
	}
	p.Updates = count * p.Update
	p.Saves = (p.Updates + p.Validations) / saveSeconds * m.models[kind][1][saving].elapsed
	p.Total = p.Text + p.Updates + p.Validations + p.Saves
	p.Communication = count * p.Exchange / p.Total
	return p
}

// networks are the links of the page.
var networks = []collective.Link{
	{Delay: 100 * time.Microsecond, Bandwidth: 1 * gigabit}, {Delay: 50 * time.Microsecond, Bandwidth: 10 * gigabit},
	{Delay: 10 * time.Microsecond, Bandwidth: 100 * gigabit},
}

const gigabit = 1e9 / 8 // in bytes

// nameOf returns the name of a link.
func nameOf(l collective.Link) string {
	if l == (collective.Link{}) {
		return "none"
	}
	return fmt.Sprintf("%g Gbit/s, %v", l.Bandwidth/gigabit, l.Delay)
}
