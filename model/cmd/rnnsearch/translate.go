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
		Long: `Translate standard input to standard output, a tokenised sentence a line. Each
translation is written when it is done. Empty lines stay empty. A word outside the model's
vocabulary is read as <unk>, and <unk> may stand in a translation.`,
		Example: trainExample + `
  echo 'the dog eats in the house' | go run ./model/cmd/rnnsearch translate --model /tmp/model.safetensors`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			t, err := openTranslator(path, beam, length)
			if err != nil {
				return err
			}
			return translate(c.OutOrStdout(), c.InOrStdin(), t)
		},
	}
	f := c.Flags()
	f.StringVar(&path, "model", "", "`file` of the model")
	f.IntVar(&beam, "beam", 5, "hypotheses that the search keeps, 1 for greedy search")
	f.IntVar(&length, "max-length", 0, "most `words` of a translation with the end of the sentence (default three times the source)")
	require(c, "model")
	return c
}

// openTranslator returns a translator with the model of a file.
func openTranslator(path string, beam, length int) (*translator, error) {
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
	return newTranslator(m, beam, length), nil
}

// translate writes the translation of each line.
func translate(stdout io.Writer, stdin io.Reader, t *translator) error {
	return eachLine(stdin, func(words []string) error {
		line := ""
		if len(words) > 0 {
			result, err := t.translate(words)
			if err != nil {
				return err
			}
			line = strings.Join(t.model.Target.Decode(result.Words), " ")
		}
		_, err := io.WriteString(stdout, line+"\n")
		return err
	})
}
