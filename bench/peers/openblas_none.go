//go:build !openblas || !amd64

package main

import (
	"errors"

	"github.com/softsearch-go/softsearch/bench/peers/wire"
)

var errNoOpenBLAS = errors.New("built without the tag openblas")

func openBLAS(bool) *wire.Worker { return nil }
