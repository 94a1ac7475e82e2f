package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/spf13/cobra"

	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/cmd/files"
	"github.com/softsearch-go/softsearch/model/cmd/terminal"
	"github.com/softsearch-go/softsearch/model/decode"
	"github.com/softsearch-go/softsearch/model/text"
)

// scoreOptions are the flags of score.
type scoreOptions struct {
	model, source, target string
	output                textOutput
	words                 bool
	threads               int
}

func newScore() *cobra.Command {
	var o scoreOptions
	c := &cobra.Command{
		Use:   "score --model FILE --source FILE --target FILE",
		Short: "Print the log-probabilities of given translations",
		Long: `Print the log-probability of each given translation, one per line: the natural
logarithm of p(target | source), a tab, and the number of target words. Text is
of the kind the model was trained on, and words are those of the model, such as
segments of byte-pair encoding. The end of the sentence counts as a word, and a
word outside the vocabulary as <unk>. With --words, a third column lists each
word and its log-probability, </s> last. Totals go to standard error. A score
depends on its pair only.

Text is UTF-8 and may be compressed with gzip or zstd. A pair with an empty
line, or with one that is not UTF-8 or has more than 1 MiB or 10000 words, gets
the score -inf of the one word </s>, and a warning. Totals leave it out. At the
end, such pairs are an error: the exit code is 1.`,
		Example: trainExample + `
  head -n 3 /tmp/train.en > /tmp/score.en
  printf '%s\n' 'le chat dort dans le jardin' 'le chien dort dans le jardin' \
    'jardin le dans dort chat le' > /tmp/score.fr
  go run ./model/cmd/rnnsearch score --model /tmp/model.safetensors \
    --source /tmp/score.en --target /tmp/score.fr --words`,
		Args:             cobra.NoArgs,
		PersistentPreRun: stopOnSignal,
		RunE: func(c *cobra.Command, _ []string) error {
			return score(c.Context(), c.OutOrStdout(), c.ErrOrStderr(), o)
		},
	}
	c.Flags().StringVar(&o.model, "model", "", "`file` of the model")
	addPairs(c, &o.source, &o.target)
	o.output.add(c)
	c.Flags().BoolVar(&o.words, "words", false, "also print the log-probability of each word")
	addThreads(c, &o.threads)
	require(c, "model", "source", "target")
	return c
}

// score writes the scores of all pairs, and the totals to stderr. The output is complete even if the
// error tells of bad pairs.
func score(ctx context.Context, stdout, stderr io.Writer, o scoreOptions) error {
	if err := checkNumbers(number{"threads", o.threads, 1, maxThreads}); err != nil {
		return err
	}
	out, err := o.output.open(stdout, "", o.model, o.source, o.target)
	if err != nil {
		return err
	}
	defer out.Close()
	m, err := terminal.UntilInterrupted(ctx, func() (*model.Model, error) { return files.OpenModel(o.model) })
	if err != nil {
		return err
	}
	pairs, err := terminal.UntilInterrupted(ctx, func() ([]inputPair, error) { return readPairs(ctx, m, o.source, o.target) })
	if err != nil {
		return err
	}
	bad := &terminal.Warnings{W: stderr, Treatment: "scored as -inf"}
	warnOfPairs(bad, pairs)
	scores, err := scoreAll(ctx, terminal.ProgressOn(stderr), m, pairs, o)
	if ctx.Err() != nil {
		return terminal.ErrInterrupted
	}
	if err != nil {
		return err
	}
	if err := writeScores(out, scores, o.words); err != nil {
		return err
	}
	if err := out.Commit(); err != nil {
		return err
	}
	warnOfScores(bad, pairs, scores)
	if bad.N < len(scores) {
		fmt.Fprintln(stderr, totals(scores))
	}
	return bad.Failure(o.source+", "+o.target, len(scores))
}

// A scoredPair is a pair and its score, unless it is a bad one.
type scoredPair struct {
	inputPair
	decode.Translation
}

// scoreAll returns the scores of the pairs in their order.
func scoreAll(ctx context.Context, start terminal.Start, m *model.Model, pairs []inputPair, o scoreOptions) ([]scoredPair, error) {
	t, err := newTranslator(m, decode.Options{Threads: o.threads, NoAlignments: true})
	if err != nil {
		return nil, err
	}
	defer t.Close()
	scores := make([]scoredPair, len(pairs))
	var list []text.Pair
	var places []int // of the list in scores
	for i, p := range pairs {
		scores[i].inputPair = p
		if p.bad == nil {
			list, places = append(list, p.Pair), append(places, i)
		}
	}
	p := start("scoring", "pairs", len(list))
	failed, err := t.scorePairs(ctx, list, func(i int, r decode.Translation, bad error) {
		s := &scores[places[i]]
		s.Translation = r
		if bad != nil {
			s.bad = lineError(o.source, places[i]+1, bad)
		}
		p.Add(1, fmt.Sprintf("log p %.2f", r.LogProb))
	})
	p.Done()
	if err != nil {
		return nil, lineError(o.source, places[failed]+1, err)
	}
	return scores, nil
}

// warnOfPairs warns about the pairs that cannot be scored as they are.
func warnOfPairs(bad *terminal.Warnings, pairs []inputPair) {
	for _, p := range pairs {
		if p.bad != nil {
			bad.Add(p.bad)
		}
	}
}

// warnOfScores warns about the other pairs, those that scoreAll could not score.
func warnOfScores(bad *terminal.Warnings, pairs []inputPair, scores []scoredPair) {
	for i, s := range scores {
		if s.bad != nil && pairs[i].bad == nil {
			bad.Add(s.bad)
		}
	}
}

// writeScores writes one line per pair.
func writeScores(w io.Writer, scores []scoredPair, words bool) error {
	var b bytes.Buffer
	for _, s := range scores {
		if s.bad != nil {
			s = scoredPair{Translation: decode.Translation{
				LogProb: math.Inf(-1), LogProbs: []float64{math.Inf(-1)}, IDs: []int32{text.EOS},
			}}
		}
		fmt.Fprintf(&b, "%s\t%d", formatLogProb(s.LogProb), len(s.IDs))
		if words {
			b.WriteString(wordScores(s.Pair, s.Translation))
		}
		b.WriteByte('\n')
	}
	_, err := w.Write(b.Bytes())
	return err
}

// formatLogProb returns a log-probability in the digits of the output.
func formatLogProb(p float64) string {
	if math.IsInf(p, -1) {
		return "-inf" // %g has -Inf
	}
	return fmt.Sprintf("%.6g", p)
}

// totals returns the sum over the pairs that have a score.
func totals(scores []scoredPair) string {
	pairs, total := 0, mean{}
	for _, s := range scores {
		if s.bad == nil {
			pairs++
			total.add(s.LogProb, len(s.IDs))
		}
	}
	return fmt.Sprintf("%d pairs, %.0f target words: log p %.6g, %.6g per word, perplexity %.6g",
		pairs, total.Terms, total.Sum, total.value(), math.Exp(-total.value()))
}

// wordScores returns the third column: each target word and its log-probability.
func wordScores(p text.Pair, r decode.Translation) string {
	columns := make([]string, len(r.LogProbs))
	for i, word := range withEnd(p.Target) {
		columns[i] = word + " " + formatLogProb(r.LogProbs[i])
	}
	return "\t" + strings.Join(columns, " ")
}
