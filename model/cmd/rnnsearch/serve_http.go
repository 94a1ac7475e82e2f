package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/softsearch-go/softsearch/model/cmd/server"
)

// defaultTimeout is the default of --grace and of other times.
const defaultTimeout = 30 * time.Second

// httpOptions say how a server listens and ends.
type httpOptions struct {
	address          string
	certificate, key string // files, or empty
	readHeader       time.Duration
	grace            time.Duration
}

// listen returns the listener of the address, with TLS if there is a certificate.
func (o httpOptions) listen() (net.Listener, error) {
	l, err := net.Listen("tcp", o.address)
	if err != nil {
		return nil, fmt.Errorf("--listen %w", err)
	}
	if o.certificate == "" {
		return l, nil
	}
	pair, err := tls.LoadX509KeyPair(o.certificate, o.key)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("--tls-certificate %s, --tls-key %s: %w", o.certificate, o.key, err), l.Close())
	}
	return tls.NewListener(l, &tls.Config{Certificates: []tls.Certificate{pair}, NextProtos: []string{"h2", "http/1.1"}}), nil
}

// url returns the address of a listener for browsers.
func (o httpOptions) url(l net.Listener) string {
	scheme := "http"
	if o.certificate != "" {
		scheme = "https"
	}
	host, port, err := net.SplitHostPort(l.Addr().String())
	if ip := net.ParseIP(host); err == nil && ip.IsUnspecified() {
		host = "localhost"
	}
	return scheme + "://" + net.JoinHostPort(host, port) + "/"
}

// serve answers requests until ctx ends, and closes the handler. SIGHUP reloads its models. The error
// tells of requests that were not answered within the grace.
func (o httpOptions) serve(ctx context.Context, l net.Listener, handler *server.Server, log *slog.Logger) error {
	defer handler.Close()
	s := &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: o.readHeader,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP)
	defer signal.Stop(hangups)
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(l) }()
	log.Info("listening", "address", o.url(l))
	for {
		select {
		case <-hangups:
			handler.Reload() // it logs errors
		case err := <-ended:
			return err
		case <-ctx.Done():
			return o.shutdown(s, log)
		}
	}
}

// shutdown waits for the requests in progress, but not longer than the grace.
func (o httpOptions) shutdown(s *http.Server, log *slog.Logger) error {
	log.Info("ending", "grace", o.grace)
	ctx, cancel := context.WithTimeout(context.Background(), o.grace)
	defer cancel()
	if err := s.Shutdown(ctx); err != nil {
		return errors.Join(fmt.Errorf("--grace %s: requests have not been answered in time", o.grace), s.Close())
	}
	return nil
}
