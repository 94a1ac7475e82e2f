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

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/softsearch-go/softsearch/model/decode"
)

// requestID is the header of requests and answers that names a request, in the log and in errors, too.
const requestID = "X-Request-Id"

var idSyntax = regexp.MustCompile(`^[\w.-]{1,100}$`)

// recorded logs each request when it has been answered.
func (s *Server) recorded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		rec := &recorder{ResponseWriter: w, timeout: s.options.WriteTimeout, ending: &s.ending, code: statusGone, read: func() {}}
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
	read      func() // ends the turn of the client, if it has one
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

type metrics struct {
	registry                  *prometheus.Registry
	requests                  *prometheus.CounterVec
	duration                  *prometheus.HistogramVec
	sentences, words, reloads *prometheus.CounterVec
	keyed                     *prometheus.CounterVec // requests
}

// newMetrics takes a function that counts the requests in progress.
func newMetrics(version string, inProgress func() float64) *metrics {
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
		keyed:     counter("key_requests_total", "Requests by name of the API key and status.", "key", "code"),
		reloads:   counter("reloads_total", "Attempts to reload a model, by result.", "model", "result"),
	}
	m.registry.MustRegister(m.requests, m.duration, m.sentences, m.words, m.reloads, m.keyed,
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Namespace: namespace, Name: "build_info", Help: "1, with the version of the server.", ConstLabels: prometheus.Labels{"version": version},
		}, func() float64 { return 1 }),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Namespace: namespace, Name: "requests_in_progress", Help: "Requests that wait for translations.",
		}, inProgress),
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

func (m *metrics) translated(model string, s sentence, best decode.Translation) {
	m.sentences.WithLabelValues(model).Inc()
	m.words.WithLabelValues(model, "source").Add(float64(len(s.Words)))
	m.words.WithLabelValues(model, "target").Add(float64(len(s.Model.Target.Decode(best.IDs))))
}

func (m *metrics) reloaded(name string, err error) {
	result := "ok"
	if err != nil {
		result = "error"
	}
	m.reloads.WithLabelValues(name, result).Inc()
}
