package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/decode"
)

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
			"duration_ms", float64(duration.Microseconds()) / 1000,
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
	memory    allotment
	answering func() // is called before the answer, unless it is nil
	model     string // that translates, empty if none does
	failure   error
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
	writeJSON(r, code, errorBody{err.Error()})
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

// A failure is an error that a client reads, with its status.
type failure struct {
	code            int
	message, logged string
}

func (f failure) Error() string { return f.message }

// LogValue is for slog.
func (f failure) LogValue() slog.Value { return slog.StringValue(f.logged) }

// given is what a client gave, which errors quote to the client but not in logs.
type given string

func failf(code int, format string, values ...any) error {
	f := failure{code: code, message: fmt.Sprintf(format, values...)}
	for i, v := range values {
		if _, ok := v.(given); ok {
			values[i] = given("…")
		}
	}
	f.logged = fmt.Sprintf(format, values...)
	return f
}

// statusGone is the status in logs and metrics of requests whose clients left. Nobody reads it.
const statusGone = 499

func statusOf(err error) int {
	var f failure
	var term *decode.TermError
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

type errorBody struct {
	Error string `json:"error"`
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

type metrics struct {
	registry                  *prometheus.Registry
	requests                  *prometheus.CounterVec
	duration                  *prometheus.HistogramVec
	sentences, words, reloads *prometheus.CounterVec
	hits, misses              *prometheus.CounterVec
}

// newMetrics takes the functions that count the requests in progress and the bytes of the cache.
func newMetrics(inProgress, cached func() float64) *metrics {
	const namespace = "rnnsearch"
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: namespace, Name: name, Help: help}, labels)
	}
	m := &metrics{
		registry: prometheus.NewRegistry(),
		requests: counter("http_requests_total", "Requests by path and status.", "path", "code"),
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Namespace: namespace, Name: "http_request_duration_seconds", Help: "Time from the header of a request to the end of the answer.",
			Buckets: prometheus.ExponentialBuckets(0.001, 2, 16), // to 33 seconds
		}, []string{"path"}),
		sentences: counter("sentences_total", "Sentences translated.", "model"),
		words:     counter("words_total", "Words, or segments of them, of sentences and of their best translations.", "model", "side"),
		reloads:   counter("reloads_total", "Attempts to reload a model, by result.", "model", "result"),
		hits:      counter("cache_hits_total", "Sentences whose translations the cache had.", "model"),
		misses:    counter("cache_misses_total", "Sentences whose translations the cache had not.", "model"),
	}
	m.registry.MustRegister(m.requests, m.duration, m.sentences, m.words, m.reloads, m.hits, m.misses,
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Namespace: namespace, Name: "requests_in_progress", Help: "Requests that wait for translations.",
		}, inProgress),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Namespace: namespace, Name: "cache_bytes", Help: "Bytes of the translations in the cache.",
		}, cached),
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

func (m *metrics) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{DisableCompression: true})
}

func (m *metrics) answered(path string, code int, d time.Duration) {
	m.requests.WithLabelValues(path, strconv.Itoa(code)).Inc()
	m.duration.WithLabelValues(path).Observe(d.Seconds())
}

func (m *metrics) translated(s sentence, best decode.Translation) {
	m.sentences.WithLabelValues(s.name).Inc()
	m.words.WithLabelValues(s.name, "source").Add(float64(len(s.Words)))
	m.words.WithLabelValues(s.name, "target").Add(float64(len(s.first().Target.Decode(best.IDs))))
}

func (m *metrics) recalled(name string, hits, misses int) {
	m.hits.WithLabelValues(name).Add(float64(hits))
	m.misses.WithLabelValues(name).Add(float64(misses))
}

func (m *metrics) reloaded(name string, err error) {
	result := "ok"
	if err != nil {
		result = "error"
	}
	m.reloads.WithLabelValues(name, result).Inc()
}
