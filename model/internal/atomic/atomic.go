// Package atomic replaces files whole: at any moment a path has the old file or the complete new one.
package atomic

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
)

// A File is written beside its path and gets its name when it is complete.
type File struct {
	*os.File
	Keep bool   // Close leaves the file, for [Resume]
	path string // where links from the path end
	done bool
}

// Create creates a file for path, which stays as it is until [File.Commit]. A file at path must be regular; the new
// one takes its permissions. A symbolic link is followed and stays. The name is path, a dot, 16 hexadecimal digits and
// ".tmp".
func Create(path string) (*File, error) {
	return open(path, fmt.Sprintf(".%016x.tmp", rand.Uint64()), os.O_EXCL)
}

var temporary = regexp.MustCompile(`^\.[0-9a-f]{16}\.tmp$`)

// Resume is [Create] for a file of path and suffix that may have been begun before.
func Resume(path, suffix string) (*File, error) { return open(path, suffix, 0) }

func open(path, suffix string, flag int) (*File, error) {
	end, err := Follow(path)
	if err != nil {
		return nil, err
	}
	permissions := fs.FileMode(0o666)
	existing, err := os.Stat(end)
	if err == nil {
		err, permissions = Check(end, existing), existing.Mode().Perm()
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	begun, err := os.Lstat(end + suffix)
	if err == nil {
		err = Check(end+suffix, begun) // a link there could lead to any file of the user
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	f, err := os.OpenFile(end+suffix, os.O_RDWR|os.O_CREATE|flag, permissions)
	if err != nil {
		return nil, err
	}
	if existing != nil {
		f.Chmod(permissions) // which the umask has restricted; some file systems have none
	}
	return &File{File: f, path: end}, nil
}

// Commit syncs the file and gives it its name. Unless replace is true, a file that has the name by then stays, and the
// error wraps [fs.ErrExist].
func (f *File) Commit(replace bool) error {
	err := f.Sync()
	if closeErr := f.File.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = f.rename(replace)
	}
	if err != nil {
		return err
	}
	f.done = true
	return syncFolder(filepath.Dir(f.path))
}

// rename links the file where it may not replace another: a renaming would. A file system without hard links gets a
// check just before.
func (f *File) rename(replace bool) error {
	if !replace {
		if err := os.Link(f.Name(), f.path); err == nil {
			return os.Remove(f.Name())
		}
		if _, err := os.Lstat(f.path); err == nil {
			return &fs.PathError{Op: "create", Path: f.path, Err: fs.ErrExist}
		}
	}
	return os.Rename(f.Name(), f.path)
}

// Close removes the file unless it is complete or to be kept.
func (f *File) Close() error {
	err := f.File.Close()
	if errors.Is(err, fs.ErrClosed) {
		err = nil
	}
	if !f.done && !f.Keep {
		err = errors.Join(err, remove(f.Name()))
	}
	return err
}

// remove removes a file that another process may have removed.
func remove(name string) error {
	if err := os.Remove(name); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// syncFolder makes the new name of a file outlast a crash of the system. Windows cannot sync a folder,
// nor can some file systems, nor a process that may write to a folder without reading it.
func syncFolder(folder string) error {
	d, err := os.Open(folder)
	if err != nil || runtime.GOOS == "windows" {
		return nil
	}
	defer d.Close()
	if err := d.Sync(); err != nil && !errors.Is(err, errors.ErrUnsupported) && !errors.Is(err, syscall.EINVAL) {
		return err
	}
	return nil
}

// Clean removes the files that killed processes have left beside path. No other process may be writing to path.
func Clean(path string) error {
	path, err := Follow(path)
	if err != nil {
		return err
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	for _, e := range entries {
		suffix, ok := strings.CutPrefix(e.Name(), filepath.Base(path))
		if ok && temporary.MatchString(suffix) && e.Type().IsRegular() {
			err = errors.Join(err, remove(path+suffix))
		}
	}
	return err
}

// Follow returns path, or where the symbolic links from it end. The file there need not exist.
func Follow(path string) (string, error) {
	const maxLinks = 40 // as Linux
	for end, n := path, 0; n <= maxLinks; n++ {
		link, err := os.Readlink(end)
		if err != nil {
			return end, nil
		}
		if !filepath.IsAbs(link) {
			folder, _ := filepath.Split(end)
			link = folder + link // not cleaned: a folder before ".." may be a link
		}
		end = link
	}
	return "", &fs.PathError{Op: "readlink", Path: path, Err: errors.New("too many symbolic links")}
}

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
