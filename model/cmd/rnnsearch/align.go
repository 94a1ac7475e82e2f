package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/cmd/files"
	"github.com/softsearch-go/softsearch/model/decode"
	"github.com/softsearch-go/softsearch/model/text"
)

// alignOptions are the flags of align.
type alignOptions struct {
	model, source, target string
	output                figureOptions
	beam, threads         int
}

func newAlign() *cobra.Command {
	var o alignOptions
	c := &cobra.Command{
		Use:   "align --model FILE",
		Short: "Show what a model attends to for each word of a translation",
		Long: `Show which source words a model attends to when it predicts each target word:
for given pairs with --source and --target, otherwise for the translations of
standard input. Text is of the kind the model was trained on, and words are
those of the model, such as segments of byte-pair encoding. The formats are

  pharaoh  one line per sentence: a link i-j for each target word j and the
           source word i with the largest weight, both counted from 0; </s>
           has no links. Translations of standard input and ||| precede them.
  json     one object per line: source, target, weights (target×source) and
           log_prob of the target; the end of a sentence is <end>
  map      a heat map of characters for each sentence
  svg      one figure of all sentences: source words across, target words
           down, cells from black for weight 0 to white for 1
  png      the same, with Latin, Greek and Cyrillic letters only

The alignment of an empty line of standard input is empty.`,
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
	o.output.add(c, alignmentFormats)
	c.Flags().IntVar(&o.beam, "beam", 5, "beam size for translating standard input")
	addThreads(c, &o.threads)
	require(c, "model")
	together(c, "source", "target")
	exclusive(c, "beam", "source")
	return c
}

// align writes the alignments of the given pairs or of the translations of stdin.
func align(ctx context.Context, stdout io.Writer, stdin io.Reader, o alignOptions) error {
	if err := o.output.check(alignmentFormats); err != nil {
		return err
	}
	err := checkNumbers(number{"beam", o.beam, 1, maxBeam}, number{"threads", o.threads, 1, maxThreads})
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
	t, err := newTranslator(m, decode.Options{Beam: o.beam, Threads: o.threads})
	if err != nil {
		return err
	}
	defer t.Close()
	out := newAlignmentWriter(stdout, o.output, o.source == "")
	if o.source == "" {
		err = alignTranslations(ctx, out, stdin, t)
	} else {
		err = alignPairs(ctx, out, t, o.source, o.target)
	}
	if err != nil {
		return err
	}
	return out.finish()
}

// alignPairs writes the alignments of the pairs of two files.
func alignPairs(ctx context.Context, out alignmentWriter, t *translator, source, target string) error {
	pairs, err := readPairs(t.model, source, target)
	if err != nil {
		return err
	}
	for i, p := range pairs {
		if p.bad != nil {
			return p.bad
		}
		if err := checkLength(p.Source); err != nil {
			return lineError(source, i+1, err)
		}
		if err := checkLength(p.Target); err != nil {
			return lineError(target, i+1, err)
		}
	}
	for number := 1; len(pairs) > 0; {
		n := window(pairs, func(p inputPair) int { return max(len(p.Source), len(p.Target)) })
		list := make([]alignment, n)
		batch := make([]text.Pair, n)
		for i, p := range pairs[:n] {
			batch[i] = p.Pair
		}
		var tooLong error
		failed, err := t.scorePairs(ctx, batch, func(i int, r decode.Translation, bad error) {
			if bad != nil {
				tooLong = lineError(source, number+i, bad)
				return
			}
			list[i] = alignment{withEnd(pairs[i].Source), withEnd(pairs[i].Target), r.Alignment, r.LogProb}
		})
		if err != nil {
			return lineError(source, number+failed, err)
		}
		if tooLong != nil {
			return tooLong
		}
		if err := writeAll(out, source, number, list); err != nil {
			return err
		}
		pairs, number = pairs[n:], number+n
	}
	return nil
}

// alignTranslations translates stdin and writes the alignments.
func alignTranslations(ctx context.Context, out alignmentWriter, stdin io.Reader, t *translator) error {
	in := newLineReader(files.NewInput(standardInput, stdin))
	for number := 1; ; {
		lines, end := in.available(maxWords)
		for len(lines) > 0 {
			n := window(lines, func(line inputLine) int { return len(t.model.SourceText.Words(line.text)) })
			list, err := alignLines(ctx, t, lines[:n])
			if err := writeAll(out, standardInput, number, list); err != nil {
				return err
			}
			if err != nil {
				return lineError(standardInput, number+len(list), err)
			}
			lines, number = lines[n:], number+n
		}
		if end == io.EOF {
			return nil
		}
		if end != nil {
			return end
		}
	}
}

// alignLines translates a window of lines and returns their alignments. If a line fails, it
// returns the alignments of those before it and the error.
func alignLines(ctx context.Context, t *translator, lines []inputLine) ([]alignment, error) {
	var sentences []sentence
	var bad error
	for _, line := range lines {
		if err := checkLength(t.model.SourceText.Words(line.text)); err != nil && line.bad == nil {
			line.bad = err
		}
		s := t.sentence(line)
		if bad = s.bad; bad != nil {
			break
		}
		sentences = append(sentences, s)
	}
	list := make([]alignment, len(sentences))
	n, err := t.each(ctx, sentences, func(i int, best []decode.Translation) {
		if len(best[0].IDs) > 0 {
			list[i] = newAlignment(t.model, t.model.SourceText.Words(sentences[i].text), best[0])
		}
	})
	return list[:n], cmp.Or(err, bad)
}

// maxWords is the maximum number of words in a sentence, and of all sentences whose weights are in
// memory together, EOS included.
const maxWords = 2048

// errTooLong is the error for a sentence of more than maxWords words.
var errTooLong = errors.New("sentence too long")

// checkLength returns an error if a sentence is too long to align.
func checkLength(words []string) error {
	if len(words)+1 > maxWords {
		return fmt.Errorf("%w: %d words, expected at most %d", errTooLong, len(words), maxWords-1)
	}
	return nil
}

// window returns how many of the sentences have at most maxWords words together, at least one.
func window[S any](sentences []S, words func(S) int) int {
	sum := 0
	for i, s := range sentences {
		if sum += words(s) + 1; i > 0 && sum > maxWords {
			return i
		}
	}
	return len(sentences)
}

// newAlignment returns the alignment of a translation.
func newAlignment(m *model.Model, source []string, t decode.Translation) alignment {
	target := make([]string, len(t.IDs))
	for i, id := range t.IDs {
		target[i] = m.Target.Word(id)
	}
	return alignment{withEnd(source), target, t.Alignment, t.LogProb}
}

// writeAll writes the alignments of consecutive sentences of a file, starting at line number.
func writeAll(out alignmentWriter, name string, number int, list []alignment) error {
	for i, a := range list {
		if err := out.write(a); err != nil {
			return lineError(name, number+i, err)
		}
	}
	return nil
}
