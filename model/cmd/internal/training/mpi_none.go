//go:build !mpi

package training

import (
	"errors"
	"fmt"

	"github.com/softsearch-go/softsearch/model/collective"
)

// ErrNoMPI is the error for ranks of a program that was built without MPI.
var ErrNoMPI = errors.New("built without MPI, expected CC=mpicc go build -tags mpi")

// ConnectMPI returns nil, or an error that wraps ErrNoMPI in a process that a launcher of MPI started.
func ConnectMPI() (collective.Transport, error) {
	if name := mpiVariable(); name != "" {
		return nil, fmt.Errorf("started by MPI, as %s says: %w", name, ErrNoMPI)
	}
	return nil, nil
}

// CloseMPI does nothing.
func CloseMPI() error { return nil }

// AbortMPI does nothing.
func AbortMPI(int) {}
