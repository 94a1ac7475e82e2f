package files

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

// Errors of [NewLock].
var (
	ErrLocked   = errors.New("in use")          // another process holds the lock
	ErrLockFile = errors.New("not a lock file") // the lock file would replace another file
)

// A Lock keeps other processes that ask for it from writing a file. The system releases it when the
// process ends in any way.
type Lock struct{ flock *flock.Flock }

const lockSuffix = ".lock"

// NewLock locks path, which need not exist, until Unlock. The lock is advisory and stands in a file
// beside path, with ".lock" appended to its name, that Unlock removes. If another process holds it,
// the error wraps [ErrLocked] and says which. If a file of that name is not a lock file, it stays,
// and the error wraps [ErrLockFile].
func NewLock(path string) (*Lock, error) {
	path, err := target(path)
	if err != nil {
		return nil, err
	}
	name := path + lockSuffix
	if content, err := os.ReadFile(name); err == nil && len(content) > 0 && !bytes.HasPrefix(content, []byte(selfPrefix)) {
		return nil, fmt.Errorf("%s: cannot be locked: %s is %w, expected another name", path, name, ErrLockFile)
	}
	for {
		f := flock.New(name)
		ok, err := f.TryLock()
		if err != nil {
			return nil, fmt.Errorf("%s: cannot be locked: %w", path, err)
		}
		if !ok {
			return nil, fmt.Errorf("%s: %w%s", path, ErrLocked, holder(name))
		}
		if current(f, name) {
			// The content is for the message of others; the lock holds without it.
			_ = os.WriteFile(name, []byte(self()), 0o666)
			return &Lock{f}, nil
		}
		f.Close()
	}
}

// current reports whether f has locked the file of that name. If another process has removed it
// between the opening and the locking of f, f holds a file without a name.
func current(f *flock.Flock, name string) bool {
	locked, err := f.Stat()
	if err != nil {
		return false
	}
	named, err := os.Stat(name)
	return err == nil && os.SameFile(locked, named)
}

const selfPrefix = "process "

func self() string {
	host, err := os.Hostname()
	if err != nil {
		host = "an unknown host"
	}
	return fmt.Sprintf(selfPrefix+"%d on %s, started at %s", os.Getpid(), host, time.Now().Format(time.DateTime))
}

// holder returns the content of a lock file as the end of a message.
func holder(name string) string {
	const longest = 300
	content, err := os.ReadFile(name)
	if err != nil || len(content) == 0 || len(content) > longest || strings.ContainsFunc(string(content), isControl) {
		return " by another process"
	}
	return " by " + string(content)
}

func isControl(r rune) bool { return r < ' ' || r == 0x7f }

// Unlock releases the lock and removes its file.
func (l *Lock) Unlock() error {
	// Removed first: a process that locks the file after it has lost its name finds out, see current.
	err := os.Remove(l.flock.Path())
	return errors.Join(err, l.flock.Close())
}
