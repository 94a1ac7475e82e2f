package server

import (
	"embed"
	"io/fs"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// A Server is a handler of HTTP requests that translates.
type Server struct {
	options   Options
	log       *slog.Logger
	slots     []*slot
	handler   http.Handler
	places    chan struct{} // of the requests in progress
	bodies    atomic.Int64  // bytes of requests
	keys      keyring
	metrics   *metrics
	open      sync.WaitGroup // translators
	reloading sync.Mutex
	closed    atomic.Bool
}

// New opens the models and returns a server. An error of the options wraps [model.ErrConfig].
func New(o Options) (*Server, error) {
	o = o.withDefaults()
	if err := o.check(); err != nil {
		return nil, err
	}
	s := &Server{options: o, log: o.Logger, places: make(chan struct{}, o.MaxRequests), keys: newKeyring(o.Keys)}
	s.metrics = newMetrics(func() float64 { return float64(len(s.places)) })
	for _, m := range o.Models {
		slot := &slot{Model: m, decoding: o.Decoding, open: &s.open}
		s.slots = append(s.slots, slot)
		if err := slot.load(); err != nil {
			s.Close()
			return nil, err
		}
	}
	if err := s.route(); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// Close waits for the requests in progress and frees the models. Later requests get status 503.
func (s *Server) Close() {
	s.closed.Store(true)
	s.reloading.Lock()
	defer s.reloading.Unlock()
	for _, slot := range s.slots {
		slot.replace(nil)
	}
	s.open.Wait()
}

// ServeHTTP answers a request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

//go:embed page
var page embed.FS

// A handler answers a request, or returns the error to answer with.
type handler func(w http.ResponseWriter, r *http.Request) error

// route sets the handler of s.
func (s *Server) route() error {
	mux := http.NewServeMux()
	for pattern, h := range map[string]handler{
		"GET /livez":             s.live,
		"GET /readyz":            s.ready,
		"GET /v1/models":         s.listModels,
		"POST /v1/translate":     s.limited(s.translate),
		"POST /v1/stream":        s.limited(s.stream),
		"POST /v1/alternatives":  s.limited(s.alternatives),
		"POST /translate":        s.limited(s.libreTranslate),
		"GET /languages":         s.languages,
		"GET /frontend/settings": s.frontendSettings,
	} {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			if err := h(w, r); err != nil {
				w.(*recorder).fail(err)
			}
		})
	}
	files, err := fs.Sub(page, "page")
	if err != nil {
		return err
	}
	mux.Handle("GET /metrics", s.metrics.handler())
	mux.Handle("GET /page/", http.StripPrefix("/page/", http.FileServerFS(files)))
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) { http.ServeFileFS(w, r, files, "index.html") })

	protection := http.NewCrossOriginProtection()
	for _, origin := range s.options.Origins {
		if origin == anyOrigin {
			protection.AddInsecureBypassPattern("/")
		} else if err := protection.AddTrustedOrigin(origin); err != nil {
			return err
		}
	}
	for _, path := range open {
		protection.AddInsecureBypassPattern(path)
	}
	protection.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.(*recorder).fail(failf(http.StatusForbidden, "origin %.100q: not one of those that this server trusts", r.Header.Get("Origin")))
	}))
	s.handler = s.recorded(s.shared(protection.Handler(plainErrors{mux})))
	return nil
}

const anyOrigin = "*"

// open are the paths of LibreTranslate's interface, which pages of all origins may use.
var open = []string{"/translate", "/languages", "/frontend/settings"}

// shared answers preflight requests and allows the pages of other origins to read answers.
func (s *Server) shared(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header, origin := w.Header(), r.Header.Get("Origin")
		trusted := slices.Contains(s.options.Origins, anyOrigin) || slices.Contains(open, r.URL.Path)
		switch {
		case trusted:
			header.Set("Access-Control-Allow-Origin", anyOrigin)
		case slices.Contains(s.options.Origins, origin):
			trusted = true
			header.Set("Access-Control-Allow-Origin", origin)
			header.Add("Vary", "Origin")
		}
		if trusted && r.Method == http.MethodOptions && r.Header.Get("Access-Control-Request-Method") != "" {
			header.Set("Access-Control-Allow-Methods", "GET, POST")
			header.Set("Access-Control-Allow-Headers", "Authorization, Content-Type, X-API-Key")
			header.Set("Access-Control-Max-Age", "86400")
			w.WriteHeader(http.StatusNoContent)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// live tells that the process answers.
func (s *Server) live(w http.ResponseWriter, _ *http.Request) error {
	return writeJSON(w, http.StatusOK, status{"ok"})
}

// ready tells whether requests are translated.
func (s *Server) ready(w http.ResponseWriter, _ *http.Request) error {
	if s.closed.Load() {
		return failf(http.StatusServiceUnavailable, "the server is closing")
	}
	return writeJSON(w, http.StatusOK, status{"ok"})
}

type status struct {
	Status string `json:"status"`
}

// plainErrors turns the errors of a ServeMux about paths and methods into JSON.
type plainErrors struct{ mux *http.ServeMux }

func (p plainErrors) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if _, pattern := p.mux.Handler(r); pattern != "" {
		p.mux.ServeHTTP(w, r)
		return
	}
	answer := &discarded{header: w.Header()}
	p.mux.ServeHTTP(answer, r)
	switch answer.code {
	case http.StatusMethodNotAllowed:
		w.(*recorder).fail(failf(answer.code, "%.20q %s: expected method %s", r.Method, r.URL.Path, w.Header().Get("Allow")))
	default:
		w.(*recorder).fail(failf(answer.code, "%.100q: no such path on this server", r.URL.Path))
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

// recorded logs each request when it has been answered.
func (s *Server) recorded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		rec := &recorder{ResponseWriter: w, timeout: s.options.WriteTimeout, code: statusGone}
		rec.extend()
		next.ServeHTTP(rec, r)
		_, path, _ := strings.Cut(r.Pattern, " ") // not that of the request: metrics of any path would have no bound
		s.metrics.answered(path, rec.code, time.Since(start))
		level := slog.LevelInfo
		if rec.code >= http.StatusInternalServerError {
			level = slog.LevelError
		}
		attributes := []any{"method", r.Method, "path", r.URL.Path, "status", rec.code, "bytes", rec.bytes, "duration", time.Since(start)}
		if rec.failure != nil {
			attributes = append(attributes, "error", rec.failure)
		}
		s.log.Log(r.Context(), level, "request", attributes...)
	})
}

// A recorder knows what was answered, and gives the client a limited time for each part.
type recorder struct {
	http.ResponseWriter
	timeout time.Duration
	code    int // statusGone before there is an answer
	bytes   int64
	failure error
}

// fail answers with an error, unless an answer has begun.
func (r *recorder) fail(err error) {
	r.failure = err
	if r.code == statusGone {
		writeError(r, err)
	}
}

func (r *recorder) WriteHeader(code int) {
	r.extend()
	if r.code == statusGone {
		r.code = code
	}
	r.ResponseWriter.WriteHeader(code)
}

func (r *recorder) Write(p []byte) (int, error) {
	if r.code == statusGone {
		r.code = http.StatusOK
	}
	r.extend()
	n, err := r.ResponseWriter.Write(p)
	r.bytes += int64(n)
	return n, err
}

// extend gives the client time for the next part. Writers without deadlines, as in tests, have none.
func (r *recorder) extend() {
	http.NewResponseController(r.ResponseWriter).SetWriteDeadline(time.Now().Add(r.timeout))
}

// Unwrap is for http.ResponseController.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }
