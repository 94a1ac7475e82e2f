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
		Use: "aer --forward FILE",
		RunE: func(c *cobra.Command, _ []string) error {
			switch {
			case (o.Gold == "") == (o.Method == ""):
				return errors.New("expected either --gold or --symmetrize")
			case o.Method == "":
				return o.Run(c.Context(), c.OutOrStdout())
			case o.Backward == "":
				return fmt.Errorf("--symmetrize %s: expected with --backward", o.Method)
			}
			if err := checkChoices(c.Flags(), choice{"symmetrize", links.Methods}); err != nil {
				return err
			}
			return o.Run(c.Context(), c.OutOrStdout())
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
