package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/bleu"
	"github.com/softsearch-go/softsearch/model/text"
)

// demo is what the demonstration trains, and how long.
var demo = demoSettings{
	sentences: 40_000, heldOut: 200, maxLength: 14, vocab: 1_000,
	embedding: 32, hidden: 64, alignment: 32, maxout: 32,
	batch: 4, updates: 60_000, beam: 5, seed: 1,
	shown: 8,
}

type demoSettings struct {
	sentences, heldOut                   int // pairs to learn from and to translate
	maxLength                            int // most words of any of them on a side
	vocab                                int
	embedding, hidden, alignment, maxout int
	batch, updates, beam                 int
	seed                                 uint64
	shown                                int // translations shown
}

func newDemo() *cobra.Command {
	return &cobra.Command{
		Use:   "demo",
		Short: "Train on generated English and French and translate new sentences",
		Long: `Train a small model on English and French sentences that a grammar generates, translate
sentences that it has not seen, and show one of the alignments. It takes a minute or two.`,
		Example: `  go run ./model/cmd/rnnsearch demo`,
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return demo.run(c.OutOrStdout(), progressOn(c.ErrOrStderr()))
		},
	}
}

// run trains, translates and shows the results.
func (d demoSettings) run(stdout io.Writer, start progressFunc) error {
	train, heldOut := d.pairs()
	m, err := d.newModel(train)
	if err != nil {
		return err
	}
	l, err := newLearner(m, train, d.batch, d.seed)
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "%d pairs of generated sentences of up to %d words, %d different English and %d French ones\n%s\n",
		len(train), d.maxLength, m.Source.Size(), m.Target.Size(), description(m))
	learned, err := l.learn(d.updates, start("training", d.updates*d.batch))
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "%d updates of %d sentences in %s, %.1f sentences/s\n\n",
		d.updates, d.batch, learned.time.Round(100*time.Millisecond), learned.speed())
	results, err := d.translate(m, heldOut, start("translating", len(heldOut)))
	if err != nil {
		return err
	}
	_, err = io.WriteString(stdout, d.report(results))
	return err
}

// pairs generates the sentences.
func (d demoSettings) pairs() (train, heldOut []text.Pair) {
	const spare = 4 // about half of the generated sentences have more than 14 words
	train, heldOut = text.BuiltIn(d.seed, spare*d.sentences, spare*d.heldOut)
	train, _ = text.LimitLength(train, d.maxLength)
	heldOut, _ = text.LimitLength(heldOut, d.maxLength)
	return train[:min(len(train), d.sentences)], heldOut[:min(len(heldOut), d.heldOut)]
}

// newModel returns the model before training.
func (d demoSettings) newModel(train []text.Pair) (*model.Model, error) {
	c := corpus{train: train}
	if err := c.number(d.vocab); err != nil {
		return nil, err
	}
	return c.newModel(model.Config{
		Kind: model.Search, Order: model.UpdateFirst,
		Embedding: d.embedding, Hidden: d.hidden, Alignment: d.alignment, Maxout: d.maxout,
	}, d.seed)
}

// A result is a translated sentence.
type result struct {
	text.Pair
	translation []string
	alignment   alignment
}

// exact reports whether the translation is the reference, word for word.
func (r result) exact() bool { return slices.Equal(r.translation, r.Target) }

// translate translates the sources of the pairs.
func (d demoSettings) translate(m *model.Model, pairs []text.Pair, p progress) ([]result, error) {
	defer p.done()
	t := newTranslator(m, d.beam, 0)
	results := make([]result, len(pairs))
	for i, pair := range pairs {
		translation, err := t.translate(pair.Source)
		if err != nil {
			return nil, err
		}
		results[i] = result{pair, m.Target.Decode(translation.Words), newAlignment(m, pair.Source, translation)}
		p.add(1, "held-out sentences")
	}
	return results, nil
}

// report returns some translations, the quality of all, and an alignment.
func (d demoSettings) report(results []result) string {
	var b strings.Builder
	for _, r := range results[:min(d.shown, len(results))] {
		fmt.Fprintf(&b, "source       %s\ntranslation  %s\nreference    %s\n\n",
			strings.Join(r.Source, " "), strings.Join(r.translation, " "), strings.Join(r.Target, " "))
	}
	b.WriteString(quality(results))
	if r := d.leastMonotone(results); r != nil {
		fmt.Fprintf(&b, "\nwhere in the source (columns) the model looked for each word of the translation (rows):\n\n%s", r.alignment)
	}
	return b.String()
}

// quality returns the BLEU of all results and the number of those that are exact.
func quality(results []result) string {
	var s bleu.Statistics
	exact := 0
	for _, r := range results {
		s.Add(r.translation, r.Target)
		if r.exact() {
			exact++
		}
	}
	return fmt.Sprintf("%s\n%d of %d held-out sentences translated exactly as the reference\n", &s, exact, len(results))
}

// leastMonotone returns the result with the clearest steps back in its alignment, among
// those that are exact, or among all if none is. Translations that are too long for a map
// do not count.
func (d demoSettings) leastMonotone(results []result) *result {
	var best *result
	for i := range results {
		r := &results[i]
		if len(r.translation) > d.maxLength {
			continue
		}
		if best == nil || r.exact() && !best.exact() ||
			r.exact() == best.exact() && r.alignment.stepsBack() > best.alignment.stepsBack() {
			best = r
		}
	}
	return best
}
