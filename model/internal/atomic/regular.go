package atomic

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// ErrNotRegular is the error for a folder, a device or a pipe in place of a regular file.
var ErrNotRegular = errors.New("not a regular file")

// Open opens a regular file for reading. It does not wait for the writer of a pipe, nor begin to read a device.
func Open(path string) (*os.File, error) {
	if info, err := os.Stat(path); err == nil {
		if err := Check(path, info); err != nil {
			return nil, err
		}
	}
	return os.Open(path)
}

// Check returns nil for the info of a regular file, otherwise an error that wraps [ErrNotRegular] and names the kind.
func Check(path string, info fs.FileInfo) error {
	mode, kind := info.Mode(), "special file"
	switch {
	case mode.IsRegular():
		return nil
	case mode.IsDir():
		kind = "folder"
	case mode&fs.ModeSymlink != 0:
		kind = "symbolic link"
	case mode&fs.ModeNamedPipe != 0:
		kind = "named pipe"
	case mode&fs.ModeSocket != 0:
		kind = "socket"
	case mode&fs.ModeDevice != 0:
		kind = "device"
	}
	return &fs.PathError{Op: "open", Path: path, Err: fmt.Errorf("%w: %s", ErrNotRegular, kind)}
}
