package server

import (
	"embed"
	"io/fs"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
)

// A Server is a handler of HTTP requests that translates.
type Server struct {
	options         Options
	log             *slog.Logger
	models          []*served
	handler         http.Handler
	requests        *budget // of those that wait for answers, by name of the key
	memory          *budget // of requests and answers
	unauthenticated *budget // of requests whose key is not known yet
	turns           turns
	files           fileStore
	spec            []byte
	keys            atomic.Pointer[keyring]
	metrics         *metrics
	translators     sync.WaitGroup // that are open
	reloads         []reload
	closed          atomic.Bool
	local           atomic.Bool // listens at a loopback address
	ending          atomic.Bool // each answer ends its connection
}

// New opens the models and returns a server. An error of the options wraps [model.ErrConfig].
func New(o Options) (*Server, error) {
	o = o.withDefaults()
	if err := o.check(); err != nil {
		return nil, err
	}
	s := &Server{options: o, log: o.Logger, turns: turns{by: map[string]chan struct{}{}}, requests: newBudget(int64(o.MaxRequests), 1)}
	s.files.limit, s.files.life = o.MaxMemory/fileShare, fileLife
	var err error
	if s.spec, err = libreSpec(); err != nil {
		return nil, err
	}
	s.memory = newBudget(o.MaxMemory, memoryParts)
	s.unauthenticated = newBudget(unauthenticatedBodies*perBodyByte*o.MaxBody, unauthenticatedParts)
	s.metrics = newMetrics(o.Version, func() float64 { return float64(s.requests.inUse()) })
	if err := s.loadKeys(); err != nil {
		return nil, err
	}
	for _, m := range o.Models {
		served := &served{Model: m, decoding: o.Decoding, maxBeam: o.MaxBeam, open: &s.translators}
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
		m.replace(nil)
	}
	s.translators.Wait()
}

// ServeHTTP answers a request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

var (
	//go:embed page
	page embed.FS
	//go:embed openapi.json
	openAPI []byte
)

// Page returns the files of the page: index.html, and those that it names in the folder page.
func Page() fs.FS { return page }

// pagePolicy keeps the page, or another answer that a browser shows, from scripts and styles that are not
// files of this server, and from pages that would frame it.
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
		"GET /livez":                s.live,
		"GET /readyz":               s.ready,
		"GET /openapi.json":         describe(openAPI),
		"GET /v1/models":            s.listModels,
		"POST /v1/translate":        s.limited(nil, s.translate),
		"POST /v1/score":            s.limited(nil, s.score),
		"POST /v1/stream":           s.limited(nil, s.stream),
		"POST /v1/alternatives":     s.limited(nil, s.alternatives),
		"POST /translate":           s.limited(libreKey, s.libreTranslate),
		"POST /detect":              s.limited(libreKey, s.detect),
		"POST /translate_file":      s.limited(libreKey, s.translateFile),
		"GET /download_file/{name}": s.downloadFile,
		"POST /suggest":             s.suggest,
		"GET /health":               s.ready,
		"GET /spec":                 describe(s.spec),
		"GET /languages":            s.languages,
		"GET /frontend/settings":    s.frontendSettings,
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
	mux.Handle("GET /page/", http.StripPrefix("/page/", http.FileServerFS(files)))
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) {
		http.ServeFileFS(w, r, files, "index.html")
	})

	protected, err := s.protected(withPlainErrors(mux))
	s.handler = s.recorded(s.named(protected))
	return err
}

func (s *Server) live(w http.ResponseWriter, _ *http.Request) error {
	return writeJSON(w, http.StatusOK, status{"ok"})
}

func (s *Server) ready(w http.ResponseWriter, _ *http.Request) error {
	if s.closed.Load() || s.ending.Load() {
		return failf(http.StatusServiceUnavailable, "the server is closing")
	}
	return writeJSON(w, http.StatusOK, status{"ok"})
}

func describe(interfaces []byte) handler {
	return func(w http.ResponseWriter, _ *http.Request) error {
		w.Header().Set("Content-Type", "application/json")
		_, err := w.Write(interfaces)
		return err
	}
}

type status struct {
	Status string `json:"status"`
}
