package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/cmd/server"
)

// serveOptions are the flags of serve.
type serveOptions struct {
	models []string
	listen string
	server server.Options
}

func newServe() *cobra.Command {
	var o serveOptions
	c := &cobra.Command{
		Use:   "serve --model FILE",
		Short: "Translate over HTTP, with a page that shows attention",
		Args:  cobra.NoArgs,
		Example: trainExample + `
  go run ./model/cmd/rnnsearch serve --model /tmp/model.safetensors`,
		PersistentPreRun: stopOnSignal,
		RunE: func(c *cobra.Command, _ []string) error {
			return o.run(c.Context(), slog.New(slog.NewTextHandler(c.ErrOrStderr(), nil)))
		},
	}
	f := c.Flags()
	f.StringArrayVar(&o.models, "model", nil, "`file` of a model")
	f.StringVar(&o.listen, "listen", "127.0.0.1:8080", "`address` to listen at")
	addThreads(c, &o.server.Decoding.Threads)
	require(c, "model")
	return c
}

// run serves until ctx ends.
func (o serveOptions) run(ctx context.Context, log *slog.Logger) error {
	for _, spec := range o.models {
		m, err := parseModel(spec)
		if err != nil {
			return err
		}
		o.server.Models = append(o.server.Models, m)
	}
	o.server.Logger = log
	s, err := server.New(o.server)
	if err != nil {
		return err
	}
	defer s.Close()
	listener, err := net.Listen("tcp", o.listen)
	if err != nil {
		return err
	}
	h := &http.Server{Handler: s, ReadHeaderTimeout: 10 * time.Second, ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelWarn)}
	log.Info("listening", "address", "http://"+listener.Addr().String())
	ended := make(chan error, 1)
	go func() { ended <- h.Serve(listener) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	deadline, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if err := h.Shutdown(deadline); err != nil {
		return errors.Join(err, h.Close())
	}
	return nil
}

var (
	namedModel   = regexp.MustCompile(`^([\pL\pN._:-]{2,100})=(.+)$`)
	languagePair = regexp.MustCompile(`^([a-z]{2,3})-([a-z]{2,3})(:|$)`)
)

// parseModel returns the model of a value of --model, [NAME=]FILE[+FILE...].
func parseModel(spec string) (server.Model, error) {
	var m server.Model
	paths := spec
	if match := namedModel.FindStringSubmatch(spec); match != nil {
		m.Name, paths = match[1], match[2]
	} else {
		m.Name = strings.TrimSuffix(filepath.Base(spec), filepath.Ext(spec))
	}
	if pair := languagePair.FindStringSubmatch(m.Name); pair != nil {
		m.Source, m.Target = pair[1], pair[2]
	}
	files := strings.Split(paths, "+")
	m.Open = func() ([]*model.Model, error) {
		var models []*model.Model
		for _, path := range files {
			opened, err := openModel(path)
			if err != nil {
				return nil, err
			}
			models = append(models, opened)
		}
		return models, nil
	}
	if m.Name == "" {
		return m, fmt.Errorf("--model %q: no name", spec)
	}
	return m, nil
}
