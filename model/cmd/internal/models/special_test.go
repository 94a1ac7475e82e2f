//go:build unix

package models

import (
	"errors"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/softsearch-go/softsearch/model/internal/atomic"
)

// TestSpecialFile opens a pipe that nobody writes to.
func TestSpecialFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadModel(path); !errors.Is(err, atomic.ErrNotRegular) {
		t.Errorf("got %v", err)
	}
	if _, err := OpenModel(path); !errors.Is(err, atomic.ErrNotRegular) {
		t.Errorf("got %v", err)
	}
}
