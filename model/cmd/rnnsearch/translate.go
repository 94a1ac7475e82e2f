package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/softsearch-go/softsearch/model"
)

func newTranslate() *cobra.Command {
	var path string
	var beam, length int
	c := &cobra.Command{
		Use:   "translate --model FILE",
		Short: "Translate standard input, a sentence a line",
		Long: `Translate standard input to standard output, a tokenised sentence a line. Lines that are
there at the same time are translated together, which is faster and gives the same
translations; each is written when it is done, in the order of the lines. Empty lines stay
empty. A word outside the model's vocabulary is read as <unk>, and <unk> may stand in a
translation.`,
		Example: trainExample + `
  echo 'the dog eats in the house' | go run ./model/cmd/rnnsearch translate --model /tmp/model.safetensors`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			m, err := openForTranslation(path, beam, length)
			if err != nil {
				return err
			}
			return translate(c.OutOrStdout(), c.InOrStdin(), newTranslator(m, beam, length))
		},
	}
	f := c.Flags()
	f.StringVar(&path, "model", "", "`file` of the model")
	f.IntVar(&beam, "beam", 5, "hypotheses that the search keeps, 1 for greedy search")
	f.IntVar(&length, "max-length", 0, "most `words` of a translation with the end of the sentence (default three times the source)")
	require(c, "model")
	return c
}

// openForTranslation checks the flags and returns the model of a file.
func openForTranslation(path string, beam, length int) (*model.Model, error) {
	err := checkNumbers(number{"beam", beam, 1, mostHypotheses}, number{"max-length", length, 0, mostWeights})
	if err != nil {
		return nil, err
	}
	m, err := model.Open(path)
	if err != nil {
		return nil, err
	}
	if m.Source == nil || m.Target == nil {
		return nil, fmt.Errorf("%s: model without vocabularies, expected one of rnnsearch train", path)
	}
	return m, nil
}

// translate writes the translation of each line.
func translate(stdout io.Writer, stdin io.Reader, t *translator) error {
	in, written := newLineReader(standardInput, stdin), 0
	write := func(r model.Translation) error {
		_, err := io.WriteString(stdout, strings.Join(t.model.Target.Decode(r.Words), " ")+"\n")
		if err == nil {
			written++
		}
		return err
	}
	for {
		lines, end := in.lines()
		if err := t.translate(lines, write); err != nil {
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
