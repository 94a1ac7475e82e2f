package server

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/decode"
)

// tiny opens a small model of tokenized English and French that translates a few sentences.
func tiny() ([]*model.Model, error) {
	m, err := model.Open("../../decode/testdata/en-fr.safetensors")
	return []*model.Model{m}, err
}

// newServer returns a server with the tiny model as en-fr, and other options than the defaults if
// change sets them. At the end of the test it closes the server and expects no goroutine of its own.
func newServer(t testing.TB, change func(*Options)) *Server {
	t.Helper()
	before := runtime.NumGoroutine()
	o := Options{Models: []Model{{Name: "en-fr", Source: "en", Target: "fr", Open: tiny}}, Decoding: decode.Options{Threads: 2}}
	if change != nil {
		change(&o)
	}
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		s.Close()
		eventually(t, "no goroutine of the server", func() bool { return runtime.NumGoroutine() <= before })
	})
	return s
}

// eventually waits until a condition holds.
func eventually(t testing.TB, what string, holds func() bool) {
	t.Helper()
	for start := time.Now(); !holds(); time.Sleep(time.Millisecond) {
		if time.Since(start) > time.Minute {
			stacks := make([]byte, 1<<20)
			t.Fatalf("expected %s\n%s", what, stacks[:runtime.Stack(stacks, true)])
		}
	}
}

// listen returns the address of an HTTP server of s, which ends with the test.
func listen(t testing.TB, s *Server) string {
	t.Helper()
	h := httptest.NewServer(s)
	t.Cleanup(func() {
		http.DefaultClient.CloseIdleConnections()
		h.Close()
	})
	return h.URL
}

// reloadAll does what a SIGHUP begins, and returns the errors.
func reloadAll(s *Server) (err error) {
	for _, reload := range s.reloads {
		err = errors.Join(err, reload())
	}
	return err
}

// ask sends a request with a body, which is JSON unless headers, pairs of names and values, say
// otherwise, and returns the answer.
func ask(s http.Handler, method, path, body string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w
}

// get asks for an answer with status 200 and decodes it.
func get[T any](t testing.TB, s http.Handler, method, path, body string, headers ...string) (v T) {
	t.Helper()
	w := ask(s, method, path, body, headers...)
	if w.Code != http.StatusOK {
		t.Fatalf("%s %s %.200s: status %d, %s", method, path, body, w.Code, w.Body)
	}
	d := json.NewDecoder(w.Body)
	d.DisallowUnknownFields()
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%s %s %.200s: %v", method, path, body, err)
	}
	return v
}

func encode(t testing.TB, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// readAll returns what a body has until its end or an error.
func readAll(r io.Reader) string {
	var b bytes.Buffer
	io.Copy(&b, r)
	return b.String()
}
