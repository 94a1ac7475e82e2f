//go:build mpi && linux

package main

import (
	"bytes"
	"cmp"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/softsearch-go/softsearch/model/cmd/internal/training"
)

// mpirun returns a command on that many ranks, which may be more than there are processors. The
// variable MPIRUN names another launcher.
func mpirun(t *testing.T, size int, args ...string) *exec.Cmd {
	t.Helper()
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(cmp.Or(os.Getenv("MPIRUN"), "mpirun"), append([]string{"-n", strconv.Itoa(size), binary}, args...)...)
	c.Env = append(os.Environ(), asCommand+"=1",
		"OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1", "OMPI_MCA_rmaps_base_oversubscribe=1")
	return c
}

// mpiArgs returns a training with 4 shards, whose files are in dir.
func mpiArgs(t *testing.T, dir string, more ...string) []string {
	return trainArgs(t, dir, append(strings.Fields("--shards 4 --threads 1 --log json --progress-updates 2"), more...)...)
}

// TestMPI trains with 1, 2 and 4 ranks. The result is the same as without MPI.
func TestMPI(t *testing.T) {
	for _, recipe := range []string{"", ranksRecipe, " --precision bf16"} {
		whole := t.TempDir()
		mustTrain(t, mpiArgs(t, whole, strings.Fields(recipe)...))
		for _, size := range []int{1, 2, 4} {
			dir := t.TempDir()
			if out, err := mpirun(t, size, mpiArgs(t, dir, strings.Fields(recipe)...)...).CombinedOutput(); err != nil {
				t.Fatalf("%d ranks: %v: %s", size, err, out)
			}
			sameResult(t, dir, whole)
		}
	}
}

// TestMPIError: rank 0 alone says why 4 ranks cannot train, and mpirun returns its exit code.
func TestMPIError(t *testing.T) {
	c := mpirun(t, 4, mpiArgs(t, t.TempDir(), "--shards", "2")...)
	out, _ := c.CombinedOutput()
	want := "rnnsearch: invalid settings: 4 ranks, expected at most as many as shards, 2\n"
	if code := c.ProcessState.ExitCode(); code != 1 || strings.Count(string(out), "rnnsearch: ") != 1 || !strings.Contains(string(out), want) {
		t.Errorf("exit code %d, %s\nwant %s", code, out, want)
	}
}

// TestMPIInterrupt sends a signal to one of 4 ranks. All stop after the same update, of which rank 0 saves
// a checkpoint, and 2 ranks go on.
func TestMPIInterrupt(t *testing.T) {
	for rank := range 2 {
		whole, dir := t.TempDir(), t.TempDir()
		p := begin(t, mpirun(t, 4, mpiArgs(t, dir, "--epochs", "1000000")...))
		p.until(t, training.EventProgress)
		if err := syscall.Kill(rankProcesses(t, p.Process.Pid)[rank], syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		end := p.until(t, training.EventEnd)
		if code := p.end(); code != interruptedCode || end.Reason != training.ReasonInterrupted {
			t.Errorf("exit code %d, reason %s: %s", code, end.Reason, &p.stderr)
		}
		updates := []string{"--epochs", "1000000", "--updates", strconv.Itoa(end.Update + 1)}
		if out, err := mpirun(t, 2, mpiArgs(t, dir, updates...)...).CombinedOutput(); err != nil || !bytes.Contains(out, []byte(training.EventResume)) {
			t.Errorf("%v: %s", err, out)
		}
		mustTrain(t, mpiArgs(t, whole, updates...))
		sameResult(t, dir, whole)
	}
}

// TestMPIKill kills one of 2 or 4 ranks at random moments, which ends all, 10 times, and then lets the
// training finish. The result has the same bits as without kills.
func TestMPIKill(t *testing.T) {
	whole, killed := t.TempDir(), t.TempDir()
	more := strings.Fields("--checkpoint-updates 3 --epochs 1000 --updates 298" + ranksRecipe)
	mustTrain(t, mpiArgs(t, whole, more...))
	args := mpiArgs(t, killed, more...)
	r := rand.New(rand.NewPCG(1, 2))
	resumed, torn := 0, 0
	for kills := 0; kills < 10; kills++ {
		size := 2 << r.IntN(2)
		p := begin(t, mpirun(t, size, args...))
		for range 1 + r.IntN(8) {
			record, ok := p.next(t)
			if !ok || record.Event == training.EventEnd {
				t.Fatalf("the training ended before it was killed: %s", &p.stderr)
			}
			if record.Event == training.EventResume {
				resumed++
			}
		}
		time.Sleep(time.Duration(r.IntN(3000)) * time.Microsecond)
		ranks := rankProcesses(t, p.Process.Pid)
		if len(ranks) != size {
			t.Fatalf("%d processes, want %d", len(ranks), size)
		}
		if err := syscall.Kill(ranks[r.IntN(size)], syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		code, messages := p.end(), p.stderr.String()
		if code <= 0 || strings.Contains(messages, "rnnsearch: ") {
			t.Errorf("exit code %d, %s", code, &p.stderr)
		}
		for _, pid := range ranks {
			waitEnd(t, pid)
		}
		left, err := filepath.Glob(killed + "/*.tmp")
		if err != nil {
			t.Fatal(err)
		}
		torn += len(left)
	}
	if out, err := mpirun(t, 4, args...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	sameResult(t, killed, whole)
	t.Logf("10 kills, %d of them while writing a file; %d starts resumed from a checkpoint", torn, resumed)
	if resumed < 5 {
		t.Errorf("%d starts resumed from a checkpoint, want most of 10", resumed)
	}
}

// waitEnd waits until a process has ended.
func waitEnd(t *testing.T, pid int) {
	t.Helper()
	for range 1000 {
		status, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
		if err != nil || bytes.Contains(status, []byte(") Z ")) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("process %d runs, of a training with a killed rank", pid)
}

// rankProcesses returns the processes of the ranks that a launcher started, itself or by another
// process.
func rankProcesses(t *testing.T, launcher int) (pids []int) {
	t.Helper()
	children, err := filepath.Glob("/proc/" + strconv.Itoa(launcher) + "/task/*/children")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range children {
		list, err := os.ReadFile(path)
		if err != nil {
			continue // a thread that has ended
		}
		for _, field := range strings.Fields(string(list)) {
			pid, err := strconv.Atoi(field)
			if err != nil {
				t.Fatal(err)
			}
			environment, _ := os.ReadFile("/proc/" + field + "/environ")
			if bytes.Contains(environment, []byte("COMM_WORLD_RANK=")) || bytes.Contains(environment, []byte("PMI_RANK=")) {
				pids = append(pids, pid)
			} else {
				pids = append(pids, rankProcesses(t, pid)...)
			}
		}
	}
	return pids
}
