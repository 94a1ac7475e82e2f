//go:build openblas && amd64

package main

import (
	"errors"
	"strings"

	"github.com/softsearch-go/softsearch/bench/peers/bounds"
	"github.com/softsearch-go/softsearch/bench/peers/openblas"
	"github.com/softsearch-go/softsearch/bench/peers/wire"
)

var errNoOpenBLAS = errors.New("no OpenBLAS")

// openBLAS returns a worker for OpenBLAS, with the loops that bound a product if asked.
func openBLAS(withBounds bool) *wire.Worker {
	config, core := openblas.Config()
	w := &wire.Worker{
		Facts:      []string{"openblas-" + strings.ToLower(core) + ": " + config},
		Contenders: openblas.Contenders(),
	}
	if withBounds {
		w.Contenders = append(w.Contenders, bounds.Contenders()...)
	}
	return w
}
