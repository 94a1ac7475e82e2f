package files

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// names returns the names of the files in a folder.
func names(t *testing.T, dir string) (list []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

// wantNames fails unless a folder has files of these names alone.
func wantNames(t *testing.T, dir string, want ...string) {
	t.Helper()
	if got := names(t, dir); !slices.Equal(got, slices.Sorted(slices.Values(want))) {
		t.Errorf("files %q, want %q", got, want)
	}
}

// wantContent fails unless the file at path has that content and its folder that many entries.
func wantContent(t *testing.T, path, want string, entries int) {
	t.Helper()
	got, err := os.ReadFile(path)
	if err != nil || string(got) != want {
		t.Errorf("%s: %q and %v, want %q", path, got, err, want)
	}
	if list := names(t, filepath.Dir(path)); len(list) != entries {
		t.Errorf("folder has %q, want %d entries", list, entries)
	}
}

func TestOutput(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out")
	o, err := Create(path, false)
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(o, "new")
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("before Commit: %v", err)
	}
	if err := errors.Join(o.Commit(), o.Close()); err != nil {
		t.Error(err)
	}
	wantContent(t, path, "new", 1)
}

func TestOutputAbandoned(t *testing.T) {
	path := put(t, "out", []byte("old"))
	o, err := Create(path, true)
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(o, "new")
	if err := o.Close(); err != nil {
		t.Error(err)
	}
	wantContent(t, path, "old", 1)
}

func TestOutputExists(t *testing.T) {
	path := put(t, "out", []byte("old"))
	if _, err := Create(path, false); !errors.Is(err, ErrExists) {
		t.Errorf("got %v, want %v", err, ErrExists)
	}
	wantContent(t, path, "old", 1)
	if err := os.Chmod(path, 0o640); err != nil {
		t.Fatal(err)
	}
	o, err := Create(path, true)
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(o, "new")
	if err := o.Commit(); err != nil {
		t.Error(err)
	}
	wantContent(t, path, "new", 1)
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("permissions %v, want those of the file that was replaced", info.Mode())
	}
}

// TestOutputMeanwhile creates a file while an output of that name is written.
func TestOutputMeanwhile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out")
	o, err := Create(path, false)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("theirs"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := o.Commit(); !errors.Is(err, ErrExists) {
		t.Errorf("got %v, want %v", err, ErrExists)
	}
	wantContent(t, path, "theirs", 1)
}

// TestOutputLink follows a chain of links, to a file and to none.
func TestOutputLink(t *testing.T) {
	for _, existing := range []bool{true, false} {
		dir, other := t.TempDir(), t.TempDir()
		file := filepath.Join(other, "file")
		if existing {
			if err := os.WriteFile(file, []byte("old"), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if err := errors.Join(os.Symlink(file, dir+"/second"), os.Symlink("second", dir+"/first")); err != nil {
			t.Skip(err)
		}
		o, err := Create(dir+"/first", true)
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(o, "new")
		if err := o.Commit(); err != nil {
			t.Error(err)
		}
		wantContent(t, file, "new", 1)
		if link, err := os.Readlink(dir + "/first"); err != nil || link != "second" {
			t.Errorf("the link is %q, %v", link, err)
		}
	}
}

// TestOutputLinkUpward follows a link out of a folder that a link leads to: ".." is then the folder of that.
func TestOutputLinkUpward(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(dir+"/real/deep", 0o777); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Symlink("real/deep", dir+"/short"), os.Symlink("../out.txt", dir+"/real/deep/out")); err != nil {
		t.Skip(err)
	}
	for _, path := range []string{dir + "/out.txt", dir + "/real/out.txt"} {
		if err := os.WriteFile(path, []byte("old"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	o, err := Create(dir+"/short/out", true)
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(o, "new")
	if err := o.Commit(); err != nil {
		t.Error(err)
	}
	wantContent(t, dir+"/out.txt", "old", 3)
	wantContent(t, dir+"/real/out.txt", "new", 2)
}

func TestOutputDevice(t *testing.T) {
	o, err := Create(os.DevNull, false)
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(o, "nothing")
	if err := errors.Join(o.Commit(), o.Close()); err != nil {
		t.Error(err)
	}
}

// TestCheckOutputInput names an input in several ways.
func TestCheckOutputInput(t *testing.T) {
	input := put(t, "in", []byte("corpus"))
	dir := filepath.Dir(input)
	if err := errors.Join(os.Link(input, dir+"/hard"), os.Symlink("in", dir+"/soft")); err != nil {
		t.Skip(err)
	}
	for _, name := range []string{"in", "hard", "soft", "../" + filepath.Base(dir) + "/in"} {
		if err := CheckOutput(dir+"/"+name, true, "", "/no/such/file", input); !errors.Is(err, errInput) {
			t.Errorf("%s: %v, want %v", name, err, errInput)
		}
	}
	if err := CheckOutput(dir+"/new", false, "", input); err != nil {
		t.Error(err)
	}
	wantContent(t, input, "corpus", 3)
}

func TestCheckOutput(t *testing.T) {
	dir := t.TempDir()
	if err := os.Symlink("loop", dir+"/loop"); err != nil {
		t.Skip(err)
	}
	for _, path := range []string{"", dir, dir + "/no/out", dir + "/loop"} {
		if err := CheckOutput(path, true); err == nil {
			t.Errorf("%s: no error", path)
		}
		if _, err := Create(path, true); err == nil {
			t.Errorf("%s: created", path)
		}
	}
}

func TestSame(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for _, name := range []string{"a", "b"} {
		if err := os.WriteFile(name, nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for name, to := range map[string]string{"link": "a", "dangling": "new", "folder": "."} {
		if err := os.Symlink(to, name); err != nil {
			t.Skip(err)
		}
	}
	if err := os.Link("a", "hard"); err != nil {
		t.Skip(err)
	}
	for _, test := range []struct {
		a, b string
		want bool
	}{
		{"a", "./a", true}, {"a", dir + "/a", true}, {"a", "link", true}, {"hard", "link", true}, {"a", "folder/a", true},
		{"new", "./new", true}, {"new", "dangling", true}, {"new", "folder/new", true}, {"no/new", "no/../no/new", true},
		{"a", "b", false}, {"a", "new", false}, {"new", "newer", false}, {"link", "dangling", false},
	} {
		if Same(test.a, test.b) != test.want || Same(test.b, test.a) != test.want {
			t.Errorf("%s and %s: not %t", test.a, test.b, test.want)
		}
	}
}

// TestRemoveTemporaries checks that only temporary files of the output go, also where it is a link.
func TestRemoveTemporaries(t *testing.T) {
	dir := t.TempDir()
	stay := []string{"m.0123456789abcdef.tmp", "m.123.tmp", "m.fedcba9876543210.tmp.gz", "mm.0123456789abcdef.tmp"}
	for _, name := range stay {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	var created []string
	for range 2 {
		f, err := createBeside(filepath.Join(dir, "m"))
		if err != nil {
			t.Fatal(err)
		}
		created = append(created, f.Name())
		f.Close()
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(filepath.Join(dir, "m"), link); err != nil {
		t.Skip(err)
	}
	l, err := NewLock(link, created[0])
	if err != nil {
		t.Fatal(err)
	}
	l.Unlock()
	wantNames(t, dir, append(stay, filepath.Base(created[0]))...)
}
