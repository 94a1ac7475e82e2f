package files

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
	"time"

	"github.com/gofrs/flock"

	"github.com/softsearch-go/softsearch/model/internal/regular"
)

// ErrLocked is an error of [NewLock]: another process holds the lock.
var ErrLocked = errors.New("in use")

// A Lock keeps other processes that ask for it from writing a file. The system releases it when the
// process ends in any way.
type Lock struct{ flock *flock.Flock }

const lockSuffix = ".lock"

// NewLock locks path, which need not exist, until Unlock, and removes the incomplete outputs that killed
// processes have left beside it, except the files to keep. The lock is advisory and stands in a file
// beside path, with ".lock" appended to its name, that Unlock removes. If another process holds it, the
// error wraps [ErrLocked] and says which. A file of that name which is not a lock file is an error, and
// stays as it is.
func NewLock(path string, keep ...string) (*Lock, error) {
	path, err := regular.Follow(path)
	if err != nil {
		return nil, err
	}
	l, err := acquire(path, (*flock.Flock).TryLock)
	if err != nil {
		return nil, err
	}
	if err := removeTemporaries(path, keep); err != nil {
		l.Unlock()
		return nil, err
	}
	return l, nil
}

// acquire locks path by try. A lock file has its content from the beginning, so an empty file is foreign.
// The content is for the message of others; it is the lock of the system that excludes them.
func acquire(path string, try func(*flock.Flock) (bool, error)) (*Lock, error) {
	const attempts = 1000 // others come and go in between
	for range attempts {
		name := path + lockSuffix
		found, holder, err := readLock(name)
		missing := errors.Is(err, fs.ErrNotExist)
		if missing {
			found, err = createWhole(path, name, self())
		}
		if missing && errors.Is(err, fs.ErrExist) || errors.Is(err, regular.ErrReplaced) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("%s: cannot be locked: %w", path, err)
		}
		l := &Lock{flock.New(name, flock.SetFlag(lockFlag()))}
		locked, err := try(l.flock)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			if missing {
				os.Remove(name)
			}
			return nil, fmt.Errorf("%s: cannot be locked: %w; --no-lock writes it without a lock", path, err)
		case !locked:
			return nil, fmt.Errorf("%s: %w by %s", path, ErrLocked, holder)
		case !l.holds(found):
		case missing || os.Remove(name) != nil: // a killed process has left it; where it cannot be removed, it stays
			return l, nil
		}
		l.flock.Close()
	}
	return nil, fmt.Errorf("%s: %w by many processes", path, ErrLocked)
}

// lockFlag returns the flag of open that the system needs to lock a file.
func lockFlag() int {
	switch runtime.GOOS {
	case "aix", "illumos", "solaris":
		return os.O_RDWR
	}
	return os.O_RDONLY
}

const selfPrefix = "process "

func self() string {
	host, err := os.Hostname()
	if err != nil {
		host = "an unknown host"
	}
	return fmt.Sprintf(selfPrefix+"%d on %s, started at %s", os.Getpid(), host, time.Now().Format(time.DateTime))
}

// readLock returns the lock file of that name, and which process wrote it.
func readLock(name string) (info fs.FileInfo, holder string, err error) {
	holder = "another process"
	f, err := regular.OpenOwn(name, os.O_RDONLY, true)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, holder, err
	}
	if err == nil {
		defer f.Close()
		info, err = f.Stat()
	}
	if err != nil {
		return nil, "", err
	}
	const longest = 300
	content, err := io.ReadAll(io.LimitReader(f, longest))
	switch {
	case err != nil: // of a system where the lock keeps others from reading
	case !bytes.HasPrefix(content, []byte(selfPrefix)):
		return nil, "", fmt.Errorf("%s is not a lock file; remove it or choose another name", name)
	case !bytes.ContainsFunc(content, isControl):
		holder = string(content)
	}
	return info, holder, nil
}

func isControl(r rune) bool { return r < ' ' || r == 0x7f }

// holds reports whether the lock is that of the file found, which has its name yet: another process
// may have removed or replaced it.
func (l *Lock) holds(found fs.FileInfo) bool {
	locked, err := l.flock.Stat()
	if err != nil || !os.SameFile(locked, found) {
		return false
	}
	named, err := os.Lstat(l.flock.Path())
	return err == nil && os.SameFile(locked, named)
}

// Unlock releases the lock and removes its file.
func (l *Lock) Unlock() error {
	// Removed first: a process that locks the file after it has lost its name finds out, see holds.
	locked, err := l.flock.Stat()
	if err == nil && l.holds(locked) {
		err = os.Remove(l.flock.Path())
	}
	return errors.Join(err, l.flock.Close())
}
