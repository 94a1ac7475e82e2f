package files

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/softsearch-go/softsearch/model/internal/regular"
)

const (
	key      = "0123456789abcdef"
	otherKey = "fedcba9876543210"
	lines    = "one\n\nthree\nété\n"
)

// windows are the writes of an output of lines.
var windows = []string{"one\n\n", "three\n", "été\n"}

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

// goOn writes the windows that an output lacks.
func goOn(t *testing.T, o *Output) {
	t.Helper()
	at := 0
	for _, w := range windows {
		if at += strings.Count(w, "\n"); at > o.Lines() {
			if err := o.WriteLines(w, at); err != nil {
				t.Error(err)
			}
		}
	}
}

// interrupted returns the path of an output whose part has all windows, the part and its sums.
func interrupted(t *testing.T) (path string, part, sums []byte) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "out")
	o := continued(t, path, key, false)
	goOn(t, o)
	if err := o.Close(); err != nil {
		t.Fatal(err)
	}
	wantContent(t, path+"."+key+partExtension, lines, 2)
	part, err := os.ReadFile(path + "." + key + partExtension)
	sums, err2 := os.ReadFile(path + "." + key + sumsExtension)
	if err := errors.Join(err, err2); err != nil {
		t.Fatal(err)
	}
	return path, part, sums
}

// TestContinueAltered goes on with a part and sums that a kill or a full disk has cut at any byte, or that
// have other bytes. The output is that of one process, and what holds is not written again.
func TestContinueAltered(t *testing.T) {
	path, part, sums := interrupted(t)
	// lack returns how many windows do not end in the first n bytes of all of them.
	lack := func(n int) int {
		for i, w := range windows {
			if n -= len(w); n < 0 {
				return len(windows) - i
			}
		}
		return 0
	}
	attempts := 0
	attempt := func(name string, part, sums []byte, want int) {
		t.Helper()
		if err := errors.Join(os.WriteFile(path+"."+key+partExtension, part, 0o666), os.WriteFile(path+"."+key+sumsExtension, sums, 0o666)); err != nil {
			t.Fatal(err)
		}
		o, err := continuePart(path, key, false)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		defer o.Close()
		rest := strings.SplitAfterN(lines, "\n", o.Lines()+1)[o.Lines()]
		if got, err := os.ReadFile(o.Name()); string(got)+rest != lines || err != nil {
			t.Errorf("%s: %q before %q, error %v", name, got, rest, err)
		}
		if lacking := lack(len(lines) - len(rest)); want >= 0 && lacking != want {
			t.Errorf("%s: %d windows lack, want %d", name, lacking, want)
		}
		if attempts++; attempts%32 != 0 { // syncing takes time
			return
		}
		goOn(t, o)
		if err := errors.Join(o.Commit(), o.Close()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		wantContent(t, path, lines, 1)
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
	for i := range len(part) + 1 {
		attempt("cut part", part[:i], sums, lack(i))
		for _, end := range []string{"x", "\x00\x00\n", "more lines\n", strings.Repeat("\x00", 1<<19) + "lines\n"} {
			attempt("cut part with an end", append(part[:i:i], end...), sums, lack(i))
		}
		if i < len(part) {
			altered := append([]byte(nil), part...)
			altered[i] ^= 1
			attempt("altered part", altered, sums, lack(i))
			attempt("removed byte", append(part[:i:i], part[i+1:]...), sums, lack(i))
		}
	}
	for i := len(sumsMagic); i <= len(sums); i++ {
		attempt("cut sums", part, sums[:i], len(windows)-strings.Count(string(sums[len(sumsMagic):i]), "\n"))
		if i < len(sums) {
			altered := append([]byte(nil), sums...)
			altered[i] ^= 1 << (i % 8)
			attempt("altered sums", part, altered, -1)
		}
	}
	attempt("no part", nil, sums, len(windows))
	attempt("long line", part, append(sums[:len(sums):len(sums)], strings.Repeat("9", 1<<16)...), 0)
	if err := os.Remove(path + "." + key + partExtension); err != nil { // as a kill at the end of Commit
		t.Fatal(err)
	}
	o := continued(t, path, otherKey, false)
	wantNames(t, filepath.Dir(path), "out."+otherKey+partExtension, "out."+otherKey+sumsExtension)
	o.Close()
}

// TestContinueClosed closes outputs with and without data.
func TestContinueClosed(t *testing.T) {
	path, _, _ := interrupted(t)
	o := continued(t, path, key, false)
	if err := o.Close(); err != nil {
		t.Error(err)
	}
	wantContent(t, path+"."+key+partExtension, lines, 2)
	for _, key := range []string{key, otherKey} {
		dir := t.TempDir()
		o := continued(t, filepath.Join(dir, "out"), key, false)
		if err := o.Close(); err != nil {
			t.Error(err)
		}
		wantNames(t, dir)
	}
}

// TestContinueForeign has files under the names of a part and its sums that no process of ours has made,
// or that have other names. They stay as they are.
func TestContinueForeign(t *testing.T) {
	const theirs = "theirs\n"
	for _, extension := range []string{partExtension, sumsExtension} {
		for _, content := range []string{"", theirs} {
			for name, make := range map[string]func(from, to string) error{
				"file": os.Rename, "names": os.Link, "link": os.Symlink,
				"own part": func(from, to string) error {
					if extension == partExtension {
						if _, err := createWhole(from, strings.TrimSuffix(to, partExtension)+sumsExtension, sumsMagic); err != nil {
							return err
						}
					}
					return os.Symlink(from, to)
				},
			} {
				path := filepath.Join(t.TempDir(), "out")
				foreign := path + "." + key + extension
				if err := os.WriteFile(path+".theirs", []byte(content), 0o666); err != nil {
					t.Fatal(err)
				}
				if err := make(path+".theirs", foreign); err != nil {
					t.Skip(err)
				}
				before := names(t, filepath.Dir(path))
				if o, err := continuePart(path, key, false); err == nil {
					o.Close()
					t.Errorf("%s of %q as %s: no error", name, content, extension)
				} else if !strings.Contains(err.Error(), foreign) {
					t.Errorf("%s of %q as %s: %v", name, content, extension, err)
				}
				if got, err := os.ReadFile(foreign); err != nil || string(got) != content {
					t.Errorf("%s of %q as %s has become %q, %v", name, content, extension, got, err)
				}
				wantNames(t, filepath.Dir(path), before...)
			}
		}
	}
}

// TestContinueOther has a part with another key, which stays unless it is empty.
func TestContinueOther(t *testing.T) {
	path, part, _ := interrupted(t)
	for _, overwrite := range []bool{false, true} {
		if _, err := continuePart(path, otherKey, overwrite); !errors.Is(err, errPart) || !strings.HasPrefix(err.Error(), path+"."+key+partExtension+": ") {
			t.Errorf("got %v, want %v", err, errPart)
		}
	}
	wantContent(t, path+"."+key+partExtension, string(part), 2)
	if err := os.Truncate(path+"."+key+partExtension, 0); err != nil {
		t.Fatal(err)
	}
	continued(t, path, otherKey, false).Close()
	wantNames(t, filepath.Dir(path))
}

// TestContinueExists has a file at the path, before and while the output is written.
func TestContinueExists(t *testing.T) {
	path := put(t, "out", []byte("old"))
	if _, err := continuePart(path, key, false); !errors.Is(err, ErrExists) {
		t.Errorf("got %v, want %v", err, ErrExists)
	}
	o := continued(t, path, key, true)
	goOn(t, o)
	if err := o.Commit(); err != nil {
		t.Error(err)
	}
	wantContent(t, path, lines, 1)

	os.Remove(path)
	o = continued(t, path, key, false)
	goOn(t, o)
	if err := os.WriteFile(path, []byte("theirs"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := o.Commit(); !errors.Is(err, ErrExists) {
		t.Errorf("got %v, want %v", err, ErrExists)
	}
	wantContent(t, path, "theirs", 3)
	wantContent(t, o.Name(), lines, 3)
}

// TestContinueCommitted repeats an output whose Commit was killed after it had linked the path.
func TestContinueCommitted(t *testing.T) {
	path, _, _ := interrupted(t)
	if err := os.Link(path+"."+key+partExtension, path); err != nil {
		t.Skip(err)
	}
	o := continued(t, path, key, true)
	wantContent(t, path, lines, 3)
	wantContent(t, o.Name(), "", 3)
}

// TestContinueLink follows a link: the part stands beside the file.
func TestContinueLink(t *testing.T) {
	dir := t.TempDir()
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(filepath.Join(dir, "out"), link); err != nil {
		t.Skip(err)
	}
	o := continued(t, link, key, false)
	goOn(t, o)
	wantNames(t, dir, "out."+key+partExtension, "out."+key+sumsExtension)
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

// TestChangedMeanwhile cuts, changes or replaces an output while it is written: it does not get its name. What
// holds of a part stays.
func TestChangedMeanwhile(t *testing.T) {
	for what, change := range map[string]func(name string) error{
		"cut": func(name string) error { return os.Truncate(name, 9) },
		"another byte": func(name string) error {
			content, err := os.ReadFile(name)
			content[5] = 'x'
			return errors.Join(err, os.WriteFile(name, content, 0o666))
		},
		"replaced": func(name string) error {
			return errors.Join(os.WriteFile(name+".other", []byte(lines), 0o666), os.Rename(name+".other", name))
		},
		"removed": os.Remove,
	} {
		path := filepath.Join(t.TempDir(), "out")
		whole, err := Create(path, false)
		if err != nil {
			t.Fatal(err)
		}
		defer whole.Close()
		if _, err := whole.Write([]byte(lines)); err != nil {
			t.Fatal(err)
		}
		part := continued(t, path, key, false)
		goOn(t, part)
		for _, o := range []*Output{whole, part} {
			if o == whole && what == "another byte" {
				continue // nothing tells
			}
			err := errors.Join(change(o.Name()), o.Commit())
			if _, there := os.Stat(path); err == nil || !strings.Contains(err.Error(), o.Name()+" has changed while it was written") || there == nil {
				t.Errorf("%s: error %v, %s: %v", what, err, path, there)
			}
		}
		if what != "cut" && what != "another byte" {
			continue
		}
		again := continued(t, path, key, false)
		if again.Lines() == 0 || again.Lines() == strings.Count(lines, "\n") {
			t.Errorf("%s: goes on after %d lines", what, again.Lines())
		}
		goOn(t, again)
		if err := again.Commit(); err != nil {
			t.Error(err)
		}
		if content, err := os.ReadFile(path); string(content) != lines {
			t.Errorf("%s: %q, %v", what, content, err)
		}
	}
}
