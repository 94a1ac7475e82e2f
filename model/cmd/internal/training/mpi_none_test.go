//go:build !mpi

package training

import (
	"errors"
	"testing"
)

// TestNone: a program without MPI must not train as one of several processes that each train alone.
func TestNone(t *testing.T) {
	if transport, err := ConnectMPI(); transport != nil || err != nil {
		t.Errorf("without a launcher: got %v, %v", transport, err)
	}
	t.Setenv("PMIX_RANK", "0")
	if _, err := ConnectMPI(); !errors.Is(err, ErrNoMPI) {
		t.Errorf("got %v, want %v", err, ErrNoMPI)
	}
}
