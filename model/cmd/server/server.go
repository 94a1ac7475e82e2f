package server

import (
	"context"
	"crypto/tls"
	"embed"
	"errors"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/softsearch-go/softsearch/model/cmd/terminal"
)

// A Server is a handler of HTTP requests that translates.
type Server struct {
	options   Options
	log       *slog.Logger
	models    []*served
	handler   http.Handler
	places    chan struct{} // of the requests in progress
	bodies    *budget       // bytes of requests
	strangers *budget       // bytes of requests whose key is not known yet
	keys      atomic.Pointer[keyring]
	metrics   *metrics
	open      sync.WaitGroup // translators
	reloads   []reload
	closed    atomic.Bool
	local     atomic.Bool // listens at a loopback address
}

// New opens the models and returns a server. An error of the options wraps [model.ErrConfig].
func New(o Options) (*Server, error) {
	o = o.withDefaults()
	if err := o.check(); err != nil {
		return nil, err
	}
	s := &Server{options: o, log: o.Logger, places: make(chan struct{}, o.MaxRequests)}
	s.bodies = newBudget(int64(o.MaxRequests)*o.MaxBody, int64(o.MaxRequests)*o.MaxBody)
	s.strangers = newBudget(strangerBodies*o.MaxBody, strangerShare*o.MaxBody)
	s.metrics = newMetrics(func() float64 { return float64(len(s.places)) })
	if err := s.loadKeys(); err != nil {
		return nil, err
	}
	for _, m := range o.Models {
		served := &served{Model: m, decoding: o.Decoding, open: &s.open}
		s.models = append(s.models, served)
		if err := served.load(); err != nil {
			s.Close()
			return nil, err
		}
		s.reloads = append(s.reloads, s.newReload("model", func() error {
			err := served.load()
			s.metrics.reloaded(m.Name, err)
			return err
		}, "model", m.Name))
	}
	if o.Keys != nil {
		s.reloads = append(s.reloads, s.newReload("list of API keys", s.loadKeys))
	}
	if err := s.route(); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// Close waits for the requests in progress and frees the models. Later requests get status 503. It does
// not wait for a reload, which changes nothing any more.
func (s *Server) Close() {
	s.closed.Store(true)
	for _, m := range s.models {
		m.close()
	}
	s.open.Wait()
}

// ServeHTTP answers a request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

var (
	//go:embed page
	page embed.FS
	//go:embed openapi.json
	openAPI []byte
)

// pagePolicy keeps the page from scripts and styles that are not files of its own, and from pages that
// would frame it.
const pagePolicy = "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// A handler answers a request, or returns the error to answer with.
type handler func(w http.ResponseWriter, r *http.Request) error

func (h handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if err := h(w, r); err != nil {
		w.(*recorder).fail(err)
	}
}

// routes returns the handlers that answer in JSON or in events, by pattern.
func (s *Server) routes() map[string]handler {
	return map[string]handler{
		"GET /livez":             s.live,
		"GET /readyz":            s.ready,
		"GET /openapi.json":      s.describe,
		"GET /v1/models":         s.listModels,
		"POST /v1/translate":     s.limited(nil, s.translate),
		"POST /v1/stream":        s.limited(nil, s.stream),
		"POST /v1/alternatives":  s.limited(nil, s.alternatives),
		"POST /translate":        s.limited(libreKey, s.libreTranslate),
		"GET /languages":         s.languages,
		"GET /frontend/settings": s.frontendSettings,
	}
}

func (s *Server) route() error {
	mux := http.NewServeMux()
	for pattern, h := range s.routes() {
		mux.Handle(pattern, h)
	}
	files, err := fs.Sub(page, "page")
	if err != nil {
		return err
	}
	mux.Handle("GET /metrics", s.metrics.handler())
	mux.Handle("GET /page/", guarded(http.StripPrefix("/page/", http.FileServerFS(files))))
	mux.Handle("GET /{$}", guarded(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.ServeFileFS(w, r, files, "index.html")
	})))

	protected, err := s.protected(withPlainErrors(mux))
	s.handler = s.recorded(s.named(protected))
	return err
}

// guarded adds the headers by which browsers protect the files of the page.
func guarded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", pagePolicy)
		next.ServeHTTP(w, r)
	})
}

func (s *Server) live(w http.ResponseWriter, _ *http.Request) error {
	return writeJSON(w, http.StatusOK, status{"ok"})
}

func (s *Server) ready(w http.ResponseWriter, _ *http.Request) error {
	if s.closed.Load() {
		return failf(http.StatusServiceUnavailable, "the server is closing")
	}
	return writeJSON(w, http.StatusOK, status{"ok"})
}

func (s *Server) describe(w http.ResponseWriter, _ *http.Request) error {
	w.Header().Set("Content-Type", "application/json")
	_, err := w.Write(openAPI)
	return err
}

type status struct {
	Status string `json:"status"`
}

// An Endpoint is where and how a server listens and ends.
type Endpoint struct {
	Address     string
	Certificate *tls.Certificate // of HTTPS, or nil
	ReadHeader  time.Duration    // that a client has to send the header of a request
	Grace       time.Duration    // for the requests in progress at the end
}

// ErrUnanswered is the error of [Endpoint.Serve] for requests that have outlasted the grace.
var ErrUnanswered = errors.New("requests have not been answered in time")

// Listen returns the listener of the address, with TLS if there is a certificate.
func (e Endpoint) Listen() (net.Listener, error) {
	l, err := net.Listen("tcp", e.Address)
	if err != nil || e.Certificate == nil {
		return l, err
	}
	return tls.NewListener(l, &tls.Config{Certificates: []tls.Certificate{*e.Certificate}, NextProtos: []string{"h2", "http/1.1"}}), nil
}

// ListenAndServe opens the models of o and answers requests, see [Endpoint.Serve].
func (e Endpoint) ListenAndServe(ctx context.Context, o Options) error {
	listener, err := e.Listen()
	if err != nil {
		return err
	}
	defer listener.Close()
	handler, err := terminal.UntilInterrupted(ctx, func() (*Server, error) { return New(o) })
	if err != nil {
		return err
	}
	return e.Serve(ctx, listener, handler, o.Logger)
}

// URL returns the address of a listener for a browser on this machine.
func (e Endpoint) URL(l net.Listener) string {
	host, port, err := net.SplitHostPort(l.Addr().String())
	if ip := net.ParseIP(host); err == nil && ip.IsUnspecified() {
		host = "localhost"
	}
	return e.url(net.JoinHostPort(host, port))
}

func (e Endpoint) url(address string) string {
	if e.Certificate != nil {
		return "https://" + address + "/"
	}
	return "http://" + address + "/"
}

func isLoopback(a net.Addr) bool {
	tcp, ok := a.(*net.TCPAddr)
	return ok && tcp.IP.IsLoopback()
}

// Serve answers requests until ctx ends, and closes the handler. SIGHUP reloads its models.
func (e Endpoint) Serve(ctx context.Context, l net.Listener, handler *Server, log *slog.Logger) error {
	defer handler.Close()
	s := &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: e.ReadHeader,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	handler.reloadOn(ctx, syscall.SIGHUP)
	handler.local.Store(isLoopback(l.Addr()))
	address := slog.String("address", e.url(l.Addr().String()))
	if handler.options.Keys == nil && !handler.local.Load() {
		log.Warn("listening", address, "warning", "there are no API keys: whoever reaches this address can translate")
	} else {
		log.Info("listening", address)
	}
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(l) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
		return e.shutdown(s, log)
	}
}

// shutdown waits for the requests in progress, but not longer than the grace.
func (e Endpoint) shutdown(s *http.Server, log *slog.Logger) error {
	log.Info("ending", "grace_s", e.Grace.Seconds())
	ctx, cancel := context.WithTimeout(context.Background(), e.Grace)
	defer cancel()
	if err := s.Shutdown(ctx); err != nil {
		return errors.Join(ErrUnanswered, s.Close())
	}
	return nil
}
