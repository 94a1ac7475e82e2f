//go:build !mpi

package mpi

import (
	"errors"
	"fmt"

	"github.com/softsearch-go/softsearch/model/collective"
)

// ErrNone is the error for ranks of a program that was built without MPI.
var ErrNone = errors.New("built without MPI, expected CC=mpicc go build -tags mpi")

// Connect returns nil, or an error that wraps ErrNone in a process that a launcher of MPI started.
func Connect() (collective.Transport, error) {
	if name := launched(); name != "" {
		return nil, fmt.Errorf("started by MPI, as %s says: %w", name, ErrNone)
	}
	return nil, nil
}

// Close does nothing.
func Close() error { return nil }

// Abort does nothing.
func Abort(int) {}
