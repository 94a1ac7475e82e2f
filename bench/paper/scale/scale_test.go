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

// A counter counts what a rank sends.
type counter struct {
	collective.Transport
	messages, sent int
}

func (c *counter) Exchange(peer int, send, receive []byte) error {
	c.messages++
	c.sent += len(send)
	return c.Transport.Exchange(peer, send, receive)
}

// TestExchange compares bytes and delays with those of a group, and calculates with copies.
func TestExchange(t *testing.T) {
	const values = 3 * collective.MessageBytes / 4
	for _, ranks := range []int{2, 4, 8} {
		var first counter
		local := collective.NewLocal(ranks, collective.Link{})
		errs := make(chan error, ranks)
		for rank := range ranks {
			transport := local.Transport(rank)
			if rank == 0 {
				first.Transport = transport
				transport = &first
			}
			go func() {
				g, err := collective.New(transport)
				if err == nil {
					err = g.AllReduce(kernels.Best(), kernels.Alloc(values))
				}
				errs <- err
			}()
		}
		for range ranks {
			if err := <-errs; err != nil {
				t.Fatal(err)
			}
		}
		if got, want := exchange(4*values, ranks, collective.Link{Bandwidth: 1}, 0), float64(first.sent); got != want {
			t.Errorf("%d ranks: %v bytes calculated, %v sent", ranks, got, want)
		}
		if got, want := exchange(4*values, ranks, collective.Link{Delay: time.Second}, 0), float64(first.messages); got != want {
			t.Errorf("%d ranks: %v messages calculated, %v sent", ranks, got, want)
		}
	}
	if got := exchange(100, 4, collective.Link{}, 2); got != 300 {
		t.Errorf("copying and adding takes %v s, want 300 s", got)
	}
	if got := exchange(100, 1, collective.Link{Delay: time.Second, Bandwidth: 1}, 2); got != 0 {
		t.Errorf("one rank: %v s, want 0 s", got)
	}
}

// TestGradientBytes compares the bytes that a rank sends in an update with the calculation, and the
// exchange with the delays.
func TestGradientBytes(t *testing.T) {
	const loss = 8 // bytes
	m, err := model.New(little, 1)
	if err != nil {
		t.Fatal(err)
	}
	dense := len(m.Parameters.Values) - little.Embedding*(little.SourceVocab+little.TargetVocab)
	u, err := measureRanks(little, 2, 40, collective.Link{Delay: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	if want := gradientBytes(little, dense, 40) + loss; float64(u.sent) != want {
		t.Errorf("%d bytes sent, %v calculated", u.sent, want)
	}
	if u.Exchange < 2e-3 || u.Total <= u.Exchange {
		t.Errorf("got %+v, want two messages of 1 ms", u)
	}
}

// TestGradientRows: larger batches have more words, at most all of the vocabularies.
func TestGradientRows(t *testing.T) {
	c := bench.Small
	few, many := gradientBytes(c, 10, 1), gradientBytes(c, 10, 5000)
	if row := float64(4 * c.Embedding); few < 40+4*row || few > 40+2*bench.Words*row || many < 2000*row || many > 40+float64(c.SourceVocab+c.TargetVocab)*row {
		t.Errorf("%v bytes for one pair, %v for 5,000", few, many)
	}
}

// TestPlan calculates with each cost in turn.
func TestPlan(t *testing.T) {
	text := costs{tokenizing: {processor: 900}} // and reading
	for _, stage := range []string{reading, counting, learning, segmenting, choosing, encoding, batching} {
		text[stage] = cost{processor: 450}
	}
	m := measurements{
		corpora: []*textCosts{{costs: text, pairs: 10}, {costs: text, pairs: 100}}, bytes: map[int]float64{80: 4e9, 640: 16e9},
	}
	m.models[float32s][1] = costs{
		updateOf(80): {elapsed: 8}, updateOf(10): {elapsed: 2}, updateOf(2): {elapsed: 1}, saving: {elapsed: 6},
		losing: {elapsed: 60. / validationPairs * validated}, greedy: {elapsed: 40. / validationPairs * validated},
	}
	link := collective.Link{Bandwidth: 7e9} // 1 s for the bytes of 80 pairs on 8 machines
	for _, test := range []struct {
		name     string
		machines int
		divide   bool
		want     plan
	}{
		{"one", 1, true, plan{Update: 8, Updates: 80_000, Validations: 200, Saves: 802}},
		{"divided", 8, true, plan{Update: 3, Exchange: 1, Updates: 30_000, Validations: 200, Saves: 302}},
		{"together", 8, false, plan{Update: 12, Exchange: 4, Updates: 15_000, Validations: 200, Saves: 152}},
		{"few pairs", 64, true, plan{Update: 1 + 2*63./64*4/7, Exchange: 2 * 63. / 64 * 4 / 7, Updates: 1e4 + 2e4*63/64*4/7, Validations: 200}},
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
