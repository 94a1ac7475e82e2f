package safetensors

import (
	"bytes"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func digestOfBytes(t *testing.T, file []byte) (string, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, file, 0o666); err != nil {
		t.Fatal(err)
	}
	digest, err := Digest(path)
	if err != nil && (digest != "" || !strings.Contains(err.Error(), path)) {
		t.Errorf("got %q with error %v, want none and the path", digest, err)
	}
	return digest, err
}

// TestDigest compares with the checksum that Write computes, and with that of files whose values
// are altered or missing.
func TestDigest(t *testing.T) {
	for name, f := range map[string]*File{"empty": {}, "small": small()} {
		b := encoded(t, f)
		want, err := digestOf(f)
		if err != nil {
			t.Fatal(err)
		}
		header := prefixSize + int(b[0]) + int(b[1])<<8
		altered := bytes.Clone(b)
		altered[len(b)-1] ^= 1
		for part, file := range map[string][]byte{"whole": b, "header": b[:header], "altered": altered, "longer": append(bytes.Clone(b), 1)} {
			if len(f.Tensors) == 0 && part == "altered" {
				continue // its last byte is in the header
			}
			if got, err := digestOfBytes(t, file); got != want || err != nil {
				t.Errorf("%s, %s: got %q, error %v, want %q", name, part, got, err, want)
			}
		}
	}
	first, err := digestOfBytes(t, encoded(t, small()))
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*File){
		"float32": func(f *File) { f.Tensors[0].Data[0] = 1 },
		"int8":    func(f *File) { f.Tensors[5].Int8[0] = 1 },
		"dtype":   func(f *File) { f.Tensors[7].Int8 = nil },
	} {
		other := small()
		change(other)
		if second, err := digestOfBytes(t, encoded(t, other)); second == first || err != nil {
			t.Errorf("other %s: got %q, error %v, want another digest than %q", name, second, err, first)
		}
	}
}

func TestDigestErrors(t *testing.T) {
	b := encoded(t, small())
	for _, test := range []struct {
		name string
		file []byte
		want error
	}{
		{"empty", nil, ErrTruncated},
		{"header cut short", b[:40], ErrTruncated},
		{"text", []byte("the quick brown fox"), ErrFormat},
		{"no checksum", rawFile(`{"__metadata__":{"format":"pt"}}`), ErrChecksum},
		{"short", rawFile(`{"__metadata__":{"sha256":"00"}}`), ErrChecksum},
		{"upper case", upperDigest(b), ErrChecksum},
	} {
		if _, err := digestOfBytes(t, test.file); !errors.Is(err, test.want) {
			t.Errorf("%s: error %v, want %v", test.name, err, test.want)
		}
	}
	none := filepath.Join(t.TempDir(), "none")
	if _, err := Digest(none); !errors.Is(err, fs.ErrNotExist) || !strings.HasPrefix(err.Error(), "open "+none) {
		t.Errorf("missing file: error %v", err)
	}
}

// upperDigest returns a file whose checksum has an uppercase digit.
func upperDigest(b []byte) []byte {
	at := digestPattern.FindSubmatchIndex(b)
	b = bytes.Clone(b)
	copy(b[at[2]:], strings.Repeat("A", 64))
	return b
}

// TestMetadata reads what Write wrote, of a file whose values are missing.
func TestMetadata(t *testing.T) {
	f := small()
	f.Metadata = map[string]string{"format": "test 1"}
	path := filepath.Join(t.TempDir(), "file")
	file := encoded(t, f)
	if err := os.WriteFile(path, file[:prefixSize+int(file[0])+int(file[1])<<8], 0o666); err != nil {
		t.Fatal(err)
	}
	if got, err := Metadata(path); err != nil || !maps.Equal(got, f.Metadata) {
		t.Errorf("got %q, error %v, want %q", got, err, f.Metadata)
	}
	if _, err := Metadata(path + ".no"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v for no file", err)
	}
}
