//go:build linux

package main

import (
	"bytes"
	"errors"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/softsearch-go/softsearch/bench"
	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/cmd/corpus"
	"github.com/softsearch-go/softsearch/model/collective"
)

// little is a model whose every word is in each batch.
var little = model.Config{
	Kind: model.RNNsearch, Order: model.UpdateFirst,
	SourceVocab: 30, TargetVocab: 30, Embedding: 8, Hidden: 8, Alignment: 8, Maxout: 8,
}

// TestImagined: a machine among imagined ones sends what the last rank of a group of real ones sends, and waits for the
// network.
func TestImagined(t *testing.T) {
	const ranks, pairs = 4, 8
	c := little
	c.Hidden, c.TargetVocab = 80, 200 // gradients of several parts
	link := collective.Link{Delay: time.Millisecond}
	imagined, err := measureMachines(c, model.Float32, 1, ranks, pairs, []collective.Link{{}, link})
	if err != nil {
		t.Fatal(err)
	}
	var sent int64
	err = onRanks(ranks, collective.Link{}, func(g *collective.Group) error {
		m, err := model.New(c, 1)
		if err != nil {
			return err
		}
		list := batch(newRandom(), c, pairs, bench.Words)
		trainer, err := model.NewTrainer(kernels.Best(), m, model.Recipe{Shards: ranks}, model.CapacityOf(list, pairs))
		if err == nil {
			err = trainer.Join(g)
		}
		for i := 0; err == nil && i < 2; i++ { // of which the second one also finishes the first one
			before := g.Traffic().Sent
			if _, err = trainer.Update(list); g.Rank() == ranks-1 {
				sent = g.Traffic().Sent - before
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, u := range imagined {
		if math.Abs(float64(u.sent)/float64(sent)-1) > 0.02 { // the rows of another batch
			t.Errorf("link %d: %d bytes sent, %d by a real rank", i, u.sent, sent)
		}
	}
	if u := imagined[1]; u.Exchange < 2e-3 || u.Total <= u.Exchange {
		t.Errorf("got %+v, want at least two messages of 1 ms", u)
	}
}

// TestPlan calculates with each cost in turn.
func TestPlan(t *testing.T) {
	text := costs{tokenizing: {processor: 900}} // and reading
	for _, stage := range []string{reading, counting, learning, segmenting, choosing, encoding, batching} {
		text[stage] = cost{processor: 450}
	}
	m := measurements{
		corpora: []*textCosts{{costs: text, pairs: 10}, {costs: text, pairs: 100}},
	}
	m.models[float32s][1] = costs{
		updateOf(80): {elapsed: 8}, updateOf(10): {elapsed: 2}, updateOf(2): {elapsed: 1}, saving: {elapsed: 6},
		losing: {elapsed: 60. / validationPairs * validated}, greedy: {elapsed: 40. / validationPairs * validated},
	}
	link := networks[0]
	m.updates = map[group]rankUpdate{
		{float32s, 8, 80, link}: {Total: 3, Exchange: 0.5}, {float32s, 8, 640, link}: {Total: 12}, {float32s, 64, 80, link}: {Total: 1.5},
		{float32s, 8, 80, networks[1]}: {Total: 5}, {bf16s, 8, 80, link}: {Total: 5},
	}
	for _, test := range []struct {
		name     string
		machines int
		divide   bool
		want     plan
	}{
		{"one", 1, true, plan{Update: 8, Updates: 80_000, Validations: 200, Saves: 802}},
		{"divided", 8, true, plan{Update: 3, Exchange: 1, Updates: 30_000, Validations: 200, Saves: 302}},
		{"together", 8, false, plan{Update: 12, Exchange: 4, Updates: 15_000, Validations: 200, Saves: 152}},
		{"few pairs", 64, true, plan{Update: 1.5, Exchange: 0.5, Updates: 15_000, Validations: 200}},
	} {
		want := test.want
		want.Text = 3600
		want.Saves = (want.Updates + want.Validations) / 100
		want.Total = want.Text + want.Updates + want.Validations + want.Saves
		want.Communication = want.Updates * want.Exchange / want.Update / want.Total
		got := m.plan(float32s, test.machines, 10_000, test.divide, link)
		for i, pair := range [][2]float64{
			{got.Update, want.Update}, {got.Exchange, want.Exchange}, {got.Text, want.Text}, {got.Updates, want.Updates},
			{got.Validations, want.Validations}, {got.Saves, want.Saves}, {got.Total, want.Total}, {got.Communication, want.Communication},
		} {
			if math.Abs(pair[0]-pair[1]) > 1e-9*want.Total {
				t.Errorf("%s: number %d is %v, want %v", test.name, i, pair[0], pair[1])
			}
		}
	}
}

// TestGrowth extends costs that grow as pairs and as their square root, and learning to its sample only.
func TestGrowth(t *testing.T) {
	var list []*textCosts
	for _, n := range []int{30_000, 300_000, 3_000_000} {
		pairs := float64(n)
		list = append(list, &textCosts{pairs: n, costs: costs{
			reading: {processor: pairs}, tokenizing: {processor: 3 * pairs}, choosing: {processor: math.Sqrt(pairs)}, learning: {processor: pairs},
		}})
	}
	for _, test := range []struct {
		stage          string
		pairs          int
		exponent, want float64
	}{
		{reading, 12e6, 1, 12e6}, {tokenizing, 12e6, 1, 24e6}, {choosing, 12e6, 0.5, math.Sqrt(12e6)},
		{learning, 12e6, 1, maxSample}, {learning, 4e6, 1, 4e6},
	} {
		if got := secondsOf(list, test.stage, test.pairs); math.Abs(got/test.want-1) > 1e-9 {
			t.Errorf("%s: %v s for %d pairs, want %v s", test.stage, got, test.pairs, test.want)
		}
		if got := growth(list, test.stage); math.Abs(got-test.exponent) > 1e-9 {
			t.Errorf("%s: exponent %v, want %v", test.stage, got, test.exponent)
		}
	}
	list[2].pairs = 12e6
	if got := secondsOf(list, learning, 12e6); got != 3e6 {
		t.Errorf("learning from 12 million pairs: %v s, want those measured", got)
	}
}

// TestCosts keeps the lowest times and the highest peak, and no cost of a failure.
func TestCosts(t *testing.T) {
	c := costs{}
	for _, took := range []cost{{3, 4, 5}, {4, 3, 6}, {5, 5, 4}} {
		c.add("a", took)
	}
	if want := (cost{3, 3, 6}); c["a"] != want {
		t.Errorf("got %v, want %v", c["a"], want)
	}
	memory := 0
	if err := c.measure("b", func() error { memory = len(bytes.Repeat([]byte{1}, 64<<20)); return nil }); err != nil {
		t.Fatal(err)
	}
	if got := c["b"]; got.peak < int64(memory) || got.processor <= 0 || got.elapsed <= 0 {
		t.Errorf("got %+v for %d bytes", got, memory)
	}
	if err := c.measure("c", func() error { return collective.ErrClosed }); err == nil || c["c"] != (cost{}) {
		t.Errorf("failure: error %v, cost %v", err, c["c"])
	}
}

func TestNumbers(t *testing.T) {
	for x, want := range map[float64]string{0: "0", 0.0012345: "0.00123", 1.2345: "1.23", 12.345: "12.3", 123.45: "123", 12345.6: "12346", -0.5: "-0.500"} {
		if got := digits(x); got != want {
			t.Errorf("%v: got %s, want %s", x, got, want)
		}
	}
	for share, want := range map[float64]string{0: "0 %", 1e-9: "< 0.001 %", 0.0123: "1.23 %", 1: "100 %"} {
		if got := percent(share); got != want {
			t.Errorf("%v: got %s, want %s", share, got, want)
		}
	}
	for n, want := range map[int]string{7: "7", 999: "999", 1000: "1,000", 12_000_000: "12,000,000"} {
		if got := grouped(n); got != want {
			t.Errorf("%d: got %s, want %s", n, got, want)
		}
	}
}

// TestPage measures little text and a little model. The stages end with the examples of train, and the
// page has a number in every place.
func TestPage(t *testing.T) {
	m, err := measureAll(t.TempDir(), 1000, little, little)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range m.corpora {
		compareExamples(t, c)
		if c.short < c.pairs*3/4 || c.short == c.pairs && c.pairs > 100 || c.tokens < 20*c.pairs || c.words < 20*c.short {
			t.Errorf("%d pairs: %d of at most %d words, %d tokens, %d words", c.pairs, c.short, maxWords, c.tokens, c.words)
		}
	}
	sampled := *m.corpora[2]
	sampled.costs, sampled.sample = costs{}, 100
	if err := errors.Join(sampled.measureStages(), sampled.measureCommand(fromText)); err != nil {
		t.Fatal(err)
	}
	compareExamples(t, &sampled)
	if sampled.words == m.corpora[2].words {
		t.Error("the merges of a sample make as many words as those of all pairs")
	}

	var b bytes.Buffer
	if err := m.write(&b); err != nil {
		t.Fatal(err)
	}
	page := b.String()
	if bad := regexp.MustCompile(`NaN|Inf|<no value>|%!|\| 0 \|`).FindAllString(page, -1); bad != nil {
		t.Errorf("%q in\n%s", bad, page)
	}
	for table, rows := range map[string]int{"| stage ": 13, "| work, ms ": 10, "|  | number ": 5, "| machines ": 7, "| sizes ": 6} {
		_, body, _ := strings.Cut(page, table)
		body, _, _ = strings.Cut(body, "\n\n")
		if n := strings.Count(body, "\n| ") - 1; n != rows { // without the line of dashes
			t.Errorf("%s: %d rows, want %d", table, n, rows)
		}
	}
}

// compareExamples compares the cache that the stages have written with that of the command.
func compareExamples(t *testing.T, c *textCosts) {
	t.Helper()
	var list [2]*corpus.File
	for i, name := range []string{"own", "cache"} {
		f, err := corpus.Open(t.Context(), c.path(name), func(int) {})
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		list[i] = f
	}
	if list[0].Len() != list[1].Len() || list[0].Len() != c.short {
		t.Fatalf("%d pairs: %d examples, %d of train, %d counted", c.pairs, list[0].Len(), list[1].Len(), c.short)
	}
	for i := range c.short {
		got, _, err := list[0].Example(i, nil)
		if err != nil {
			t.Fatal(err)
		}
		want, _, err := list[1].Example(i, nil)
		if err != nil || !slices.Equal(got.Source, want.Source) || !slices.Equal(got.Target, want.Target) {
			t.Fatalf("%d pairs: example %d is %v, that of train %v, %v", c.pairs, i, got, want, err)
		}
	}
}
