package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/softsearch-go/softsearch/model"
)

func newTranslate() *cobra.Command {
	var path string
	var beam, length, threads int
	c := &cobra.Command{
		Use:   "translate --model FILE",
		Short: "Translate standard input, a sentence a line",
		Long: `Translate standard input to standard output, a sentence a line, both written as the text
that the model learned from: as people write it if train was told its language, tokenised
otherwise. Lines that are there at the same time are translated together, divided among the
threads, and written in their order; no line waits for one that is not there yet. A
translation depends on its line alone. Empty lines stay empty. A word outside the model's
vocabulary is read as <unk>, and <unk> may stand in a translation.

Tokenised lines must be UTF-8. In others, bytes that are no UTF-8 are read as U+FFFD.`,
		Example: trainExample + `
  echo 'the dog eats in the house' | go run ./model/cmd/rnnsearch translate --model /tmp/model.safetensors
  go run ./model/cmd/rnnsearch translate --model /tmp/model.safetensors --beam 12 --threads 2 < /tmp/train.en | tail -n 1`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			m, err := openForTranslation(path, beam, length, threads)
			if err != nil {
				return err
			}
			return translate(c.Context(), c.OutOrStdout(), c.InOrStdin(), newTranslator(model.Decoding{Beam: beam}, length, threads, m))
		},
	}
	f := c.Flags()
	f.StringVar(&path, "model", "", "`file` of the model")
	f.IntVar(&beam, "beam", 5, "hypotheses that the search keeps, 1 for greedy search")
	f.IntVar(&length, "max-length", 0, "most `words` of a translation with the end of the sentence (default three times the source)")
	addThreads(c, &threads)
	require(c, "model")
	return c
}

// openForTranslation checks the flags and returns the model of a file.
func openForTranslation(path string, beam, length, threads int) (*model.Model, error) {
	err := checkNumbers(
		number{"beam", beam, 1, mostHypotheses},
		number{"max-length", length, 0, mostWeights},
		number{"threads", threads, 1, mostThreads},
	)
	if err != nil {
		return nil, err
	}
	return openModel(path)
}

// openModel returns the model of a file, with its vocabularies.
func openModel(path string) (*model.Model, error) {
	m, err := model.Open(path)
	if err != nil {
		return nil, err
	}
	if m.Source == nil || m.Target == nil {
		return nil, fmt.Errorf("%s: model without vocabularies, expected one of rnnsearch train", path)
	}
	return m, nil
}

// windowBatches is the number of full batches of each thread in the most lines that are
// translated before they are written: threads wait for the others once in so many batches.
const windowBatches = 8

// translate writes the translation of each line.
func translate(ctx context.Context, stdout io.Writer, stdin io.Reader, t *translator) error {
	window := windowBatches * t.threads * max(1, batchRows/t.decoding.Beam)
	in, written, output := newLineReader(standardInput, stdin), 0, make([]string, window)
	in.text = t.models[0].SourceText
	for {
		lines, end := in.lines(window)
		n, err := t.translate(ctx, lines, func(i int, best []model.Translation) {
			output[i] = t.models[0].Decode(best[0].Words) + "\n"
		})
		for _, line := range output[:n] {
			if _, err := io.WriteString(stdout, line); err != nil {
				return lineError(standardInput, written+1, err)
			}
			written++
		}
		if err != nil {
			return lineError(standardInput, written+1, err)
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
