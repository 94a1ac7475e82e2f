package files

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/softsearch-go/softsearch/model/internal/atomic"
)

// lockPath is the environment variable that makes the test binary lock that path and wait.
const lockPath = "FILES_TEST_LOCK"

func TestMain(m *testing.M) {
	if path := os.Getenv(lockPath); path != "" {
		l, err := NewLock(path)
		_, err2 := atomic.Create(path)
		fmt.Println("locked:", errors.Join(err, err2))
		time.Sleep(time.Hour) // until it is killed
		runtime.KeepAlive(l)
	}
	os.Exit(m.Run())
}

// TestLock locks a file by two names.
func TestLock(t *testing.T) {
	dir := t.TempDir()
	if err := os.Symlink("model", dir+"/link"); err != nil {
		t.Skip(err)
	}
	for range 2 {
		l, err := NewLock(dir + "/link")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := NewLock(dir + "/model"); !errors.Is(err, ErrLocked) {
			t.Errorf("got %v, want %v", err, ErrLocked)
		}
		if err := l.Unlock(); err != nil {
			t.Error(err)
		}
		if runtime.GOOS != "windows" {
			wantNames(t, dir, "link")
		}
	}
}

// TestLockKilled kills the process that holds the lock and has an unfinished output.
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
	if _, err := NewLock(path); !errors.Is(err, ErrLocked) {
		t.Errorf("got %v, want %v", err, ErrLocked)
	}
	c.Process.Kill()
	c.Wait()
	l, err := NewLock(path)
	if err != nil {
		t.Fatal(err)
	}
	wantNames(t, filepath.Dir(path), "model.lock")
	l.Unlock()
}

// TestLockConcurrent locks and unlocks in several goroutines, of which one at a time may succeed.
func TestLockConcurrent(t *testing.T) {
	path := filepath.Join(t.TempDir(), "model")
	var held sync.Mutex
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 100 {
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

// TestLockChecked checks an output while others lock it, and so remove what they take for left behind.
func TestLockChecked(t *testing.T) {
	path := filepath.Join(t.TempDir(), "model")
	var group sync.WaitGroup
	for range 2 {
		group.Go(func() {
			for range 300 {
				if err := CheckOutput(path, false); err != nil {
					t.Error(err)
				}
			}
		})
		group.Go(func() {
			for range 300 {
				if l, err := NewLock(path); err == nil {
					l.Unlock()
				} else if !errors.Is(err, ErrLocked) {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
}

// TestLockForeign has a file of others with the name of the lock file. It stays as it is.
func TestLockForeign(t *testing.T) {
	path := put(t, "poetry.lock", []byte("# This file is generated.\n"))
	l, err := NewLock(path[:len(path)-len(".lock")])
	if err != nil {
		t.Fatal(err)
	}
	l.Unlock()
	wantContent(t, path, "# This file is generated.\n")
}
