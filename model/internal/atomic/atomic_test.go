//go:build unix

package atomic

import (
	"errors"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

func names(t *testing.T, folder string) (list []string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

// save writes a file and gives it the name path.
func save(path, content string, replace bool) error {
	f, err := Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := f.WriteString(content); err != nil {
		return err
	}
	return f.Commit(replace)
}

// wantSaved replaces what is at path and fails unless the content is then at end, in a regular file.
func wantSaved(t *testing.T, path, end string, permissions fs.FileMode) {
	t.Helper()
	if err := save(path, "new", true); err != nil {
		t.Error(err)
		return
	}
	info, err := os.Lstat(end)
	if err != nil || !info.Mode().IsRegular() || permissions != 0 && info.Mode() != permissions {
		t.Errorf("%s: %v, %v, want a regular file with %v", end, info, err, permissions)
	}
	for _, name := range []string{path, end} {
		if got, err := os.ReadFile(name); string(got) != "new" || err != nil {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

func TestCommit(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "m")
	for _, old := range []bool{false, true} {
		abandoned, err := Create(path)
		if err != nil {
			t.Fatal(err)
		}
		abandoned.WriteString("half")
		if list := names(t, dir); len(list) != 1 && !old || len(list) != 2 && old {
			t.Errorf("files %q", list)
		}
		if err := abandoned.Close(); err != nil {
			t.Error(err)
		}
		if err := save(path, "old", false); (err == nil) == old || old && !errors.Is(err, fs.ErrExist) {
			t.Errorf("exists: %t, error %v", old, err)
		}
		if got, err := os.ReadFile(path); string(got) != "old" || err != nil || !slices.Equal(names(t, dir), []string{"m"}) {
			t.Errorf("%q, %v, files %q", got, err, names(t, dir))
		}
	}
}

func TestResume(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "m")
	for _, text := range []string{"one ", "two"} {
		f, err := Resume(path, ".part")
		if err != nil {
			t.Fatal(err)
		}
		f.Seek(0, io.SeekEnd)
		f.WriteString(text)
		if f.Keep = text == "one "; f.Keep {
			f.Close()
			continue
		}
		if err := errors.Join(f.Commit(false), f.Close()); err != nil {
			t.Error(err)
		}
	}
	if got, err := os.ReadFile(path); string(got) != "one two" || err != nil || len(names(t, dir)) != 1 {
		t.Errorf("%q, %v, files %q", got, err, names(t, dir))
	}
}

// TestLinkedPart: a link under the name of a part, which others can guess, leads to no other file.
func TestLinkedPart(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, target := range []string{"mine", "absent"} {
		if err := errors.Join(os.WriteFile("mine", []byte("all"), 0o600), os.Symlink(target, "m.part")); err != nil {
			t.Fatal(err)
		}
		if f, err := Resume("m", ".part"); f != nil || !errors.Is(err, ErrNotRegular) || !strings.HasSuffix(err.Error(), "symbolic link") {
			t.Errorf("%s: %v, %v, want a symbolic link", target, f, err)
		}
		os.Remove("m.part")
		if list := names(t, "."); !slices.Equal(list, []string{"mine"}) {
			t.Errorf("%s: files %q", target, list)
		}
	}
}

// TestLinks saves files where links end. All temporary files lie beside the end, and no link is replaced.
func TestLinks(t *testing.T) {
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
				dir := t.TempDir()
				if err := os.MkdirAll(filepath.Join(dir, "store", "deep"), 0o777); err != nil {
					t.Fatal(err)
				}
				for _, l := range test.links {
					if err := os.Symlink(strings.Replace(l[1], "DIR", dir, 1), filepath.Join(dir, l[0])); err != nil {
						t.Fatal(err)
					}
				}
				end, permissions := filepath.Join(dir, test.end), fs.FileMode(0)
				if exists {
					permissions = 0o640
					if err := os.WriteFile(end, []byte("old"), permissions); err != nil {
						t.Fatal(err)
					}
				}
				f, err := Create(filepath.Join(dir, test.path))
				if err != nil {
					t.Fatal(err)
				}
				if got := names(t, filepath.Dir(end)); !slices.ContainsFunc(got, func(name string) bool { return strings.HasSuffix(name, ".tmp") }) {
					t.Errorf("no temporary file among %q", got)
				}
				f.Close()
				wantSaved(t, filepath.Join(dir, test.path), end, permissions)
				for _, l := range test.links {
					if _, err := os.Readlink(filepath.Join(dir, l[0])); err != nil {
						t.Errorf("the link %s is gone: %v", l[0], err)
					}
				}
				t.Chdir(filepath.Dir(filepath.Join(dir, test.path)))
				wantSaved(t, filepath.Base(test.path), end, permissions)
			})
		}
	}
}

func TestPermissions(t *testing.T) {
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

// TestSpecial opens and saves where opening may wait for the other end, and where a file would replace what is none.
func TestSpecial(t *testing.T) {
	t.Chdir(t.TempDir()) // the path of a socket is short
	l, err := net.Listen("unix", "socket")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if err := errors.Join(syscall.Mkfifo("pipe", 0o666), os.Symlink("pipe", "linked"), os.Mkdir("folder", 0o777)); err != nil {
		t.Fatal(err)
	}
	before := names(t, ".")
	for path, kind := range map[string]string{"pipe": "named pipe", "linked": "named pipe", "socket": "socket", "folder": "folder", os.DevNull: "device"} {
		for name, f := range map[string]func() (*os.File, error){
			"Open":   func() (*os.File, error) { return Open(path) },
			"Create": func() (*os.File, error) { _, err := Create(path); return nil, err },
		} {
			if f, err := f(); f != nil || !errors.Is(err, ErrNotRegular) || !strings.HasSuffix(err.Error(), ": "+kind) {
				t.Errorf("%s(%s): %v, %v, want %s", name, path, f, err, kind)
			}
		}
	}
	if list := names(t, "."); !slices.Equal(list, before) {
		t.Errorf("files %q, want %q", list, before)
	}
}

func TestErrors(t *testing.T) {
	dir := t.TempDir()
	for path, to := range map[string]string{"self": "self", "a": "b", "b": "a", "lost": "absent/m", "up": "..", "slash": "absent/"} {
		if err := os.Symlink(to, filepath.Join(dir, path)); err != nil {
			t.Fatal(err)
		}
	}
	for path, says := range map[string]string{
		"self": "too many", "a": "too many", "lost": "no such file", "up": "folder", "slash": "no such file", "absent/m": "no such file",
	} {
		if _, err := Create(filepath.Join(dir, path)); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: error %v, want %q", path, err, says)
		}
	}
	if list := names(t, dir); len(list) != 6 {
		t.Errorf("files %q", list)
	}
}

// TestClean checks that only temporary files of the path go, also where it is a link.
func TestClean(t *testing.T) {
	dir := t.TempDir()
	stay := []string{"m", "m.123.tmp", "m.fedcba9876543210.tmp.gz", "mm.0123456789abcdef.tmp"}
	for _, name := range stay {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		if _, err := Create(filepath.Join(dir, "m")); err != nil {
			t.Fatal(err)
		}
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := errors.Join(os.Symlink(filepath.Join(dir, "m"), link), Clean(link)); err != nil {
		t.Fatal(err)
	}
	if list := names(t, dir); !slices.Equal(list, stay) {
		t.Errorf("files %q, want %q", list, stay)
	}
}
