//go:build unix

package regular

import (
	"errors"
	"io"
	"io/fs"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"
)

// TestKinds opens files that are not regular, and such that have just replaced a regular one.
func TestKinds(t *testing.T) {
	t.Chdir(t.TempDir()) // the path of a socket is short
	if err := syscall.Mkfifo("pipe", 0o666); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("unix", "socket")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for link, target := range map[string]string{"zero": "/dev/zero", "linked": "pipe", "link": "file"} {
		if err := os.Symlink(target, link); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir("folder", 0o777); err != nil {
		t.Fatal(err)
	}
	for path, kind := range map[string]string{"pipe": "named pipe", "linked": "named pipe", "zero": "device", "socket": "socket", "folder": "folder"} {
		if err := CheckPath(path); !errors.Is(err, Err) || !strings.HasPrefix(err.Error(), path+": ") || !strings.HasSuffix(err.Error(), kind) {
			t.Errorf("CheckPath(%s): %v", path, err)
		}
		for name, open := range map[string]func(string) (*os.File, error){"Open": Open, "openOnly": openOnly} {
			f, err := open(path)
			if f != nil || err == nil || !strings.Contains(err.Error(), path) {
				t.Errorf("%s(%s): %v, error %v", name, path, f, err)
			}
			if path == "socket" && name == "openOnly" {
				continue // the system refuses
			}
			if !errors.Is(err, Err) || !strings.HasSuffix(err.Error(), kind) {
				t.Errorf("%s(%s): error %v, want %s", name, path, err, kind)
			}
		}
	}
	if _, err := Open("file"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	if err := os.WriteFile("file", []byte("text"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"file", "link"} {
		if err := CheckPath(path); err != nil {
			t.Error(err)
		}
		f, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if got, err := io.ReadAll(f); string(got) != "text" || err != nil {
			t.Errorf("%s: %q, error %v", path, got, err)
		}
	}
}

// TestOpenOwn opens files that others may have made, and one of the program itself.
func TestOpenOwn(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("file", []byte("text"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Symlink("file", "link"), os.Symlink("none", "dangling"), syscall.Mkfifo("pipe", 0o666)); err != nil {
		t.Fatal(err)
	}
	open := func(name string, links, want bool) {
		t.Helper()
		f, err := OpenOwn(name, os.O_RDWR, links)
		if (err == nil) != want || err != nil && !errors.Is(err, Err) {
			t.Errorf("%s: error %v", name, err)
		}
		f.Close()
	}
	open("file", false, true)
	for _, name := range []string{"link", "dangling", "pipe", "."} {
		open(name, true, false)
	}
	if err := os.Link("file", "second"); err != nil {
		t.Skip(err)
	}
	open("second", true, true)
	open("second", false, false)
}
