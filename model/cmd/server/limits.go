package server

import (
	"errors"
	"io"
	"net/http"
	"os"
	"sync/atomic"
	"time"
	"unicode/utf8"
)

// limited returns a handler that reads the body of a request and answers with h, or with status 429
// while Options.MaxRequests others are in progress.
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

// body reads a body, which must be UTF-8 and arrive within Options.ReadTimeout.
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

func (b *budgeted) free() { b.used.Add(-b.own) }
