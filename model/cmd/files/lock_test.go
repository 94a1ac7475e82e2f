package files

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// lockPath is the environment variable that makes the test binary lock that path and wait.
const lockPath = "FILES_TEST_LOCK"

func TestMain(m *testing.M) {
	if path := os.Getenv(lockPath); path != "" {
		_, err := NewLock(path)
		fmt.Println("locked:", err)
		select {} // until it is killed
	}
	os.Exit(m.Run())
}

func TestLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "model")
	first, err := NewLock(path)
	if err != nil {
		t.Fatal(err)
	}
	_, err = NewLock(path)
	if !errors.Is(err, ErrLocked) || !strings.Contains(err.Error(), fmt.Sprintf("in use by process %d on ", os.Getpid())) {
		t.Errorf("got %v, want %v by this process", err, ErrLocked)
	}
	if err := first.Unlock(); err != nil {
		t.Error(err)
	}
	if list := names(t, filepath.Dir(path)); len(list) > 0 {
		t.Errorf("Unlock has left %q", list)
	}
	second, err := NewLock(path)
	if err != nil {
		t.Fatal(err)
	}
	second.Unlock()
}

// TestLockLink locks one file by two names.
func TestLockLink(t *testing.T) {
	dir := t.TempDir()
	if err := os.Symlink("model", dir+"/link"); err != nil {
		t.Skip(err)
	}
	l, err := NewLock(dir + "/link")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Unlock()
	if _, err := NewLock(dir + "/model"); !errors.Is(err, ErrLocked) {
		t.Errorf("got %v, want %v", err, ErrLocked)
	}
}

// TestLockKilled kills the process that holds the lock.
func TestLockKilled(t *testing.T) {
	path := filepath.Join(t.TempDir(), "model")
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), lockPath+"="+path)
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "locked: <nil>\n" {
		t.Errorf("the other process says %q, %v", line, err)
	}
	if _, err := NewLock(path); !errors.Is(err, ErrLocked) || !strings.Contains(err.Error(), strconv.Itoa(c.Process.Pid)) {
		t.Errorf("got %v, want %v by process %d", err, ErrLocked, c.Process.Pid)
	}
	c.Process.Kill()
	c.Wait()
	l, err := NewLock(path)
	if err != nil {
		t.Fatal(err)
	}
	l.Unlock()
}

// TestLockConcurrent locks and unlocks in several goroutines, of which one at a time may succeed.
func TestLockConcurrent(t *testing.T) {
	path := filepath.Join(t.TempDir(), "model")
	var held sync.Mutex
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 200 {
				l, err := NewLock(path)
				if errors.Is(err, ErrLocked) {
					continue
				}
				if err != nil {
					t.Error(err)
					return
				}
				if !held.TryLock() {
					t.Error("locked twice")
					return
				}
				held.Unlock()
				if err := l.Unlock(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
}
