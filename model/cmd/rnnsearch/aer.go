package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/softsearch-go/softsearch/model/cmd/internal/links"
)

func newAER() *cobra.Command {
	var o links.Options
	c := &cobra.Command{
		Use:   "aer --forward FILE",
		Short: "Compare alignments with those by hand, or symmetrize them",
		Long: `Compare alignments with those by hand, or combine the alignments of two
directions. A line is a sentence pair, with a link i-j for source word i and
target word j, both counted from 0, as align --tokens writes it; alignments by
hand also have possible links, ipj. The links of --backward are those of a model
of the other direction, j-i.

With --gold, aer prints the number of links A, and in percent their precision,
recall and error rate, where P are the links by hand and S the sure ones:

  precision  |A∩P| / |A|        AER  1 - (|A∩S| + |A∩P|) / (|A| + |S|)
  recall     |A∩S| / |S|

for both directions and each way to symmetrize them, and from low to high the
interval that holds 95 % of 1000 bootstrap samples of the error rate. With
--symmetrize, it writes the alignments that one of these makes:

  intersection     the links of both directions
  union            the links of either
  grow-diag        the intersection, and step by step those links of the union
                   beside one of them, also diagonally, that give a word its
                   first link
  grow-diag-final  then also all other links that give a word its first one

Files may be compressed by gzip or zstd, or be pipes.`,
		Example: `  printf '%s\n' '0-0 1-2 2-1' '0-0 1p1' > /tmp/gold.align
  printf '%s\n' '0-0 1-2 2-2' '0-0 1-1' > /tmp/forward.align
  printf '%s\n' '0-0 1-2 2-1' '0-0' > /tmp/backward.align
  go run ./model/cmd/rnnsearch aer --forward /tmp/forward.align \
    --backward /tmp/backward.align --gold /tmp/gold.align
  go run ./model/cmd/rnnsearch aer --forward /tmp/forward.align \
    --backward /tmp/backward.align --symmetrize grow-diag`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			switch {
			case (o.Gold == "") == (o.Method == ""):
				return errors.New("expected either --gold or --symmetrize")
			case o.Method == "":
				return o.Run(c.OutOrStdout())
			case o.Backward == "":
				return fmt.Errorf("--symmetrize %s: expected with --backward", o.Method)
			}
			if err := checkChoices(c.Flags(), choice{"symmetrize", links.Methods}); err != nil {
				return err
			}
			return o.Run(c.OutOrStdout())
		},
	}
	f := c.Flags()
	f.StringVar(&o.Forward, "forward", "", "`file` of alignments")
	f.StringVar(&o.Backward, "backward", "", "`file` of alignments of the other direction, target-source")
	f.StringVar(&o.Gold, "gold", "", "`file` of alignments by hand")
	f.StringVar(&o.Method, "symmetrize", "", "`way` to combine both directions: intersection, union, grow-diag or grow-diag-final")
	require(c, "forward")
	completeValues(c, "symmetrize", links.Methods...)
	return c
}
