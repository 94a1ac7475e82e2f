package server

import (
	"context"
	"os"
	"os/signal"
	"sync"

	"github.com/softsearch-go/softsearch/model/decode"
)

// A reload reads one thing again, a model or the keys, and logs what has come of it.
type reload func() error

// newReload returns a reload that calls load, whose log calls it what. Calls wait for each other, but
// not for other reloads: the file of one may be on a disk that does not answer.
func (s *Server) newReload(what string, load func() error, attributes ...any) reload {
	var mutex sync.Mutex
	return func() error {
		mutex.Lock()
		defer mutex.Unlock()
		if s.closed.Load() {
			return decode.ErrClosed
		}
		err := load()
		if err != nil {
			s.log.Error(what+" not reloaded, the old one stays", append(attributes, "error", err)...)
		} else {
			s.log.Info(what+" reloaded", attributes...)
		}
		return err
	}
}

// reloadOn opens all models and reads the keys again at each signal, until ctx ends. Signals during a reload
// begin it once more. Requests in progress keep the models that they have begun with, so both versions are in
// memory for a while. A model that cannot be opened stays as it is, and so do keys.
func (s *Server) reloadOn(ctx context.Context, signals ...os.Signal) {
	for _, reload := range s.reloads {
		arrived := make(chan os.Signal, 1)
		signal.Notify(arrived, signals...)
		go func() {
			defer signal.Stop(arrived)
			for {
				select {
				case <-arrived:
					reload() // it logs errors
				case <-ctx.Done():
					return
				}
			}
		}()
	}
}
