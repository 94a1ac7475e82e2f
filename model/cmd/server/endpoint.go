package server

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/softsearch-go/softsearch/model/cmd/terminal"
)

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

// URL returns the address of a listener for browsers.
func (e Endpoint) URL(l net.Listener) string {
	scheme := "http"
	if e.Certificate != nil {
		scheme = "https"
	}
	host, port, err := net.SplitHostPort(l.Addr().String())
	if ip := net.ParseIP(host); err == nil && ip.IsUnspecified() {
		host = "localhost"
	}
	return scheme + "://" + net.JoinHostPort(host, port) + "/"
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
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP)
	defer signal.Stop(hangups)
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(l) }()
	log.Info("listening", "address", e.URL(l))
	for {
		select {
		case <-hangups:
			handler.Reload() // it logs errors
		case err := <-ended:
			return err
		case <-ctx.Done():
			return e.shutdown(s, log)
		}
	}
}

// shutdown waits for the requests in progress, but not longer than the grace.
func (e Endpoint) shutdown(s *http.Server, log *slog.Logger) error {
	log.Info("ending", "grace", e.Grace)
	ctx, cancel := context.WithTimeout(context.Background(), e.Grace)
	defer cancel()
	if err := s.Shutdown(ctx); err != nil {
		return errors.Join(ErrUnanswered, s.Close())
	}
	return nil
}
