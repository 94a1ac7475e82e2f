package safetensors

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
)

// Save writes f to the file at path, replacing a file that is there, with the
// conditions of [Write]. It writes a temporary file in the same folder, syncs
// it, renames it to path and syncs the folder. At every moment path is either
// the old file or the complete new one. A crash may leave the temporary file,
// whose name is path with a number and ".tmp" added.
//
// On an error the temporary file is removed and the old file is as it was. The
// one exception is an error of the last step: then path is the new file, and a
// crash of the system may still bring back the old one.
func Save(path string, f *File) error {
	if err := replace(path, f); err != nil {
		return fmt.Errorf("save %s: %w", path, err)
	}
	if err := syncFolder(filepath.Dir(path)); err != nil {
		return fmt.Errorf("save %s: %w", path, err)
	}
	return nil
}

// replace writes f beside path and renames the result to path.
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

// createBeside creates a file with an unused name in the folder of path. Its
// permissions are those that the umask leaves; os.CreateTemp would give 0600.
func createBeside(path string) (*os.File, error) {
	name := fmt.Sprintf("%s.%016x.tmp", path, rand.Uint64())
	return os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
}

// writeSynced writes f to file and waits until it is on the disk.
func writeSynced(file *os.File, f *File) error {
	if err := Write(file, f); err != nil {
		return err
	}
	return file.Sync()
}

// syncFolder waits until the names in folder are on the disk. Windows cannot
// sync a folder.
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
