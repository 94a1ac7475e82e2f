package safetensors

import (
	"bytes"
	"compress/gzip"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestForeign reads the beginnings of files of other formats.
func TestForeign(t *testing.T) {
	var zipped bytes.Buffer
	w := gzip.NewWriter(&zipped) // without a time, so that its first bytes are a small header length
	if _, err := w.Write(encoded(t, small())); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ name, file, want string }{
		{"text", "Once upon a time.", "text"},
		{"eight bytes", "Once upo", "text"},
		{"lines", "a b\tc\r\n\fd\v e\n", "text"},
		{"UTF-8", "\ufeffÉté à la plage", "text"},
		{"long", strings.Repeat("le chat dort\n", 10000), "text"},
		{"cut within a character", strings.Repeat("é", 300), "text"},
		{"shifted", "a" + strings.Repeat("é", 300), "text"},
		{"gzip", zipped.String(), "gzip"},
		{"gzip with a time", "\x1f\x8b\x08\x00\xa1\xb2\xc3\x64\x00\x03", "gzip"},
		{"PyTorch", "PK\x03\x04\x00\x00\x08\x08\x00\x00\x00\x00\x00\x00archive/data.pkl", "a zip archive, such as a PyTorch file"},
		{"empty zip", "PK\x05\x06" + strings.Repeat("\x00", 18), "an empty zip archive"},
		{"old PyTorch", "\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19.\x80\x02M\xe9\x03.", "a Python pickle"},
		{"pickle 4", "\x80\x04\x95\x0f\x00\x00\x00\x00\x00\x00\x00}\x94\x8c\x01a\x94K\x01s.", "a Python pickle"},
		{"pickle 4 as a small header", "\x80\x04\x95\x00\x00\x00\x00\x00\x00\x00\x00\x00}\x94.", "a Python pickle"},
		{"pickle 5", "\x80\x05\x95\x0f\x00\x00\x00\x00\x00\x00\x00}\x94\x8c\x01a\x94K\x01s.", "a Python pickle"},
		{"JSON", `{"model": "a", "layers": 3}`, "JSON"},
		{"JSON list", "\n [1, 2, 3, 4]", "JSON"},
		{"HTML", "<!DOCTYPE html>\n<title>404 Not Found</title>", "HTML"},
		{"HTML without a type", "\n<HTML><head>", "HTML"},
	} {
		f, err := Read(strings.NewReader(test.file))
		if want := "not a safetensors file: looks like " + test.want; f != nil || !errors.Is(err, ErrFormat) || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%s: got %v, error %v, want %s", test.name, f, err, want)
		}
	}
	for _, test := range []struct{ name, file string }{
		{"HDF5", "\x89HDF\r\n\x1a\n\x00\x00\x00\x00\x00\x08\x08\x00"},
		{"a control character", "Once upon a\x00time."},
		{"Latin-1", "Voil\xe0 du texte."},
	} {
		f, err := Read(strings.NewReader(test.file))
		if f != nil || !errors.Is(err, ErrFormat) || strings.Contains(err.Error(), "looks like") || !strings.Contains(err.Error(), "header") {
			t.Errorf("%s: got %v, error %v, want no guess", test.name, f, err)
		}
	}
	if _, err := Read(strings.NewReader("")); !errors.Is(err, ErrTruncated) || !strings.HasSuffix(err.Error(), "empty file") {
		t.Errorf("empty file: error %v", err)
	}
}

// TestForeignMessages bounds the messages for any beginning of a file.
func TestForeignMessages(t *testing.T) {
	for first := range 256 {
		for _, rest := range []string{strings.Repeat("\xff", 1000), strings.Repeat("a", 1000), "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"} {
			_, err := Read(strings.NewReader(string([]byte{byte(first)}) + rest))
			if err == nil || len(err.Error()) > 160 || !utf8.ValidString(err.Error()) {
				t.Errorf("first byte %#x: error %q", first, err)
			}
		}
	}
}
