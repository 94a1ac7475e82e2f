//go:build unix

package safetensors

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func link(t *testing.T, to, path string) {
	t.Helper()
	if err := os.Symlink(to, path); err != nil {
		t.Fatal(err)
	}
}

// wantSaved saves a file at path and fails unless it is then at end, a regular file.
func wantSaved(t *testing.T, path, end string, permissions fs.FileMode) {
	t.Helper()
	if err := Save(path, small()); err != nil {
		t.Error(err)
		return
	}
	info, err := os.Lstat(end)
	if err != nil {
		t.Error(err)
		return
	}
	if !info.Mode().IsRegular() || permissions != 0 && info.Mode() != permissions {
		t.Errorf("mode %v of the file that was saved, want %v", info.Mode(), permissions)
	}
	for _, name := range []string{path, end} {
		if f, err := Load(name); err != nil || !sameFile(f, small()) {
			t.Errorf("opened %v, error %v", f, err)
		}
	}
}

// TestSaveThroughLinks saves files where links end. All temporary files lie beside the end, and no
// link is replaced.
func TestSaveThroughLinks(t *testing.T) {
	for _, test := range []struct {
		name  string
		links [][2]string // path and what it links to
		path  string
		end   string
	}{
		{"absolute", [][2]string{{"l", "DIR/store/m"}}, "l", "store/m"},
		{"relative", [][2]string{{"l", "store/m"}}, "l", "store/m"},
		{"same folder", [][2]string{{"store/l", "m"}}, "store/l", "store/m"},
		{"upward", [][2]string{{"store/l", "../m"}}, "store/l", "m"},
		{"chain", [][2]string{{"a", "store/b"}, {"store/b", "../c"}, {"c", "DIR/store/deep/m"}}, "a", "store/deep/m"},
		// store/deep is here/, so that ".." from it is DIR/store, not DIR.
		{"upward from a linked folder", [][2]string{{"here", "store/deep"}, {"store/deep/l", "../m"}}, "here/l", "store/m"},
		{"upward through a linked folder", [][2]string{{"here", "store/deep"}, {"l", "here/../m"}}, "l", "store/m"},
		{"folder alone", [][2]string{{"here", "store/deep"}}, "here/m", "store/deep/m"},
	} {
		for _, exists := range []bool{false, true} {
			t.Run(test.name, func(t *testing.T) {
				dir, err := filepath.EvalSymlinks(t.TempDir())
				if err != nil {
					t.Fatal(err)
				}
				if err := os.MkdirAll(filepath.Join(dir, "store", "deep"), 0o777); err != nil {
					t.Fatal(err)
				}
				for _, l := range test.links {
					link(t, strings.Replace(l[1], "DIR", dir, 1), filepath.Join(dir, l[0]))
				}
				end, permissions := filepath.Join(dir, test.end), fs.FileMode(0)
				if exists {
					permissions = 0o640
					if err := os.WriteFile(end, []byte("old"), permissions); err != nil {
						t.Fatal(err)
					}
				}
				if got, _, err := target(filepath.Join(dir, test.path)); err != nil {
					t.Error(err)
				} else if folder, err := filepath.EvalSymlinks(filepath.Dir(got)); folder != filepath.Dir(end) || filepath.Base(got) != "m" {
					t.Errorf("temporary files lie beside %s, error %v, want beside %s", got, err, end)
				}
				wantSaved(t, filepath.Join(dir, test.path), end, permissions)
				for _, l := range test.links {
					if _, err := os.Readlink(filepath.Join(dir, l[0])); err != nil {
						t.Errorf("the link %s is gone: %v", l[0], err)
					}
				}
				t.Chdir(filepath.Dir(filepath.Join(dir, test.path)))
				wantSaved(t, filepath.Base(test.path), end, permissions)
				temporary, err := filepath.Glob(filepath.Join(dir, "*", "*.tmp"))
				if err != nil || len(temporary) > 0 {
					t.Errorf("temporary files %q, error %v", temporary, err)
				}
			})
		}
	}
}

func TestSavePermissions(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m")
	defer syscall.Umask(syscall.Umask(0o027))
	wantSaved(t, path, path, 0o640)
	for _, permissions := range []fs.FileMode{0o600, 0o664, 0o666, 0o444, 0o777} {
		if err := os.Chmod(path, permissions); err != nil {
			t.Fatal(err)
		}
		wantSaved(t, path, path, permissions)
	}
}

// special returns the paths of files that are not regular, each with its kind.
func special(t *testing.T) map[string]string {
	t.Helper()
	dir := t.TempDir()
	t.Chdir(dir) // the path of a socket is short
	pipe, linked, socket := filepath.Join(dir, "pipe"), filepath.Join(dir, "linked"), filepath.Join(dir, "socket")
	if err := syscall.Mkfifo(pipe, 0o666); err != nil {
		t.Fatal(err)
	}
	link(t, "pipe", linked)
	l, err := net.Listen("unix", "socket")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return map[string]string{pipe: "named pipe", linked: "named pipe", socket: "socket", dir: "folder", os.DevNull: "device"}
}

// TestSpecialFiles opens and saves where opening may wait for the other end, and where a file would
// replace what is none.
func TestSpecialFiles(t *testing.T) {
	for path, kind := range special(t) {
		want := "not a regular file: " + kind
		f, err := Load(path)
		if f != nil || err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), path) {
			t.Errorf("Load(%s): got %v, error %v, want %s", path, f, err, want)
		}
		if p := new(fs.PathError); !errors.As(err, &p) {
			t.Errorf("Load(%s): error of type %T, want a *fs.PathError", path, err)
		}
		if _, err := Digest(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Digest(%s): error %v, want %s", path, err, want)
		}
		if kind == "device" { // that of the machine: nothing may write to it
			if _, _, err := target(path); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("target(%s): error %v, want %s", path, err, want)
			}
			continue
		}
		before, err := os.Lstat(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := Save(path, small()); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), path) {
			t.Errorf("Save(%s): error %v, want %s", path, err, want)
		}
		if after, err := os.Lstat(path); err != nil || after.Mode() != before.Mode() {
			t.Errorf("%s was replaced", path)
		}
	}
}

func TestLinkErrors(t *testing.T) {
	dir := t.TempDir()
	for _, l := range [][2]string{{"self", "self"}, {"a", "b"}, {"b", "a"}, {"lost", "absent/m"}, {"up", ".."}, {"slash", "absent/"}} {
		link(t, l[1], filepath.Join(dir, l[0]))
	}
	for _, test := range []struct{ path, says string }{
		{"self", "too many"}, {"a", "too many"}, {"lost", "no such file"}, {"up", "folder"}, {"slash", "no such file"},
	} {
		path := filepath.Join(dir, test.path)
		if err := Save(path, small()); err == nil || !strings.Contains(err.Error(), test.says) || !strings.Contains(err.Error(), path) {
			t.Errorf("Save(%s): error %v, want %q", test.path, err, test.says)
		}
		if _, err := os.Readlink(path); err != nil {
			t.Errorf("%s is no link any more", test.path)
		}
		if test.says == "too many" {
			if _, err := Load(path); err == nil {
				t.Errorf("Load(%s): no error", test.path)
			}
		}
	}
	wantNames(t, dir, "a", "b", "lost", "self", "slash", "up")
}
