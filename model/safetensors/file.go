package safetensors

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/softsearch-go/softsearch/model/internal/regular"
)

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
	return end, existing, regular.Check(existing)
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
