//go:build mpi

package training

/*
#include <mpi.h>
#include <signal.h>
#include <time.h>

// start leaves the handlers of signals as they are: Go's need a stack of their own, which MPI
// and the libraries below it do not ask for.
static int start(int *rank, int *size, int *provided) {
	struct sigaction saved[NSIG];
	int known[NSIG], i, err;
	for (i = 1; i < NSIG; i++) known[i] = sigaction(i, NULL, &saved[i]) == 0;
	err = MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, provided);
	for (i = 1; i < NSIG; i++) if (known[i]) sigaction(i, &saved[i], NULL);
	if (err == MPI_SUCCESS) err = MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	if (err == MPI_SUCCESS) err = MPI_Comm_rank(MPI_COMM_WORLD, rank);
	if (err == MPI_SUCCESS) err = MPI_Comm_size(MPI_COMM_WORLD, size);
	return err;
}

static int serialized(int provided) { return provided >= MPI_THREAD_SERIALIZED; }

// exchange takes bytes: of a void pointer, cgo would refuse those in memory that has pointers, too. MPI waits by
// asking all the time; a thread that computes has more use of the processor.
static int exchange(int peer, const char *send, int sent, char *receive, int room, int *received) {
	MPI_Request both[2];
	MPI_Status status[2];
	const struct timespec pause = {0, 20000};
	int tests = 0, done = 0;
	int err = MPI_Irecv(receive, room, MPI_BYTE, peer, 0, MPI_COMM_WORLD, &both[0]);
	if (err != MPI_SUCCESS) return err;
	err = MPI_Isend(send, sent, MPI_BYTE, peer, 0, MPI_COMM_WORLD, &both[1]);
	while (err == MPI_SUCCESS && !done) {
		err = MPI_Testall(2, both, &done, status);
		if (!done && ++tests > 100) nanosleep(&pause, NULL);
	}
	if (err == MPI_ERR_IN_STATUS) err = status[0].MPI_ERROR != MPI_SUCCESS ? status[0].MPI_ERROR : status[1].MPI_ERROR;
	return err != MPI_SUCCESS ? err : MPI_Get_count(&status[0], MPI_BYTE, received);
}

static void stop(int code) { MPI_Abort(MPI_COMM_WORLD, code); }

enum { message = MPI_MAX_ERROR_STRING };
*/
import "C"

import (
	"errors"
	"fmt"
	"runtime"
	"unsafe"

	"github.com/softsearch-go/softsearch/model/collective"
)

// thread is the thread that started MPI, which must end it. MPI is one per process: nil before ConnectMPI
// and after CloseMPI.
var thread chan chan<- error

// ConnectMPI returns the transport of a process that a launcher of MPI started, and nil in others. It must
// be called once.
func ConnectMPI() (collective.Transport, error) {
	if mpiVariable() == "" {
		return nil, nil
	}
	var w world
	var provided C.int
	calls, ready := make(chan chan<- error), make(chan error)
	go func() {
		runtime.LockOSThread()
		ready <- failure(C.start(&w.rank, &w.size, &provided))
		done := <-calls
		done <- failure(C.MPI_Finalize())
	}()
	if err := <-ready; err != nil {
		return nil, err
	}
	thread = calls
	if C.serialized(provided) == 0 {
		return nil, errors.New("MPI supports no threads: expected MPI_THREAD_SERIALIZED")
	}
	return w, nil
}

// CloseMPI ends MPI. All ranks must call it; it waits for them.
func CloseMPI() error {
	if thread == nil {
		return nil
	}
	done := make(chan error)
	thread <- done
	thread = nil
	return <-done
}

// AbortMPI ends all ranks with that exit code if MPI is in use.
func AbortMPI(code int) {
	if thread != nil {
		C.stop(C.int(code))
	}
}

// A world is MPI_COMM_WORLD.
type world struct{ rank, size C.int }

func (w world) Rank() int { return int(w.rank) }
func (w world) Size() int { return int(w.size) }

// maxMessage bounds the messages of MPI, which count bytes by an int.
const maxMessage = 1 << 30

func (w world) Exchange(peer int, send, receive []byte) error {
	for first := true; first || len(send) > 0 || len(receive) > 0; first = false {
		n, m := min(len(send), maxMessage), min(len(receive), maxMessage)
		var received C.int
		err := failure(C.exchange(C.int(peer),
			chars(send), C.int(n), chars(receive), C.int(m), &received))
		if err != nil {
			return err
		}
		if int(received) != m {
			return fmt.Errorf("%d bytes, expected %d", received, m)
		}
		send, receive = send[n:], receive[m:]
	}
	return nil
}

func chars(message []byte) *C.char { return (*C.char)(unsafe.Pointer(unsafe.SliceData(message))) }

func failure(code C.int) error {
	if code == C.MPI_SUCCESS {
		return nil
	}
	var text [C.message]C.char
	var length C.int
	C.MPI_Error_string(code, &text[0], &length)
	return errors.New("MPI: " + C.GoStringN(&text[0], length))
}
