//go:build mpi

package training

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"testing"

	"github.com/softsearch-go/softsearch/model/collective"
)

// asRank is the environment variable that makes the test binary a rank.
const asRank = "MPI_TEST_RANK"

func TestMain(m *testing.M) {
	if os.Getenv(asRank) == "" {
		os.Exit(m.Run())
	}
	if err := runRank(); err != nil {
		fmt.Println(err)
		AbortMPI(3)
	}
	os.Exit(0)
}

// runRank exchanges messages of various lengths, from various threads, and survives an invalid pointer.
func runRank() error {
	t, err := ConnectMPI()
	if err != nil {
		return err
	}
	for _, length := range []int{0, 1, 8, 1000, 1 << 20} {
		for bit := 1; bit < t.Size(); bit <<= 1 {
			peer := t.Rank() ^ bit
			send, want := bytes.Repeat([]byte{byte(t.Rank())}, length+peer), bytes.Repeat([]byte{byte(peer)}, length+t.Rank())
			got := make([]byte, len(want))
			done := make(chan error)
			go func() {
				runtime.LockOSThread() // which ends with the goroutine
				done <- t.Exchange(peer, send, got)
			}()
			if err := <-done; err != nil {
				return err
			}
			if !bytes.Equal(got, want) {
				return fmt.Errorf("rank %d: another message than that of rank %d", t.Rank(), peer)
			}
		}
	}
	if err := t.Exchange(t.Rank()^1, make([]byte, 4), make([]byte, 5)); err == nil {
		return errors.New("no error for a message of 4 bytes in place of 5")
	}
	if err := invalidPointer(); err == nil {
		return errors.New("no panic at an invalid pointer")
	}
	return CloseMPI()
}

// invalidPointer returns the panic of a read from address 0, which is a signal at first.
func invalidPointer() (err error) {
	defer func() { err, _ = recover().(error) }()
	var group *collective.Group
	_ = group.Size()
	return nil
}

// TestMPI also runs over UCX, where Open MPI has it: that library handles signals itself.
func TestMPI(t *testing.T) {
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	layers := [][]string{nil}
	if info, err := exec.Command("ompi_info").Output(); err == nil && bytes.Contains(info, []byte("pml: ucx")) {
		layers = append(layers, []string{"OMPI_MCA_pml=ucx", "OMPI_MCA_opal_common_ucx_tls=any", "OMPI_MCA_opal_common_ucx_devices=any"})
	}
	for _, layer := range layers {
		for _, size := range []int{2, 4} {
			c := exec.Command(cmp.Or(os.Getenv("MPIRUN"), "mpirun"), "-n", strconv.Itoa(size), binary)
			c.Env = append(append(os.Environ(), layer...), asRank+"=1",
				"OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1", "OMPI_MCA_rmaps_base_oversubscribe=1")
			if out, err := c.CombinedOutput(); err != nil {
				t.Errorf("%d ranks, %q: %v: %s", size, layer, err, out)
			}
		}
	}
}
