package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/decode"
	"github.com/softsearch-go/softsearch/model/text"
)

// alignedWords bounds the words of a sentence, EOS included, and of the sentences whose weights
// are in memory at a time.
const alignedWords = 2048

// alignOptions are the flags of align.
type alignOptions struct {
	model, source, target string
	picture               picture
	beam, threads         int
}

func newAlign() *cobra.Command {
	var o alignOptions
	c := &cobra.Command{
		Use:   "align --model FILE",
		Short: "Show where a model looks in the source for each word of a translation",
		Long: `Show which words of the source a model attends to as it predicts each word of the target:
of given pairs, with --source and --target, else of standard input, whose lines are
translated. Text is written as the text that the model learned from, and words are the
model's, segments if it has byte-pair encoding. The formats are

  pharaoh  a line a sentence: i-j for the target word j and the source word i, counted from 0,
           that has the largest weight; words aligned with </s>, and </s> itself, have no link;
           where standard input is translated, the words of the translation and ||| before
  json     an object a line: source, target, weights (target×source) and log_prob of the target;
           the ends of both sentences are there as <end>
  map      a heat map of letters for each sentence
  svg      a figure of all sentences: source words across, target words down, black for the
           weight 0 and white for 1
  png      the same, with letters for Latin, Greek and Cyrillic

An empty line of standard input has no alignment.`,
		Example: trainExample + `
  echo 'the dog eats in the house' | go run ./model/cmd/rnnsearch align --model /tmp/model.safetensors
  head -n 2 /tmp/train.en > /tmp/two.en
  head -n 2 /tmp/train.fr > /tmp/two.fr
  go run ./model/cmd/rnnsearch align --model /tmp/model.safetensors --source /tmp/two.en --target /tmp/two.fr --format svg > /tmp/two.svg`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return align(c.Context(), c.OutOrStdout(), c.InOrStdin(), o)
		},
	}
	c.Flags().StringVar(&o.model, "model", "", "`file` of the model")
	addPairs(c, &o.source, &o.target)
	o.picture.flags(c, alignmentFormats)
	c.Flags().IntVar(&o.beam, "beam", 5, "hypotheses that the search keeps where standard input is translated")
	addThreads(c, &o.threads)
	require(c, "model")
	c.MarkFlagsRequiredTogether("source", "target")
	c.MarkFlagsMutuallyExclusive("beam", "source")
	return c
}

// align writes the alignments of the pairs or of the translations of stdin.
func align(ctx context.Context, stdout io.Writer, stdin io.Reader, o alignOptions) error {
	if err := o.picture.check(alignmentFormats); err != nil {
		return err
	}
	err := checkNumbers(number{"beam", o.beam, 1, mostHypotheses}, number{"threads", o.threads, 1, mostThreads})
	if err != nil {
		return err
	}
	m, err := openModel(o.model)
	if err != nil {
		return err
	}
	if !hasAlignments(m) {
		return fmt.Errorf("%s: model of kind %s has no alignments, expected %s", o.model, m.Config.Kind, model.RNNsearch)
	}
	out := newAlignmentOutput(stdout, o.picture, o.source == "")
	if o.source == "" {
		err = alignTranslations(ctx, out, stdin, newTranslator(decode.Options{Beam: o.beam}, 0, o.threads, m))
	} else {
		err = alignPairs(ctx, out, m, o)
	}
	if err != nil {
		return err
	}
	return out.finish()
}

// alignPairs writes the alignments of the pairs of two files.
func alignPairs(ctx context.Context, out alignmentOutput, m *model.Model, o alignOptions) error {
	pairs, err := readPairs(m, o.source, o.target, alignedWords)
	if err != nil {
		return err
	}
	team := kernels.NewTeam(o.threads)
	defer team.Close()
	f := newForcer(kernels.Best().With(team), m)
	for number := 1; len(pairs) > 0; {
		n := window(pairs, func(p text.Pair) int { return max(len(p.Source), len(p.Target)) })
		list := make([]aligned, n)
		err := f.run(ctx, pairs[:n], func(i int, r forced) { list[i] = aligned{forcedAlignment(pairs[i], r), r.logProb()} })
		if err != nil {
			return err
		}
		if err := addAll(out, o.source, number, list); err != nil {
			return err
		}
		pairs, number = pairs[n:], number+n
	}
	return nil
}

// alignTranslations translates stdin and writes the alignments.
func alignTranslations(ctx context.Context, out alignmentOutput, stdin io.Reader, t *translator) error {
	in := newLineReader(standardInput, stdin)
	in.text = t.models[0].SourceText
	for number := 1; ; {
		lines, end := in.lines(alignedWords)
		for len(lines) > 0 {
			n := window(lines, func(words []string) int { return len(words) })
			list, err := alignLines(ctx, t, lines[:n])
			if err := addAll(out, standardInput, number, list); err != nil {
				return err
			}
			if err != nil {
				return lineError(standardInput, number+len(list), err)
			}
			lines, number = lines[n:], number+n
		}
		switch end {
		case nil:
		case io.EOF:
			return nil
		default:
			return end
		}
	}
}

// alignLines translates sentences and returns their alignments, or those before the first that is
// too long.
func alignLines(ctx context.Context, t *translator, lines [][]string) ([]aligned, error) {
	if err := checkWords(lines[0], alignedWords); err != nil {
		return nil, err
	}
	list := make([]aligned, len(lines))
	n, err := t.translate(ctx, lines, func(i int, best []decode.Translation) {
		if r := best[0]; len(r.IDs) > 0 {
			list[i] = aligned{newAlignment(t.models[0], lines[i], r), r.LogProb}
		}
	})
	return list[:n], err
}

// window returns how many of the sentences have up to alignedWords words together, at least one.
func window[S any](sentences []S, words func(S) int) int {
	sum := 0
	for i, s := range sentences {
		if sum += words(s) + 1; i > 0 && sum > alignedWords {
			return i
		}
	}
	return len(sentences)
}

// addAll writes the alignments of consecutive sentences of a file. number is that of the first.
func addAll(out alignmentOutput, name string, number int, list []aligned) error {
	for i, a := range list {
		if err := out.add(a); err != nil {
			return lineError(name, number+i, err)
		}
	}
	return nil
}
