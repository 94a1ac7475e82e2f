// Package temporary creates the files that hold an output until it is complete and gets its name.
package temporary

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
)

// Create creates a file for an output at path, in the folder of path. The umask restricts permissions;
// os.CreateTemp would set 0600. The name is path and ".DIGITS.tmp", with 8 random hexadecimal digits and 8
// that [Is] checks: a killed process leaves the file, and the next one may remove no file of others.
func Create(path string, permissions fs.FileMode) (*os.File, error) {
	name := path + suffix(filepath.Base(path), rand.Uint32())
	return os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, permissions)
}

// Is reports whether the file of that name in the folder of path is one that [Create] names for path.
func Is(name, path string) bool {
	base := filepath.Base(path)
	rest, found := strings.CutPrefix(name, base)
	var random uint32
	_, err := fmt.Sscanf(rest, ".%8x", &random)
	return found && err == nil && rest == suffix(base, random)
}

func suffix(base string, random uint32) string {
	return fmt.Sprintf(".%08x%08x.tmp", random, crc32.ChecksumIEEE(fmt.Appendf(nil, "softsearch %s %08x", base, random)))
}

// SyncFolder makes the new name of a file outlast a crash of the system. Windows cannot sync a folder,
// nor can some file systems, nor a process that may write to a folder without reading it.
func SyncFolder(folder string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(folder)
	if err != nil {
		return nil
	}
	defer d.Close()
	if err := d.Sync(); err != nil && !errors.Is(err, errors.ErrUnsupported) && !errors.Is(err, syscall.EINVAL) {
		return err
	}
	return nil
}
