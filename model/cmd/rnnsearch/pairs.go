package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/text"
)

// addPairs adds the flags for files of given pairs.
func addPairs(c *cobra.Command, source, target *string) {
	c.Flags().StringVar(source, "source", "", "`file` of source sentences")
	c.Flags().StringVar(target, "target", "", "`file` of their translations")
}

// readPairs reads two files of sentences in the text of m, of which no side has more than most
// words, EOS included.
func readPairs(m *model.Model, source, target string, most int) ([]text.Pair, error) {
	pairs, err := text.ReadParallelFunc(source, target, m.SourceText.Words, m.TargetText.Words)
	if err != nil {
		return nil, err
	}
	for i, p := range pairs {
		if err := checkWords(p.Source, most); err != nil {
			return nil, lineError(source, i+1, err)
		}
		if err := checkWords(p.Target, most); err != nil {
			return nil, lineError(target, i+1, err)
		}
	}
	return pairs, nil
}

// checkWords returns an error if a sentence has more than most words, EOS included.
func checkWords(words []string, most int) error {
	if len(words)+1 > most {
		return fmt.Errorf("%w: %d words, expected at most %d", errTooLong, len(words), most-1)
	}
	return nil
}
