package files

import (
	"errors"
	"fmt"
	"os"

	"github.com/gofrs/flock"

	"github.com/softsearch-go/softsearch/model/internal/atomic"
)

// ErrLocked is an error of [NewLock]: another process holds the lock.
var ErrLocked = errors.New("in use by another process")

// A Lock keeps other processes that ask for it from writing a file. The system releases it when the
// process ends in any way.
type Lock struct{ flock *flock.Flock }

// NewLock locks path, which need not exist, until Unlock, and removes the incomplete outputs that killed
// processes have left beside it. The lock is advisory. Its file is path and ".lock".
func NewLock(path string) (*Lock, error) {
	path, err := atomic.Follow(path)
	if err != nil {
		return nil, err
	}
	for {
		l := flock.New(path + ".lock")
		locked, err := l.TryLock()
		if err != nil {
			return nil, fmt.Errorf("%s: cannot be locked: %w; --no-lock writes it without a lock", path, err)
		}
		if !locked {
			return nil, fmt.Errorf("%s: %w", path, ErrLocked)
		}
		if !named(l) { // another process has removed the file in between
			l.Close()
			continue
		}
		if err := atomic.Clean(path); err != nil {
			l.Close()
			return nil, err
		}
		return &Lock{l}, nil
	}
}

// named reports whether the lock is on the file that has its name.
func named(l *flock.Flock) bool {
	locked, err := l.Stat()
	if err != nil {
		return false
	}
	info, err := os.Stat(l.Path())
	return err == nil && os.SameFile(locked, info)
}

// Unlock releases the lock and removes its file, unless that has a content, which is of others.
func (l *Lock) Unlock() error {
	if info, err := l.flock.Stat(); err == nil && info.Size() == 0 {
		os.Remove(l.flock.Path()) // first: who locks the file after that finds out; Windows keeps it
	}
	return l.flock.Close()
}
