package main

import (
	"github.com/spf13/cobra"

	"github.com/softsearch-go/softsearch/model/cmd/internal/translation"
)

type scoreOptions struct {
	translation.Scoring
	model  string
	output textOutput
	words  bool
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
			if err := checkNumbers(number{"threads", o.Threads, 1, maxThreads}); err != nil {
				return err
			}
			out, err := o.output.open(c.OutOrStdout(), "", o.model, o.Source, o.Target)
			if err != nil {
				return err
			}
			defer out.Close()
			return o.Run(c.Context(), o.model, o.words, out, c.ErrOrStderr())
		},
	}
	c.Flags().StringVar(&o.model, "model", "", "`file` of the model")
	addPairs(c, &o.Source, &o.Target)
	o.output.add(c)
	c.Flags().BoolVar(&o.words, "words", false, "also print the log-probability of each word")
	addThreads(c, &o.Threads)
	require(c, "model", "source", "target")
	return c
}
