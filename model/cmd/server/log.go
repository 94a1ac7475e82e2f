package server

import (
	"crypto/rand"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// requestID is the header of requests and answers that names a request, in the log and in errors, too.
const requestID = "X-Request-Id"

var idSyntax = regexp.MustCompile(`^[\w.-]{1,100}$`)

// recorded logs each request when it has been answered.
func (s *Server) recorded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		rec := &recorder{ResponseWriter: w, timeout: s.options.WriteTimeout, ending: &s.ending, code: statusGone}
		rec.memory.budget, rec.memory.owner = s.memory, &rec.memory
		defer rec.memory.free()
		rec.setDeadline(time.Time{}) // of the last request on the connection
		w.Header().Set("Content-Security-Policy", pagePolicy)
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Server", "rnnsearch/"+strings.Trim(s.options.Version, "()"))
		id := r.Header.Get(requestID)
		if !idSyntax.MatchString(id) {
			id = rand.Text()
		}
		w.Header().Set(requestID, id)
		s.expectBody(rec, r)
		next.ServeHTTP(rec, r)
		_, path, _ := strings.Cut(r.Pattern, " ") // clients can invent URL paths without bound
		duration := time.Since(start)
		s.metrics.answered(path, rec.code, duration)
		level := slog.LevelInfo
		if rec.code >= http.StatusInternalServerError {
			level = slog.LevelError
		}
		client, _, _ := net.SplitHostPort(r.RemoteAddr)
		address := r.URL.Path
		if strings.HasPrefix(address, downloads) { // whoever has the name can read the file
			address = downloads
		}
		attributes := []any{
			"client", client, "method", fmt.Sprintf("%.20s", r.Method), "path", fmt.Sprintf("%.100s", address), "status", rec.code, "bytes", rec.bytes,
			"duration_ms", float64(duration.Microseconds()) / 1000, "id", id,
		}
		if rec.key != "" {
			attributes = append(attributes, "key", rec.key)
			s.metrics.keyed.WithLabelValues(rec.key, strconv.Itoa(rec.code)).Inc()
		}
		if rec.model != "" {
			attributes = append(attributes, "model", rec.model)
		}
		if rec.failure != nil {
			attributes = append(attributes, "error", rec.failure)
		}
		s.log.Log(r.Context(), level, "request", attributes...)
	})
}

// A recorder notes what was answered, and gives the client a limited time to read each part.
type recorder struct {
	http.ResponseWriter
	timeout   time.Duration
	ending    *atomic.Bool
	code      int // statusGone before there is an answer
	bytes     int64
	memory    reservation
	answering func() // is called before the answer, unless it is nil
	model     string // that translates, empty if none does
	key       string // name of the API key, empty if it has none
	failure   error
}

func (r *recorder) WriteHeader(code int) {
	r.setDeadline(time.Now().Add(r.timeout))
	if r.code == statusGone {
		r.code = code
	}
	if r.answering != nil {
		r.answering()
	}
	if r.ending.Load() {
		r.Header().Set("Connection", "close")
	}
	r.ResponseWriter.WriteHeader(code)
}

func (r *recorder) Write(p []byte) (int, error) {
	if r.code == statusGone {
		r.WriteHeader(http.StatusOK)
	}
	r.setDeadline(time.Now().Add(r.timeout))
	n, err := r.ResponseWriter.Write(p)
	r.bytes += int64(n)
	return n, err
}

// setDeadline sets the time by which the client must have read what is written. It does nothing
// where the connection has no deadlines, as in tests.
func (r *recorder) setDeadline(t time.Time) {
	http.NewResponseController(r.ResponseWriter).SetWriteDeadline(t)
}

// Unwrap is for http.ResponseController.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }
