package files

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/klauspost/compress/zstd"

	"github.com/softsearch-go/softsearch/model/internal/atomic"
)

const animals = "the cat\nthe dog\n"

// zipped returns text in gzip format, as two members.
func zipped(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	for _, part := range []string{animals[:8], animals[8:]} {
		w := gzip.NewWriter(&b)
		io.WriteString(w, part)
		w.Close()
	}
	return b.Bytes()
}

// blocks returns text as bgzip writes it: members with an extra field, and an empty one at the end.
func blocks(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	for _, part := range []string{animals[:5], animals[5:], ""} {
		w := gzip.NewWriter(&b)
		w.Extra = []byte{'B', 'C', 2, 0, 0, 0}
		io.WriteString(w, part)
		w.Close()
	}
	return b.Bytes()
}

// zstandard returns text in zstd format.
func zstandard(t *testing.T) []byte {
	t.Helper()
	w, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	return w.EncodeAll([]byte(animals), nil)
}

// put writes a file to a temporary folder and returns its path.
func put(t *testing.T, name string, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, content, 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestInput(t *testing.T) {
	for _, test := range []struct {
		name    string
		content []byte
		want    string
	}{
		{"plain", []byte(animals), animals},
		{"gzip", zipped(t), animals},
		{"blocks of gzip", blocks(t), animals},
		{"zstd", zstandard(t), animals},
		{"empty", nil, ""},
		{"short", []byte("a"), "a"},
		{"start of a magic number", gzipMagic[:2], string(gzipMagic[:2])},
		{"start of another", append(zstdMagic[:3:3], 'x'), string(zstdMagic[:3]) + "x"},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := put(t, "text", test.content)
			in, err := Open(t.Context(), path)
			if err != nil {
				t.Fatal(err)
			}
			defer in.Close()
			got, err := io.ReadAll(in)
			if err != nil || string(got) != test.want {
				t.Errorf("got %q and %v, want %q", got, err, test.want)
			}
			if n := int64(len(test.content)); in.Size() != n || in.Offset() != n || in.Name() != path {
				t.Errorf("%s: %d of %d bytes, want %d", in.Name(), in.Offset(), in.Size(), n)
			}
			var raw bytes.Buffer
			if err := in.CopyFile(&raw); err != nil || !bytes.Equal(raw.Bytes(), test.content) {
				t.Errorf("file: got %q and %v, want %q", &raw, err, test.content)
			}
			bytewise, err := io.ReadAll(NewInput(t.Context(), "r", iotest.OneByteReader(bytes.NewReader(test.content))))
			if err != nil || string(bytewise) != test.want {
				t.Errorf("byte by byte: got %q and %v, want %q", bytewise, err, test.want)
			}
		})
	}
}

// TestInputAtOnce reads a line of two bytes from a pipe that stays open.
func TestInputAtOnce(t *testing.T) {
	r, w := io.Pipe()
	defer w.Close()
	go io.WriteString(w, "a\n")
	p := make([]byte, 10)
	if n, err := NewInput(t.Context(), StandardInput, r).Read(p); err != nil || n == 0 {
		t.Errorf("got %q and %v", p[:n], err)
	}
}

func TestInputErrors(t *testing.T) {
	dir := t.TempDir()
	if _, err := Open(t.Context(), dir); err == nil || !strings.Contains(err.Error(), dir+": is a folder") {
		t.Errorf("folder: %v", err)
	}
	if _, err := Open(t.Context(), dir+"/no"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	whole := zstandard(t)
	for name, content := range map[string][]byte{
		"truncated.gz": zipped(t)[:20], "altered.gz": append(zipped(t)[:12], make([]byte, 20)...), "truncated.zst": whole[:len(whole)-3],
	} {
		path := put(t, name, content)
		in, err := Open(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadAll(in); err == nil || !strings.HasPrefix(err.Error(), "read "+path+": compressed data") {
			t.Errorf("%s: %v", name, err)
		}
		in.Close()
	}
	if _, err := io.ReadAll(NewInput(t.Context(), "tape", iotest.ErrReader(io.ErrClosedPipe))); !errors.Is(err, io.ErrClosedPipe) || !strings.HasPrefix(err.Error(), "read tape: ") {
		t.Errorf("got %v", err)
	}
}

// TestCopyFile has inputs that are not files.
func TestCopyFile(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	for _, source := range []io.Reader{r, strings.NewReader(animals)} {
		if err := NewInput(t.Context(), "a", source).CopyFile(io.Discard); !errors.Is(err, atomic.ErrNotRegular) || !strings.HasPrefix(err.Error(), "a: ") {
			t.Errorf("%T: %v, want %v", source, err, atomic.ErrNotRegular)
		}
	}
}

func TestReadFile(t *testing.T) {
	path := put(t, "a", []byte(animals))
	for limit, want := range map[int]string{16: "", 15: path + ": too large, expected at most 15 bytes"} {
		content, err := ReadFile(path, limit)
		if err == nil && string(content) != animals || err != nil && err.Error() != want || (err == nil) != (want == "") {
			t.Errorf("limit %d: %q, error %v", limit, content, err)
		}
	}
}

// TestLimit reads an input that is kept whole: what counts is the decompressed text.
func TestLimit(t *testing.T) {
	path := put(t, "a", zipped(t))
	for limit, want := range map[int]string{16: "", 15: "read " + path + ": too large, expected at most 15 bytes"} {
		in, err := Open(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		defer in.Close()
		in.Limit(limit)
		content, err := io.ReadAll(in)
		if err == nil && string(content) != animals || err != nil && err.Error() != want || (err == nil) != (want == "") {
			t.Errorf("limit %d: %q, error %v", limit, content, err)
		}
	}
}

func TestReadFileSpecial(t *testing.T) {
	if _, err := ReadFile(os.DevNull, 10); !errors.Is(err, atomic.ErrNotRegular) {
		t.Errorf("got %v", err)
	}
}
