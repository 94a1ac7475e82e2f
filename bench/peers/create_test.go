package main

import (
	"io"
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

func TestCreate(t *testing.T) {
	folder := t.TempDir()
	place := filepath.Join(folder, "results.txt")
	for _, text := range []string{"first", "second"} {
		if err := create(place, func(w io.Writer) error { _, err := io.WriteString(w, text); return err }); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(place); err != nil || string(got) != text {
			t.Errorf("create wrote %q, %v, want %q", got, err, text)
		}
	}
	if err := create(place, func(io.Writer) error { return io.ErrShortWrite }); err == nil {
		t.Error("create hides an error of write")
	}
	if got, err := os.ReadFile(place); err != nil || string(got) != "second" {
		t.Errorf("after a failed write: %q, %v, want the old text", got, err)
	}
	if entries, err := os.ReadDir(folder); err != nil || len(entries) != 1 {
		t.Errorf("create leaves %v, %v", entries, err)
	}
}

// TestCreateDevice: create does not replace a file that is not regular. A pipe stands for devices.
func TestCreateDevice(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	place := filepath.Join(t.TempDir(), "pipe")
	if err := os.Symlink("/proc/self/fd/"+strconv.Itoa(int(w.Fd())), place); err != nil {
		t.Fatal(err)
	}
	if err := create(place, func(w io.Writer) error { _, err := io.WriteString(w, "text"); return err }); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(r)
	if err != nil || string(got) != "text" {
		t.Errorf("the pipe got %q, %v", got, err)
	}
	if info, err := os.Lstat(place); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the place was replaced: %v, %v", info, err)
	}
}
