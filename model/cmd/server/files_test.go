package server

import (
	"bytes"
	"fmt"
	"log/slog"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"
	"time"
)

// upload returns the body of a form with a file and other fields, pairs of names and values, and its type.
func upload(t testing.TB, name, content string, fields ...string) (body, kind string) {
	t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	part, err := w.CreateFormFile("file", name)
	if err == nil {
		_, err = part.Write([]byte(content))
	}
	for i := 0; err == nil && i < len(fields); i += 2 {
		err = w.WriteField(fields[i], fields[i+1])
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.String(), w.FormDataContentType()
}

// translateFile sends a file and returns the path to download the translation from.
func translateFile(t testing.TB, s *Server, name, content string, fields ...string) (path string) {
	t.Helper()
	body, kind := upload(t, name, content, fields...)
	a := get[fileAnswer](t, s, "POST", "/translate_file", body, "Content-Type", kind)
	path, ok := strings.CutPrefix(a.URL, "http://example.com")
	if !ok || !strings.HasPrefix(path, downloads) {
		t.Errorf("%s: URL %s", name, a.URL)
	}
	return path
}

// TestTranslateFile downloads translations of files in all formats.
func TestTranslateFile(t *testing.T) {
	s := newServer(t, nil)
	const dog, cat = "le chien dort dans le jardin", "le chat mange dans la maison"
	for _, test := range []struct{ name, content, own, kind, want string }{
		{"a.txt", "the dog sleeps\r\n\r\n  the cat eats\r\n", "a_fr.txt", "text/plain", dog + "\r\n\r\n  " + cat + "\r\n"},
		{"A Dog.TXT", "\ufeffthe dog sleeps", "A_Dog_fr.TXT", "text/plain", "\ufeff" + dog},
		{"../chien & été.html", "<p id='the'>the dog sleeps</p>\n<pre>the cat</pre>", "chien___été_fr.html", "text/html", "<p id='the'>" + dog + "</p>\n<pre>the cat</pre>"},
		{"b.srt", "1\n00:00:01,000 --> 00:00:02,000\nthe dog sleeps\n\n2\n00:00:03,000 --> 00:00:04,000\nThe <i>cat</i>\n", "b_fr.srt", "text/plain",
			"1\n00:00:01,000 --> 00:00:02,000\n" + dog + "\n\n2\n00:00:03,000 --> 00:00:04,000\n"},
		{"c.PO", "msgid \"the dog sleeps\"\nmsgstr \"\"\n", "c_fr.PO", "text/plain", "msgid \"the dog sleeps\"\nmsgstr \"" + dog + "\"\n"},
		{"empty.txt", "", "empty_fr.txt", "text/plain", ""},
		{"empty.srt", "", "empty_fr.srt", "text/plain", ""},
		{"empty.html", "", "empty_fr.html", "text/html", ""},
	} {
		for _, source := range []string{"en", "auto"} {
			path := translateFile(t, s, test.name, test.content, "source", source, "target", "fr", "api_key", "", "secret", "x")
			w := ask(s, "GET", path, "")
			h := w.Header()
			if got := w.Body.String(); w.Code != 200 || !strings.HasPrefix(got, test.want) || test.name != "b.srt" && got != test.want {
				t.Errorf("%s: status %d, %q, want %q", test.name, w.Code, got, test.want)
			}
			if d := h.Get("Content-Disposition"); !strings.HasPrefix(d, "attachment; filename") || h.Get("Content-Type") != test.kind+"; charset=utf-8" || !strings.HasPrefix(h.Get("Content-Security-Policy"), "sandbox") {
				t.Errorf("%s: %v", test.name, h)
			}
			if _, own, _ := strings.Cut(path, "."); strings.NewReplacer("%C3%A9", "é").Replace(own) != test.own {
				t.Errorf("%s: path %s", test.name, path)
			}
		}
	}
	body, kind := upload(t, "a.txt", "the dog", "source", "en", "target", "fr")
	if a := get[fileAnswer](t, s, "POST", "/translate_file", body, "Content-Type", kind, "X-Forwarded-Proto", "https"); !strings.HasPrefix(a.URL, "https://example.com/download_file/") {
		t.Errorf("behind a proxy: %s", a.URL)
	}
}

// TestFileErrors has forms that are not answered, by status and text as by LibreTranslate where it has them.
func TestFileErrors(t *testing.T) {
	s := newServer(t, func(o *Options) { o.MaxCharacters, o.MaxBody = 100, 1000 })
	languages := []string{"source", "en", "target", "fr"}
	for _, test := range []struct {
		name, content string
		fields        []string
		code          int
		want          string
	}{
		{"a.txt", "the dog", languages[2:], 400, "Invalid request: missing source parameter"},
		{"a.txt", "the dog", languages[:2], 400, "Invalid request: missing target parameter"},
		{"a.txt", "the dog", []string{"source", "zz", "target", "fr"}, 400, "zz is not supported"},
		{"a.txt", "the dog", []string{"source", "en", "target", "zz"}, 400, "zz is not supported"},
		{"a.txt", "the dog", []string{"source", "fr", "target", "en"}, 400, "English (en) is not available as a target language from French (fr)"},
		{"a.txt", "the dog", append([]string{"source", "fr"}, languages...), 400, `duplicate field "source"`},
		{"", "the dog", languages, 400, "Invalid request: missing file parameter"},
		{"a.exe", "MZ\x90\x00", languages, 400, "Invalid request: file format not supported"},
		{"txt", "the dog", languages, 400, "Invalid request: file format not supported"},
		{"a.txt", "le ch\xeane", languages, 400, "the file is not UTF-8"},
		{"a.po", "msgid", languages, 400, `invalid document: line 1: "msgid", expected msgid, msgstr or a string`},
		{"a.txt", strings.Repeat("a ", 500), languages, 413, "request of more than 1000 bytes"},
	} {
		body, kind := upload(t, test.name, test.content, test.fields...)
		w := ask(s, "POST", "/translate_file", body, "Content-Type", kind)
		if w.Code != test.code || !strings.HasPrefix(decodedError(w.Body.Bytes()), test.want) {
			t.Errorf("%s %q: status %d, %s, want %d and %s", test.name, test.content, w.Code, w.Body, test.code, test.want)
		}
	}
	for _, test := range [][2]string{{"", ""}, {`{"source": "en", "target": "fr"}`, "application/json"}, {"source=en&target=fr", formType}} {
		if w := ask(s, "POST", "/translate_file", test[0], "Content-Type", test[1]); w.Code != 400 || !strings.Contains(w.Body.String(), "missing file parameter") {
			t.Errorf("%q: status %d, %s", test, w.Code, w.Body)
		}
	}
	body, kind := upload(t, "a.txt", strings.Repeat("a ", 51), languages...)
	if w := ask(s, "POST", "/translate_file", body, "Content-Type", kind); w.Code != 200 {
		t.Errorf("a file of more characters than texts may have: status %d, %s", w.Code, w.Body)
	}
	for _, name := range []string{"a.txt", "..", "", "a/b", strings.Repeat("a", 5000)} {
		if w := ask(s, "GET", downloads+name, ""); w.Code != 404 && w.Code != 307 || w.Body.Len() > 1000 {
			t.Errorf("%.20s: status %d, %s", name, w.Code, w.Body)
		}
	}
	if n := s.memory.used; n != 0 {
		t.Errorf("%d bytes remain taken", n)
	}
}

// TestFileKeys needs a key for a translation, and for its download only the name.
func TestFileKeys(t *testing.T) {
	var log bytes.Buffer
	s := newServer(t, func(o *Options) {
		o.Keys = func() ([]Key, error) { return []Key{{Secret: "one"}}, nil }
		o.Logger = slog.New(slog.NewTextHandler(&log, nil))
	})
	for key, code := range map[string]int{"": 401, "two": 403, "one": 200} {
		body, kind := upload(t, "a.txt", "the dog", "source", "en", "target", "fr", "api_key", key)
		if w := ask(s, "POST", "/translate_file", body, "Content-Type", kind); w.Code != code {
			t.Errorf("key %q: status %d, %s", key, w.Code, w.Body)
		}
	}
	path := translateFile(t, s, "letter.txt", "the dog", "source", "en", "target", "fr", "api_key", "one")
	if w := ask(s, "GET", path, "", "Origin", "https://a.example"); w.Code != 200 || w.Header().Get("Access-Control-Allow-Origin") != "*" {
		t.Errorf("status %d, %v", w.Code, w.Header())
	}
	if other := translateFile(t, s, "letter.txt", "the dog", "source", "en", "target", "fr", "api_key", "one"); other == path || len(other) < len(downloads)+26 {
		t.Errorf("two files at %s and %s", path, other)
	}
	if strings.Contains(log.String(), "letter") || !strings.Contains(log.String(), "path="+downloads+" ") {
		t.Errorf("the log tells the name of a file: %s", log.String())
	}
}

// TestFileLife has files that outlive their time, and more than there is memory for.
func TestFileLife(t *testing.T) {
	s := newServer(t, func(o *Options) { o.MaxBody, o.MaxMemory = 10_000, 2<<20 })
	content := strings.Repeat("le chien\n", 600)
	fields := []string{"source", "fr", "target", "fr"} // stays as it is
	var paths []string
	for i := range 40 {
		paths = append(paths, translateFile(t, s, fmt.Sprint(i, ".txt"), content, fields...))
	}
	if n := s.files.bytes(); n > s.files.limit || n < s.files.limit/2 {
		t.Errorf("%d bytes of files, the limit is %d", n, s.files.limit)
	}
	if name := strings.Repeat("é", 200) + ".txt"; ask(s, "GET", translateFile(t, s, name, "le chien", fields...), "").Code != http.StatusOK {
		t.Error("a long name does not come back")
	}
	for i, code := range map[int]int{0: http.StatusNotFound, 39: http.StatusOK} {
		if w := ask(s, "GET", paths[i], ""); w.Code != code || code == http.StatusOK && w.Body.String() != content {
			t.Errorf("file %d: status %d", i, w.Code)
		}
	}
	s.files.life = time.Millisecond
	last := translateFile(t, s, "last.txt", "le chien", fields...)
	eventually(t, "the file to be gone", func() bool { return ask(s, "GET", last, "").Code == http.StatusNotFound })
	if w := ask(s, "GET", paths[39], ""); w.Code != http.StatusOK {
		t.Errorf("another file: status %d", w.Code)
	}
}
