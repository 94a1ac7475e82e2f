package main

import (
	"github.com/spf13/cobra"

	"github.com/softsearch-go/softsearch/model/cmd/server"
)

func newDemo() *cobra.Command {
	var (
		d      = defaultDemo
		serve  bool
		listen string
	)
	d.Program = program()
	c := &cobra.Command{
		Use: "demo",
		RunE: func(c *cobra.Command, _ []string) error {
			if err := checkNumbers(number{"threads", d.Threads, 1, maxThreads}); err != nil {
				return err
			}
			if serve {
				e := server.Endpoint{Address: listen, ReadHeader: defaultTimeout, Grace: defaultTimeout}
				return endpointError(e, d.Serve(c.Context(), e, c.OutOrStdout(), c.ErrOrStderr()))
			}
			_, err := d.Run(c.Context(), c.OutOrStdout(), c.ErrOrStderr())
			return err
		},
	}
	c.Flags().StringVar(&d.Model, "model", "demo.safetensors", "`file` of the model")
	addOverwrite(c, &d.Overwrite)
	c.Flags().BoolVar(&serve, "serve", false, "serve the model at the end, see the command serve")
	addListen(c.Flags(), &listen)
	addThreads(c, &d.Threads)
	return c
}
