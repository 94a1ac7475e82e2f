package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"

	"github.com/spf13/cobra"

	"github.com/softsearch-go/softsearch/kernels"
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
		Long: `Print the probability that a model gives to each translation of a file, a line each: the
natural logarithm of p(target | source), a tab, and the number of target words. Both files
are written as the text that the model learned from, and words are the model's, segments if
it has byte-pair encoding. The end of the sentence counts as a word, and a word outside the
vocabulary as <unk>. With --words, a third column has each word and the logarithm of its
probability, </s> last. The whole is summed up on standard error. A score depends on its
pair alone.`,
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
	c.Flags().BoolVar(&o.words, "words", false, "print the log-probability of each word")
	addThreads(c, &o.threads)
	require(c, "model", "source", "target")
	return c
}

// score writes the scores of all pairs, and their sum to stderr.
func score(ctx context.Context, stdout, stderr io.Writer, o scoreOptions) error {
	if err := checkNumbers(number{"threads", o.threads, 1, mostThreads}); err != nil {
		return err
	}
	m, err := openModel(o.model)
	if err != nil {
		return err
	}
	pairs, err := readPairs(m, o.source, o.target, mostForced)
	if err != nil {
		return err
	}
	team := kernels.NewTeam(o.threads)
	defer team.Close()
	return writeScores(ctx, stdout, stderr, newForcer(kernels.Best().With(team), m), pairs, o.words)
}

// writeScores writes a line for each pair, and the sum of all to stderr.
func writeScores(ctx context.Context, stdout, stderr io.Writer, f *forcer, pairs []text.Pair, words bool) error {
	lines, logProbs := make([]string, len(pairs)), make([]float64, len(pairs))
	p := progressOn(stderr)("scoring", len(pairs))
	err := f.run(ctx, pairs, func(i int, r forced) {
		lines[i], logProbs[i] = scoreLine(pairs[i], r, words), r.logProb()
		p.add(1, fmt.Sprintf("log p %.2f", logProbs[i]))
	})
	p.done()
	if err != nil {
		return err
	}
	var b bytes.Buffer
	total := mean{}
	for i, line := range lines {
		b.WriteString(line)
		total.add(logProbs[i], len(pairs[i].Target)+1)
	}
	if _, err := stdout.Write(b.Bytes()); err != nil {
		return err
	}
	_, err = fmt.Fprintf(stderr, "%d pairs, %.0f target words: log p %.6g, %.6g per word, perplexity %.6g\n",
		len(pairs), total.Terms, total.Sum, total.value(), math.Exp(-total.value()))
	return err
}

// scoreLine returns the line of a pair.
func scoreLine(p text.Pair, r forced, words bool) string {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%.6g\t%d", r.logProb(), len(r.logProbs))
	if words {
		separator := "\t"
		for i, word := range withEnd(p.Target) {
			fmt.Fprintf(&b, "%s%s %.6g", separator, word, 0+float64(r.logProbs[i])) // 0 for -0
			separator = " "
		}
	}
	b.WriteByte('\n')
	return b.String()
}
