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
		Use:   "site",
		Short: "Write the page of serve as static files that need no server",
		Long: `Write the page of serve into a folder of static files that any host can serve,
at any path. The library runs in the browser as WebAssembly and answers with the
bytes of serve; nothing that is typed leaves the browser. After the first visit
the page works without a network. To try it: python3 -m http.server -d FOLDER.

Without --model, the models that are built in translate English and French.
--model has the form of that of serve. A browser loads a model when it is first
used: quantize makes files a quarter as large.

The Go toolchain compiles the program, from the clone around the current folder
or else from the published module of the version of this command.`,
		Example: `  go run ./model/cmd/rnnsearch site --model en-fr --output /tmp/site
  ls /tmp/site /tmp/site/models`,
		Args:             cobra.NoArgs,
		PersistentPreRun: stopOnSignal,
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
