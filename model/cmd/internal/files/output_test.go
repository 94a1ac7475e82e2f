package files

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/softsearch-go/softsearch/model/internal/atomic"
	"github.com/softsearch-go/softsearch/model/safetensors"
)

// wantNames fails unless a folder has files of these names alone.
func wantNames(t *testing.T, dir string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if !slices.Equal(got, slices.Sorted(slices.Values(want))) {
		t.Errorf("files %q, want %q", got, want)
	}
}

func wantContent(t *testing.T, path, want string) {
	t.Helper()
	if got, err := os.ReadFile(path); err != nil || string(got) != want {
		t.Errorf("%s: %q and %v, want %q", path, got, err, want)
	}
}

func create(t *testing.T, path string, part *Part, overwrite bool) *Output {
	t.Helper()
	o, err := Create("output", path, part, Options{Overwrite: overwrite})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { o.Close() })
	return o
}

// TestCreate has outputs that are completed, abandoned, and that find a file, before or when they are complete.
func TestCreate(t *testing.T) {
	for _, part := range []*Part{nil, {Key: "k"}} {
		dir := t.TempDir()
		path := filepath.Join(dir, "out")
		o := create(t, path, part, false)
		io.WriteString(o, "new\n")
		if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("before Commit: %v", err)
		}
		if _, err := Create("output", path, part, Options{}); !errors.Is(err, ErrLocked) || !strings.HasPrefix(err.Error(), "--output "+path) {
			t.Errorf("a second one: %v, want %v", err, ErrLocked)
		}
		if err := errors.Join(o.Commit(), o.Close()); err != nil {
			t.Error(err)
		}
		wantContent(t, path, "new\n")
		wantNames(t, dir, "out")
		if _, err := Create("output", path, part, Options{}); !errors.Is(err, ErrExists) {
			t.Errorf("got %v, want %v", err, ErrExists)
		}
		o = create(t, path, part, true)
		io.WriteString(o, "newer\n")
		if err := errors.Join(o.Commit(), o.Close()); err != nil {
			t.Error(err)
		}
		wantContent(t, path, "newer\n")
		o = create(t, filepath.Join(dir, "theirs"), part, false)
		io.WriteString(o, "ours\n")
		if err := os.WriteFile(dir+"/theirs", []byte("theirs"), 0o666); err != nil {
			t.Fatal(err)
		}
		if err := o.Commit(); !errors.Is(err, ErrExists) {
			t.Errorf("got %v, want %v", err, ErrExists)
		}
		o.Close()
		wantContent(t, dir+"/theirs", "theirs")
		if part == nil {
			wantNames(t, dir, "out", "theirs")
		} else {
			wantContent(t, dir+"/theirs.k.part", "ours\n")
		}
	}
	dir := t.TempDir()
	o := create(t, dir+"/out", nil, false)
	io.WriteString(o, "half")
	o.Close()
	create(t, dir+"/out", &Part{Key: "k"}, false).Close() // without data
	wantNames(t, dir)
}

// TestResume goes on with a part that is cut at any byte. The output is the same as of one process.
func TestResume(t *testing.T) {
	texts := []string{"one\n", "\n", "three\n", "été\n"}
	lists := []string{"0 a\n0 b\n", "", "2 c\n", "3 d\n3 é\n3 f\n"} // of lines of the input, of which one has none
	number := func(output string) (int, error) {
		n, _, _ := strings.Cut(output, " ")
		return strconv.Atoi(n)
	}
	for i, lines := range [][]string{texts, lists} {
		part := &Part{Key: "k"}
		if i == 1 {
			part.Line = number
		}
		whole := strings.Join(lines, "")
		dir := t.TempDir()
		path := filepath.Join(dir, "out")
		for cut := range len(whole) + 1 {
			if err := os.WriteFile(path+".k.part", []byte(whole[:cut]), 0o666); err != nil {
				t.Fatal(err)
			}
			o := create(t, path, part, false)
			if done := len(strings.Join(lines[:o.Lines()], "")); done > cut || i == 0 && len(strings.Join(lines[:min(len(lines), o.Lines()+1)], "")) <= cut && o.Lines() < len(lines) {
				t.Errorf("%d bytes: goes on after %d lines", cut, o.Lines())
			}
			io.WriteString(o, strings.Join(lines[o.Lines():], ""))
			if err := errors.Join(o.Commit(), o.Close()); err != nil {
				t.Fatal(err)
			}
			wantContent(t, path, whole)
			wantNames(t, dir, "out")
			os.Remove(path)
		}
		if err := os.WriteFile(path+".k.part", []byte(whole), 0o666); err != nil {
			t.Fatal(err)
		}
		other := create(t, path, &Part{Key: "other"}, false)
		if other.Lines() > 0 || other.ToResume() != "" {
			t.Errorf("another key: goes on after %d lines, %s", other.Lines(), other.ToResume())
		}
		other.Close()
		o := create(t, path, part, false)
		if !strings.HasSuffix(o.ToResume(), path+".k.part") {
			t.Error(o.ToResume())
		}
		o.Close()
		wantNames(t, dir, "out.k.part")
	}
}

// TestCheckReplaced has files that text can replace, and models.
func TestCheckReplaced(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string]string{"text": "l'été\n", "empty": "", "binary": "\x7fELF\x00\x01"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := safetensors.Save(filepath.Join(dir, "model"), &safetensors.File{Metadata: map[string]string{"format": "softsearch 1"}}); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"text": "text", "empty": "text model", "binary": "", "model": "model", "missing": "text model"} {
		for kind, isModel := range map[string]bool{"text": false, "model": true} {
			if err := CheckReplaced(filepath.Join(dir, name), isModel); (err == nil) != strings.Contains(want, kind) {
				t.Errorf("%s by a %s: %v", name, kind, err)
			}
		}
	}
}

// TestDirect writes to a device.
func TestDirect(t *testing.T) {
	o := create(t, os.DevNull, nil, false)
	io.WriteString(o, "nothing")
	if err := errors.Join(o.Commit(), o.Close()); err != nil {
		t.Error(err)
	}
	if _, err := Create("output", os.DevNull, &Part{Key: "k"}, Options{}); !errors.Is(err, atomic.ErrNotRegular) {
		t.Errorf("a part: got %v, want %v", err, atomic.ErrNotRegular)
	}
}

// TestWriteErrors checks that errors have the flag and the path in place of the file beside it.
func TestWriteErrors(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out")
	for key, says := range map[string]string{"": "", "k": "; run the same command to resume from " + path + ".k.part"} {
		var part *Part
		if key != "" {
			part = &Part{Key: key}
		}
		o := create(t, path, part, false)
		io.WriteString(o, "one\n")
		o.file.File.Close()
		want := fmt.Sprintf("--output %s: %v%s", path, fs.ErrClosed, says)
		if _, err := io.WriteString(o, "two\n"); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
		o.Close()
	}
	if _, err := io.WriteString(StandardOutput(failing{}), "x"); err == nil || err.Error() != "standard output: full" {
		t.Errorf("got %v", err)
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) {
	return 0, &fs.PathError{Op: "write", Path: "/dev/stdout", Err: errors.New("full")}
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
	wantContent(t, input, "corpus")
	wantNames(t, dir, "hard", "in", "soft")
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
		if _, err := Create("output", path, nil, Options{Overwrite: true}); err == nil {
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
