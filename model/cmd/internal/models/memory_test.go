package models

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestCheck(t *testing.T) {
	list := []limit{{bytes: 64 << 30, used: 1 << 30, of: "the machine"}, {bytes: 1 << 30, used: 100 << 20, of: "its cgroup"}}
	for _, c := range []struct {
		bytes int64
		says  string
	}{
		{0, ""}, {700 << 20, ""}, {800 << 20, "its cgroup has 1024.0 MiB; try less"},
		{100 << 30, "the machine has 64.0 GiB"}, {math.MaxInt64 - 1, "the machine"}, {math.MaxInt64, "needs more than 8 EiB"},
	} {
		err := check(list, c.bytes, "a test", "try less")
		if (err != nil) != (c.says != "") || err != nil && (!errors.Is(err, ErrMemory) || !strings.Contains(err.Error(), c.says)) {
			t.Errorf("%d bytes: got %v, want an error with %q", c.bytes, err, c.says)
		}
	}
	if err := check([]limit{{bytes: 1, used: 2}}, 0, "", ""); err == nil {
		t.Error("no error where more is in use than there may be")
	}
}

// TestCheckFile has a file without blocks on the disk.
func TestCheckFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "model")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := CheckFile(path, 2); err != nil {
		t.Errorf("empty file: %v", err)
	}
	if limits() == nil {
		t.Skip("this system does not tell its limits")
	}
	if err := f.Truncate(1 << 42); err != nil {
		t.Skip(err)
	}
	if err := CheckFile(path, 2); !errors.Is(err, ErrMemory) || !strings.Contains(err.Error(), path) {
		t.Errorf("file of 4 TiB: got %v, want an error with its name", err)
	}
	if err := CheckFile(filepath.Join(path, "none"), 2); err != nil {
		t.Errorf("missing file: %v", err)
	}
}
