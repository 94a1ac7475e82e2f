package server

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"sync/atomic"
	"time"
	"unicode/utf8"
)

// limited returns a handler that reads a request, waits until there is a place among the requests in
// progress, and answers with h.
func (s *Server) limited(h func(w http.ResponseWriter, r *http.Request, body []byte) error) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		content := &budgeted{Reader: http.MaxBytesReader(w, r.Body, s.options.MaxBody), used: &s.bodies, limit: s.options.MaxBody * int64(s.options.MaxRequests)}
		defer content.free()
		body, err := s.body(w, content)
		if err != nil {
			return err
		}
		select {
		case s.places <- struct{}{}: // a client that sends slowly takes no place
			defer func() { <-s.places }()
		default:
			return failf(http.StatusTooManyRequests, "%d requests are in progress, the limit of this server: try again later", s.options.MaxRequests)
		}
		return h(w, r, body)
	}
}

// body returns the body of a request, which is UTF-8. A client has Options.ReadTimeout to send it.
func (s *Server) body(w http.ResponseWriter, content io.Reader) ([]byte, error) {
	// Net/http resets the deadline at the end of the body. An error means that there are no deadlines, as in tests.
	http.NewResponseController(w).SetReadDeadline(time.Now().Add(s.options.ReadTimeout))
	body, err := io.ReadAll(content)
	var tooLarge *http.MaxBytesError
	var known failure
	switch {
	case errors.As(err, &known):
		return nil, err
	case errors.As(err, &tooLarge):
		return nil, failf(http.StatusRequestEntityTooLarge, "request of more than %d bytes, the limit of this server", s.options.MaxBody)
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, failf(http.StatusRequestTimeout, "the request is not complete after %s", s.options.ReadTimeout)
	case err != nil:
		return nil, failf(http.StatusBadRequest, "the request ends early: %v", err)
	case !utf8.Valid(body):
		return nil, failf(http.StatusBadRequest, "the request is not UTF-8")
	}
	return body, nil
}

// A budgeted reader adds what it reads to the bytes in use, which have a limit.
type budgeted struct {
	io.Reader
	used  *atomic.Int64
	own   int64
	limit int64
}

func (b *budgeted) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	b.own += int64(n)
	if b.used.Add(int64(n)) > b.limit {
		return n, failf(http.StatusTooManyRequests, "the requests in progress have too many bytes: try again later")
	}
	return n, err
}

// free gives back what was read.
func (b *budgeted) free() { b.used.Add(-b.own) }

// unmarshal decodes a body that is one JSON object.
func unmarshal(body []byte, v any, strict bool) error {
	d := json.NewDecoder(bytes.NewReader(body))
	if strict {
		d.DisallowUnknownFields()
	}
	if err := d.Decode(v); err != nil {
		return failf(http.StatusBadRequest, "invalid JSON: %v", err)
	}
	if _, err := d.Token(); err != io.EOF {
		return failf(http.StatusBadRequest, "invalid JSON: more than one value, expected one object")
	}
	return nil
}

// texts is a text or a list of texts in JSON.
type texts struct {
	list []string
	many bool // a list, maybe of one text
}

func (t *texts) UnmarshalJSON(data []byte) error {
	var one *string
	if json.Unmarshal(data, &one) == nil {
		if one != nil {
			t.list = []string{*one}
		}
		return nil
	}
	t.many = true
	if json.Unmarshal(data, &t.list) != nil {
		return errors.New("expected a text or a list of texts")
	}
	return nil
}

// checkTexts returns an error unless there are texts, and for that many translations of each, within
// the limits.
func (s *Server) checkTexts(t texts, nBest int) error {
	characters := 0
	for _, text := range t.list {
		characters += utf8.RuneCountInString(text)
	}
	switch {
	case len(t.list) == 0:
		return failf(http.StatusBadRequest, "missing text")
	case len(t.list) > s.options.MaxTexts:
		return failf(http.StatusBadRequest, "request of %d texts, expected at most %d", len(t.list), s.options.MaxTexts)
	case characters > s.options.MaxCharacters/nBest:
		return failf(http.StatusBadRequest, "request of %d characters, expected at most %d for %d translations", characters, s.options.MaxCharacters/nBest, nBest)
	}
	return nil
}
