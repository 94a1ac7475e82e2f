package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/spf13/cobra"

	"github.com/softsearch-go/softsearch/model/decode"
	"github.com/softsearch-go/softsearch/model/text"
)

// scoreOptions are the flags of score.
type scoreOptions struct {
	model, source, target string
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
depends on its pair only.`,
		Example: trainExample + `
  head -n 3 /tmp/train.en > /tmp/score.en
  printf 'le chat dort dans le jardin\nle chien dort dans le jardin\njardin le dans dort chat le\n' > /tmp/score.fr
  go run ./model/cmd/rnnsearch score --model /tmp/model.safetensors --source /tmp/score.en --target /tmp/score.fr --words`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return score(c.Context(), c.OutOrStdout(), c.ErrOrStderr(), o)
		},
	}
	c.Flags().StringVar(&o.model, "model", "", "`file` of the model")
	addPairs(c, &o.source, &o.target)
	c.Flags().BoolVar(&o.words, "words", false, "also print the log-probability of each word")
	addThreads(c, &o.threads)
	require(c, "model", "source", "target")
	return c
}

// score writes the scores of all pairs, and the totals to stderr.
func score(ctx context.Context, stdout, stderr io.Writer, o scoreOptions) error {
	if err := checkNumbers(number{"threads", o.threads, 1, maxThreads}); err != nil {
		return err
	}
	m, err := openModel(o.model)
	if err != nil {
		return err
	}
	pairs, err := readPairs(m, o.source, o.target)
	if err != nil {
		return err
	}
	t, err := newTranslator(m, decode.Options{Threads: o.threads, NoAlignments: true})
	if err != nil {
		return err
	}
	defer t.Close()
	scores := make([]decode.Translation, len(pairs))
	p := progressOn(stderr)("scoring", unitPairs, len(pairs))
	n, err := t.scorePairs(ctx, pairs, func(i int, r decode.Translation) {
		scores[i] = r
		p.add(1, fmt.Sprintf("log p %.2f", r.LogProb))
	})
	p.done()
	if err != nil {
		return lineError(o.source, n+1, err)
	}
	return writeScores(stdout, stderr, pairs, scores, o.words)
}

// scorePairs calls f with the score of each pair, pairs[i], in any order. If pairs fail, it
// returns the number of pairs before one of them, and its error.
func (t *translator) scorePairs(ctx context.Context, pairs []text.Pair, f func(i int, r decode.Translation)) (n int, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	t.ScoreEach(ctx, text.Examples(pairs, t.model.Source, t.model.Target), func(i int, r decode.Translation, failure error) {
		switch {
		case failure == nil:
			f(i, r)
		case err == nil:
			n, err = i, failure
			cancel()
		}
	})
	return n, err
}

// writeScores writes one line per pair, and the totals to stderr.
func writeScores(stdout, stderr io.Writer, pairs []text.Pair, scores []decode.Translation, words bool) error {
	var b bytes.Buffer
	total := mean{}
	for i, p := range pairs {
		r := scores[i]
		total.add(r.LogProb, len(r.IDs))
		fmt.Fprintf(&b, "%.6g\t%d", r.LogProb, len(r.IDs))
		if words {
			b.WriteString(wordScores(p, r))
		}
		b.WriteByte('\n')
	}
	if _, err := stdout.Write(b.Bytes()); err != nil {
		return err
	}
	_, err := fmt.Fprintf(stderr, "%d pairs, %.0f target words: log p %.6g, %.6g per word, perplexity %.6g\n",
		len(pairs), total.Terms, total.Sum, total.value(), math.Exp(-total.value()))
	return err
}

// wordScores returns the third column: each target word and its log-probability.
func wordScores(p text.Pair, r decode.Translation) string {
	columns := make([]string, len(r.LogProbs))
	for i, word := range withEnd(p.Target) {
		columns[i] = fmt.Sprintf("%s %.6g", word, r.LogProbs[i])
	}
	return "\t" + strings.Join(columns, " ")
}
