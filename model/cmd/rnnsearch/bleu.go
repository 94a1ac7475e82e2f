package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/softsearch-go/softsearch/model/bleu"
	"github.com/softsearch-go/softsearch/model/text"
)

func newBLEU() *cobra.Command {
	var reference string
	c := &cobra.Command{
		Use:   "bleu --reference FILE",
		Short: "Compare standard input with reference translations",
		Long: `Compare the translations on standard input, a tokenised sentence a line, with one
reference translation each. The result is corpus BLEU-4 as multi-bleu.perl prints it.`,
		Example: `  echo 'le chat dort sur la table' > /tmp/reference.fr
  echo 'le chat dort sur une table' | go run ./model/cmd/rnnsearch bleu --reference /tmp/reference.fr`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return score(c.OutOrStdout(), c.InOrStdin(), reference)
		},
	}
	c.Flags().StringVar(&reference, "reference", "", "`file` of reference translations")
	require(c, "reference")
	return c
}

// score writes the BLEU of the hypotheses, a line each, against the file of references.
func score(stdout io.Writer, hypotheses io.Reader, reference string) error {
	references, err := text.ReadSentences(reference)
	if err != nil {
		return err
	}
	var s bleu.Statistics
	lines := 0
	for in := newLineReader(hypotheses); ; lines++ {
		words, err := in.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		if lines < len(references) {
			s.Add(words, references[lines])
		}
	}
	if lines != len(references) {
		return fmt.Errorf("%w: standard input has %d, %s has %d, expected the same",
			text.ErrLineCount, lines, reference, len(references))
	}
	_, err = fmt.Fprintln(stdout, &s)
	return err
}
