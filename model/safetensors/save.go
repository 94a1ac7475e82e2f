package safetensors

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
)

// Save writes f to the file at path like [Write], replacing an existing file
// atomically. It writes a temporary file in the same folder, syncs it, renames it
// to path and syncs the folder. At any moment path is either the old file or the
// complete new one. A crash may leave the temporary file, whose name is path
// followed by a number and ".tmp".
//
// After an error the temporary file is removed and the old file is unchanged,
// except if syncing the folder fails: path is then the new file, and a crash of
// the system may still restore the old one.
func Save(path string, f *File) error {
	if err := replace(path, f); err != nil {
		return fmt.Errorf("save %s: %w", path, err)
	}
	if err := syncFolder(filepath.Dir(path)); err != nil {
		return fmt.Errorf("save %s: %w", path, err)
	}
	return nil
}

// replace writes f to a temporary file and renames it to path.
func replace(path string, f *File) error {
	temp, err := createBeside(path)
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

// createBeside creates a file with an unused name in the folder of path. The umask
// decides its permissions; os.CreateTemp would set 0600.
func createBeside(path string) (*os.File, error) {
	name := fmt.Sprintf("%s.%016x.tmp", path, rand.Uint64())
	return os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
}

// writeSynced writes f to file and syncs it.
func writeSynced(file *os.File, f *File) error {
	if err := Write(file, f); err != nil {
		return err
	}
	return file.Sync()
}

// syncFolder syncs the directory entries of folder. Windows cannot sync a folder.
func syncFolder(folder string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(folder)
	if err != nil {
		return err
	}
	err = d.Sync()
	if closeErr := d.Close(); err == nil {
		err = closeErr
	}
	return err
}
