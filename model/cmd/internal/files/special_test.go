//go:build unix

package files

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/softsearch-go/softsearch/model/internal/regular"
)

// TestSpecialFiles gives a pipe that nobody writes to and a device without an end, by links, to what
// reads a file whole or looks at its beginning.
func TestSpecialFiles(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mkfifo(dir+"/pipe", 0o666); err != nil {
		t.Fatal(err)
	}
	for kind, target := range map[string]string{"named pipe": "pipe", "device": "/dev/zero"} {
		path := filepath.Join(dir, "link to "+kind)
		if err := os.Symlink(target, path); err != nil {
			t.Fatal(err)
		}
		for name, f := range map[string]func() error{
			"ReadFile": func() error { _, err := ReadFile(path, 10); return err },
		} {
			if err := f(); !errors.Is(err, regular.Err) || !strings.HasSuffix(err.Error(), path+": not a regular file: "+kind) {
				t.Errorf("%s: %v", name, err)
			}
		}
		for _, k := range []Kind{Text, Pictures, Models, Checkpoints} {
			if k.Is(path) {
				t.Errorf("%s is %s", path, k.Name)
			}
		}
		if isCompressed(path) {
			t.Errorf("%s is compressed", path)
		}
	}
}
