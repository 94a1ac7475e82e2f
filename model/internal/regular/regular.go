// Package regular opens what must be a regular file. It waits for nothing that another process may
// do, as the opening of a pipe does, and reads no device, which may have no end.
package regular

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Err is the error for another kind of file.
var Err = errors.New("not a regular file")

// ErrReplaced is Err of [OpenOwn] for a file that took the name while it was being opened.
var ErrReplaced = fmt.Errorf("%w: replaced meanwhile", Err)

// Open opens the regular file at path, or the one that links at path lead to, for reading. The error
// wraps [Err] and names the kind if it is another file.
func Open(path string) (*os.File, error) {
	if info, err := os.Stat(path); err == nil {
		if err := Check(info); err != nil { // a device that is opened may do something
			return nil, named(path, err)
		}
	}
	return openOnly(path)
}

// openOnly is Open for a file that may have replaced the one that Open has looked at.
func openOnly(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil {
		err = Check(info)
	}
	if err != nil {
		f.Close()
		return nil, named(path, err)
	}
	return f, nil
}

// OpenOwn opens a file of that name which the program made for itself. Unlike [Open], it follows no
// link, since a link leads to a file of others: the error wraps [Err] then, too. So it does, unless
// links is true, if the file has another name.
func OpenOwn(name string, flag int, links bool) (*os.File, error) {
	before, err := os.Lstat(name)
	if err == nil {
		err = Check(before)
	}
	if err != nil {
		return nil, named(name, err)
	}
	f, err := os.OpenFile(name, flag|nonblock|noFollow, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	switch {
	case err != nil:
	case !os.SameFile(before, info):
		err = ErrReplaced
	case !links && names(info) > 1:
		err = fmt.Errorf("%w: has several names (hard links)", Err)
	}
	if err != nil {
		f.Close()
		return nil, named(name, err)
	}
	return f, nil
}

func named(path string, err error) error {
	if _, ok := err.(*fs.PathError); ok {
		return err
	}
	return &fs.PathError{Op: "open", Path: path, Err: err}
}

// Follow returns path, or if it is a symbolic link, the path where it ends, in its real folder. The file there
// need not exist.
func Follow(path string) (string, error) {
	const maxLinks = 40 // as Linux
	for links := range maxLinks + 1 {
		link, err := os.Readlink(path)
		if err != nil && links == 0 {
			return path, nil
		}
		folder, base := filepath.Split(path)
		if folder == "" {
			folder = "."
		}
		// Before a ".." is removed from a path, the links before it have to be followed.
		parent, evalErr := filepath.EvalSymlinks(folder)
		switch {
		case evalErr != nil:
			return "", evalErr
		case err != nil:
			return filepath.Join(parent, base), nil
		case filepath.IsAbs(link):
			path = link
		default:
			path = parent + string(filepath.Separator) + link
		}
	}
	return "", &fs.PathError{Op: "readlink", Path: path, Err: errors.New("too many symbolic links")}
}

// CheckPath is [Check] for the file at path, or the one that links at path lead to, which must exist.
func CheckPath(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if err := Check(info); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// Check returns nil for the info of a regular file, and otherwise an error that wraps [Err] and names
// the kind.
func Check(info fs.FileInfo) error {
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
	return fmt.Errorf("%w: %s", Err, kind)
}
