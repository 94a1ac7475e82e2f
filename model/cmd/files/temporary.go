package files

import (
	"errors"
	"io/fs"
	"os"
)

// A Temporary is a file to write and to read that is gone after Close. Where the system allows it,
// the file has no name, and is gone after the end of the process in any way.
type Temporary struct{ *os.File }

// NewTemporary creates a file in the folder of path. [RemoveTemporaries] of path removes one with a
// name that a killed process has left.
func NewTemporary(path string) (*Temporary, error) {
	f, err := createBeside(path)
	if err != nil {
		return nil, err
	}
	os.Remove(f.Name()) // Windows refuses, so Close tries again
	return &Temporary{f}, nil
}

// Close removes the file.
func (t *Temporary) Close() error {
	err := t.File.Close()
	if removeErr := os.Remove(t.Name()); !errors.Is(removeErr, fs.ErrNotExist) {
		err = errors.Join(err, removeErr)
	}
	return err
}
