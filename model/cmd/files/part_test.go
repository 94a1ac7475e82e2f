package files

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/softsearch-go/softsearch/model/internal/regular"
)

const (
	key      = "0123456789abcdef"
	otherKey = "fedcba9876543210"
	lines    = "one\n\nthree\nété\n"
)

// continued returns the output to path with that key.
func continued(t *testing.T, path, key string, overwrite bool) *Output {
	t.Helper()
	o, err := continuePart(path, key, overwrite)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { o.Close() })
	return o
}

// TestContinue goes on with a part that ends at each byte, or is followed there by what a crash may
// leave.
func TestContinue(t *testing.T) {
	for i := range len(lines) + 1 {
		complete := lines[:strings.LastIndexByte(lines[:i], '\n')+1]
		for _, end := range []string{"", "\x00", "\x00\x00\n", strings.Repeat("\x00", 1<<19) + "lines\n", strings.Repeat("x", 1<<19)} {
			path := put(t, "out."+key+".part", []byte(lines[:i]+end))
			path = strings.TrimSuffix(path, "."+key+".part")
			o := continued(t, path, key, false)
			if got, err := io.ReadAll(o.Content()); err != nil || string(got) != complete {
				t.Errorf("%d bytes and %.3q: %q remains, %v, want %q", i, end, got, err, complete)
			}
			io.WriteString(o, lines[len(complete):])
			if err := errors.Join(o.file.Sync(), o.Commit(), o.Close()); err != nil {
				t.Error(err)
			}
			wantContent(t, path, lines, 1)
		}
	}
}

// TestContinueClosed closes outputs with and without data.
func TestContinueClosed(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "out")
	for range 2 {
		o := continued(t, path, key, false)
		if err := o.Close(); err != nil {
			t.Error(err)
		}
		if list := names(t, dir); len(list) > 0 {
			t.Errorf("an output without data has left %q", list)
		}
		o = continued(t, path, key, false)
		io.WriteString(o, lines)
		if err := o.Close(); err != nil {
			t.Error(err)
		}
		wantContent(t, o.Name(), lines, 1)
		o = continued(t, path, key, false)
		if err := errors.Join(o.Truncate(0), o.Close()); err != nil {
			t.Error(err)
		}
	}
}

// TestContinueOther has a part with another key, which stays unless it is empty.
func TestContinueOther(t *testing.T) {
	path := strings.TrimSuffix(put(t, "out."+key+".part", nil), "."+key+".part")
	other := continued(t, path, otherKey, false)
	io.WriteString(other, "half")
	other.Close()
	for _, overwrite := range []bool{false, true} {
		if _, err := continuePart(path, key, overwrite); !errors.Is(err, ErrPart) || !strings.HasPrefix(err.Error(), other.Name()+": ") {
			t.Errorf("got %v, want %v", err, ErrPart)
		}
	}
	wantContent(t, other.Name(), "half", 1)
}

// TestContinueExists has a file at the path, before and while the output is written.
func TestContinueExists(t *testing.T) {
	path := put(t, "out", []byte("old"))
	if _, err := continuePart(path, key, false); !errors.Is(err, ErrExists) {
		t.Errorf("got %v, want %v", err, ErrExists)
	}
	o := continued(t, path, key, true)
	io.WriteString(o, lines)
	if err := o.Commit(); err != nil {
		t.Error(err)
	}
	wantContent(t, path, lines, 1)

	os.Remove(path)
	o = continued(t, path, key, false)
	io.WriteString(o, "new\n")
	if err := os.WriteFile(path, []byte("theirs"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := o.Commit(); !errors.Is(err, ErrExists) {
		t.Errorf("got %v, want %v", err, ErrExists)
	}
	wantContent(t, path, "theirs", 2)
	wantContent(t, o.Name(), "new\n", 2)
}

// TestContinueCommitted repeats an output whose Commit was killed after it had linked the path.
func TestContinueCommitted(t *testing.T) {
	path := put(t, "out", []byte(lines))
	if err := os.Link(path, path+"."+key+".part"); err != nil {
		t.Skip(err)
	}
	o := continued(t, path, key, true)
	wantContent(t, path, lines, 2)
	wantContent(t, o.Name(), "", 2)
}

// TestContinueLink follows a link: the part stands beside the file.
func TestContinueLink(t *testing.T) {
	dir := t.TempDir()
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(filepath.Join(dir, "out"), link); err != nil {
		t.Skip(err)
	}
	o := continued(t, link, key, false)
	io.WriteString(o, lines)
	if got := names(t, dir); !slices.Equal(got, []string{"out." + key + ".part"}) {
		t.Errorf("the folder has %q", got)
	}
	if err := o.Commit(); err != nil {
		t.Error(err)
	}
	wantContent(t, filepath.Join(dir, "out"), lines, 1)
}

// TestContinueErrors has paths that no part can stand for.
func TestContinueErrors(t *testing.T) {
	if _, err := continuePart(os.DevNull, key, true); !errors.Is(err, regular.Err) {
		t.Errorf("device: got %v, want %v", err, regular.Err)
	}
	dir := t.TempDir()
	for _, path := range []string{dir, dir + "/no/out"} {
		if _, err := continuePart(path, key, true); err == nil {
			t.Errorf("%s: no error", path)
		}
	}
}
