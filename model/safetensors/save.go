package safetensors

import (
	"fmt"

	"github.com/softsearch-go/softsearch/model/internal/atomic"
)

// Save writes f to the file at path like [Write]. An existing file, which must be
// regular, is replaced once the new one is complete and synced: at any moment path
// is either the old file or the new one. Its permissions stay, and a symbolic link
// at path is followed. A crash may leave a temporary file, whose name is path
// followed by a dot, 16 hexadecimal digits and ".tmp".
//
// After an error the old file is unchanged, unless syncing the folder failed: path
// is then the new file, and a crash of the system may still restore the old one.
func Save(path string, f *File) error {
	out, err := atomic.Create(path)
	if err == nil {
		defer out.Close()
		if err = Write(out, f); err == nil {
			err = out.Commit(true)
		}
	}
	if err != nil {
		return fmt.Errorf("save %s: %w", path, err)
	}
	return nil
}
