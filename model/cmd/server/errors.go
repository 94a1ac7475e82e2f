package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strconv"

	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/decode"
	"github.com/softsearch-go/softsearch/model/text/pipeline"
)

// A failure is an error that a client reads, with its status.
type failure struct {
	code            int
	message, logged string
}

func (f failure) Error() string { return f.message }

// LogValue is for slog.
func (f failure) LogValue() slog.Value { return slog.StringValue(f.logged) }

// userInput is what a client sent, which errors quote to the client but not in logs.
type userInput string

func failf(code int, format string, values ...any) error {
	f := failure{code: code, message: fmt.Sprintf(format, values...)}
	for i, v := range values {
		if _, ok := v.(userInput); ok {
			values[i] = userInput("…")
		}
	}
	f.logged = fmt.Sprintf(format, values...)
	return f
}

// statusGone is the status in logs and metrics of requests whose clients left. Nobody reads it.
const statusGone = 499

func statusOf(err error) int {
	var f failure
	var term *pipeline.TermError
	switch {
	case errors.As(err, &f):
		return f.code
	case errors.Is(err, model.ErrCapacity), errors.Is(err, model.ErrExample), errors.As(err, &term):
		return http.StatusBadRequest
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return statusGone
	case errors.Is(err, decode.ErrBusy):
		return http.StatusTooManyRequests
	case errors.Is(err, decode.ErrClosed):
		return http.StatusServiceUnavailable
	}
	return http.StatusInternalServerError
}

// fail answers with an error, unless an answer has begun or the client has left.
func (r *recorder) fail(err error) {
	r.failure = err
	code := statusOf(err)
	if r.code != statusGone || code == statusGone {
		return
	}
	if code == http.StatusTooManyRequests || code == http.StatusServiceUnavailable {
		r.Header().Set("Retry-After", "1") // second
	}
	if code == http.StatusUnauthorized {
		r.Header().Set("WWW-Authenticate", "Bearer")
	}
	if code == http.StatusUnsupportedMediaType {
		r.Header().Set("Accept-Encoding", "identity")
	}
	writeJSON(r, code, errorOf(r, err))
}

type errorBody struct {
	Error     string `json:"error"`
	RequestID string `json:"request_id"`
}

// errorOf returns what a client reads of the error of the request that w answers.
func errorOf(w http.ResponseWriter, err error) errorBody {
	return errorBody{err.Error(), w.Header().Get(requestID)}
}

func writeJSON(w http.ResponseWriter, code int, v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)+1))
	w.WriteHeader(code)
	if _, err = w.Write(body); err == nil {
		_, err = w.Write([]byte("\n")) // not as one: the body may be long
	}
	return err
}

// withPlainErrors answers as mux does, but with its errors about paths and methods in JSON.
func withPlainErrors(mux *http.ServeMux) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		if _, pattern := mux.Handler(r); pattern != "" {
			mux.ServeHTTP(w, r)
			return nil
		}
		answer := &discarded{header: w.Header()}
		mux.ServeHTTP(answer, r)
		if answer.code == http.StatusMethodNotAllowed {
			return failf(answer.code, "%.20q %s: expected method %s", r.Method, r.URL.Path, w.Header().Get("Allow"))
		}
		return failf(answer.code, "%.100q: no such path on this server", r.URL.Path)
	}
}

// A discarded answer keeps its header and status.
type discarded struct {
	header http.Header
	code   int
}

func (d *discarded) Header() http.Header         { return d.header }
func (d *discarded) WriteHeader(code int)        { d.code = code }
func (d *discarded) Write(p []byte) (int, error) { return len(p), nil }
