package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/bleu"
	"github.com/softsearch-go/softsearch/model/decode"
	"github.com/softsearch-go/softsearch/model/text"
	"github.com/softsearch-go/softsearch/model/text/grammar"
)

// demo is what the demonstration trains, and how long. The model learns where to look on
// short sentences first, which takes it a fraction of the updates that long ones take.
var demo = demoSettings{
	sentences: 60_000, heldOut: 200, vocab: 1_000,
	embedding: 32, hidden: 64, alignment: 32, maxout: 32,
	stages: []stage{{words: 10, updates: 9_000}, {words: 20, updates: 7_000}, {words: 81, updates: 14_000}},
	batch:  8, beam: 5, seed: 1,
	shown: 8, mapWords: 14,
}

type demoSettings struct {
	sentences, heldOut                   int // pairs to learn from and to translate
	vocab                                int
	embedding, hidden, alignment, maxout int
	stages                               []stage
	batch, beam                          int
	seed                                 uint64
	shown                                int // translations shown
	mapWords                             int // most words on a side of the alignment shown
	threads                              int
}

// A stage is a part of the training on the sources of up to so many words, EOS included.
type stage struct{ words, updates int }

func newDemo() *cobra.Command {
	d := demo
	c := &cobra.Command{
		Use:   "demo",
		Short: "Train on generated English and French and translate new sentences",
		Long: `Train a small model on English and French sentences that a grammar generates, translate
sentences that it has not seen, and show one of the alignments. It takes a minute or two.`,
		Example: `  go run ./model/cmd/rnnsearch demo`,
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := checkNumbers(number{"threads", d.threads, 1, mostThreads}); err != nil {
				return err
			}
			return d.run(c.Context(), c.OutOrStdout(), progressOn(c.ErrOrStderr()))
		},
	}
	addThreads(c, &d.threads)
	return c
}

// run trains, translates and shows the results.
func (d demoSettings) run(ctx context.Context, stdout io.Writer, start progressFunc) error {
	train, heldOut := grammar.Pairs(d.seed, d.sentences, d.heldOut)
	m, err := d.newModel(train)
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "%d pairs of generated sentences of 3 to 80 words, %d different English and %d French ones\n%s\n",
		len(train), m.Source.Size(), m.Target.Size(), description(m))
	if err := d.train(ctx, stdout, m, train, start); err != nil {
		return err
	}
	results, err := d.translate(ctx, m, heldOut, start("translating", len(heldOut)))
	if err != nil {
		return err
	}
	_, err = io.WriteString(stdout, d.report(results))
	return err
}

// train trains m stage by stage.
func (d demoSettings) train(ctx context.Context, stdout io.Writer, m *model.Model, pairs []text.Pair, start progressFunc) error {
	l, err := newTrainer(m, pairs, model.Recipe{}, d.batch, d.seed, d.threads)
	if err != nil {
		return err
	}
	defer l.close()
	for _, s := range d.stages {
		if err := l.limitSource(s.words); err != nil {
			return err
		}
		title := fmt.Sprintf("up to %d words", s.words-1)
		learned, err := l.updates(ctx, s.updates, start(title, s.updates*l.batchSize))
		if err != nil {
			return err
		}
		fmt.Fprintf(stdout, "%s: %d updates of %d sentences in %s, %.1f sentences/s, loss %.4f per word\n",
			title, s.updates, l.batchSize, learned.time.Round(100*time.Millisecond), learned.speed(), learned.loss)
	}
	fmt.Fprintln(stdout)
	return nil
}

// newModel returns the model before training.
func (d demoSettings) newModel(train []text.Pair) (*model.Model, error) {
	c := corpus{train: train}
	if err := c.buildVocabularies(d.vocab); err != nil {
		return nil, err
	}
	return c.newModel(model.Config{
		Kind: model.RNNsearch, Order: model.UpdateFirst,
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
func (d demoSettings) translate(ctx context.Context, m *model.Model, pairs []text.Pair, p progress) ([]result, error) {
	defer p.done()
	t := newTranslator(decode.Options{Beam: d.beam}, 0, d.threads, m)
	results := make([]result, len(pairs))
	_, err := t.translate(ctx, slices.Collect(text.Sources(pairs)), func(i int, best []decode.Translation) {
		results[i] = result{pairs[i], m.Target.Decode(best[0].IDs), newAlignment(m, pairs[i].Source, best[0])}
		p.add(1, "held-out sentences")
	})
	return results, err
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
		if max(len(r.Source), len(r.translation)) > d.mapWords {
			continue
		}
		if best == nil || r.exact() && !best.exact() ||
			r.exact() == best.exact() && r.alignment.stepsBack() > best.alignment.stepsBack() {
			best = r
		}
	}
	return best
}
