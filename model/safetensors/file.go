package safetensors

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// open opens the regular file at path, or the one that it links to. It waits for nothing: another
// kind of file, such as a named pipe, is an error.
func open(path string) (*os.File, error) {
	if info, err := os.Stat(path); err == nil {
		if err := checkRegular(info); err != nil {
			return nil, &fs.PathError{Op: "open", Path: path, Err: err}
		}
	}
	return os.Open(path)
}

// checkRegular returns an error unless info is that of a regular file.
func checkRegular(info fs.FileInfo) error {
	mode, kind := info.Mode(), "special file"
	switch {
	case mode.IsRegular():
		return nil
	case mode.IsDir():
		kind = "folder"
	case mode&fs.ModeNamedPipe != 0:
		kind = "named pipe"
	case mode&fs.ModeSocket != 0:
		kind = "socket"
	case mode&fs.ModeDevice != 0:
		kind = "device"
	}
	return fmt.Errorf("not a regular file: %s", kind)
}

// target returns where to write the file of that path: path itself, or where symbolic links from it
// end. There is a regular file, or none, whose info is nil.
func target(path string) (end string, existing fs.FileInfo, err error) {
	end, err = follow(path)
	if err != nil {
		return "", nil, err
	}
	existing, err = os.Lstat(end)
	if errors.Is(err, fs.ErrNotExist) {
		return end, nil, nil
	}
	if err != nil {
		return "", nil, err
	}
	return end, existing, checkRegular(existing)
}

// follow returns path, or if it is a symbolic link, the path where it ends, in its real folder.
func follow(path string) (string, error) {
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
	return "", errors.New("too many symbolic links")
}
