package main

import (
	"github.com/spf13/cobra"

	"github.com/softsearch-go/softsearch/model/cmd/internal/terminal"
	"github.com/softsearch-go/softsearch/model/cmd/site"
)

func newSite() *cobra.Command {
	var s site.Settings
	var models []string
	c := &cobra.Command{
		Use: "site",
		RunE: func(c *cobra.Command, _ []string) error {
			for _, value := range models {
				m, paths := parseModel(value)
				s.Models = append(s.Models, site.Model{Model: m, Paths: paths})
			}
			s.Version, _ = build()
			err := s.Write(c.Context())
			if c.Context().Err() != nil {
				err = terminal.ErrInterrupted
			}
			return err
		},
	}
	f := c.Flags()
	f.StringArrayVar(&models, "model", builtInModels, "`file` of a model, [NAME=]FILE[+FILE...], or the name of one that is built in; repeat for several")
	f.StringVar(&s.Folder, "output", "", "`folder` to write, new or empty")
	c.MarkFlagRequired("output")
	return c
}
