package safetensors

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/softsearch-go/softsearch/model/internal/regular"
	"github.com/softsearch-go/softsearch/model/internal/temporary"
)

// Save writes f to the file at path like [Write], replacing an existing file
// atomically. It writes a temporary file in the same folder, syncs it, renames it
// to path and syncs the folder. At any moment path is either the old file or the
// complete new one. A crash may leave the temporary file, whose name is path
// followed by a dot, 16 hexadecimal digits and ".tmp".
//
// If path is a symbolic link, all this happens to the file where the link ends,
// which need not exist, and the link stays. The permissions of an existing file
// stay, too. It must be a regular file.
//
// After an error the temporary file is removed and the old file is unchanged,
// except if syncing the folder fails: path is then the new file, and a crash of
// the system may still restore the old one.
func Save(path string, f *File) error {
	end, existing, err := target(path)
	if err != nil {
		return fmt.Errorf("save %s: %w", path, err)
	}
	if err := replace(end, existing, f); err != nil {
		return fmt.Errorf("save %s: %w", path, err)
	}
	if err := temporary.SyncFolder(filepath.Dir(end)); err != nil {
		return fmt.Errorf("save %s: %w", path, err)
	}
	return nil
}

// target returns where to write the file of that path: path itself, or where symbolic links from it
// end. There is a regular file, or none, whose info is nil.
func target(path string) (end string, existing fs.FileInfo, err error) {
	end, err = regular.Follow(path)
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

// replace writes f to a temporary file and renames it to path, where a file
// exists unless its info is nil.
func replace(path string, existing fs.FileInfo, f *File) error {
	temp, err := createBeside(path, existing)
	if err != nil {
		return err
	}
	err = writeSynced(temp, f)
	if closeErr := temp.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Rename(temp.Name(), path)
	}
	if err != nil {
		os.Remove(temp.Name())
	}
	return err
}

// createBeside creates a file with an unused name in the folder of path, with the
// permissions of the existing file. If that is nil, the umask decides.
func createBeside(path string, existing fs.FileInfo) (*os.File, error) {
	permissions := fs.FileMode(0o666)
	if existing != nil {
		permissions = existing.Mode().Perm()
	}
	file, err := temporary.Create(path, permissions)
	if err != nil || existing == nil {
		return file, err
	}
	if err := setPermissions(file, permissions); err != nil {
		file.Close()
		os.Remove(file.Name())
		return nil, err
	}
	return file, nil
}

// setPermissions sets the permissions that the umask has removed. Some file
// systems have the same for all files and cannot set any.
func setPermissions(file *os.File, permissions fs.FileMode) error {
	info, err := file.Stat()
	if err != nil || info.Mode().Perm() == permissions {
		return err
	}
	return file.Chmod(permissions)
}

func writeSynced(file *os.File, f *File) error {
	if err := Write(file, f); err != nil {
		return err
	}
	return file.Sync()
}
