package server

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"syscall"
	"time"
)

// An Endpoint is where and how a server listens and ends.
type Endpoint struct {
	Address     string
	Certificate *tls.Certificate // of HTTPS, or nil
	Connections int              // at the same time; 0 is 1024
	ReadHeader  time.Duration    // that a client has to send the header of a request
	Grace       time.Duration    // for the requests in progress at the end

	moment time.Duration // for requests on their way at the end; 0 is 100 ms
}

// ErrUnanswered is the error of [Endpoint.Serve] for requests that have outlasted the grace.
var ErrUnanswered = errors.New("requests have not been answered in time")

// Listen returns the listener of the address.
func (e Endpoint) Listen() (net.Listener, error) { return net.Listen("tcp", e.Address) }

// ListenAndServe opens the models of o and answers requests, see [Endpoint.Serve].
func (e Endpoint) ListenAndServe(ctx context.Context, o Options) error {
	listener, err := e.Listen()
	if err != nil {
		return err
	}
	defer listener.Close()
	handler, err := New(o)
	if err != nil {
		return err
	}
	return e.Serve(ctx, listener, handler, o.Logger)
}

// Check returns an error unless a server at the address is ready.
func (e Endpoint) Check(ctx context.Context) error {
	client := http.Client{Timeout: e.ReadHeader, Transport: &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "tcp", e.Address)
		},
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, // the names in the certificate are those of clients
	}}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, e.url("localhost")+"readyz", nil)
	if err != nil {
		return err
	}
	answer, err := client.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("%s is not ready: status %s", e.Address, answer.Status)
	}
	return nil
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

// hangup is SIGHUP, which package syscall lacks for JavaScript.
const hangup = syscall.Signal(1)

// Serve answers requests until ctx ends, with TLS if there is a certificate, and closes the handler.
// SIGHUP reloads its models and keys.
func (e Endpoint) Serve(ctx context.Context, l net.Listener, handler *Server, log *slog.Logger) error {
	defer handler.Close()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	handler.local.Store(isLoopback(l.Addr()))
	handler.reloadOn(ctx, hangup)
	level, about := slog.LevelInfo, append([]slog.Attr{slog.String("address", e.url(l.Addr().String()))}, handler.about()...)
	if handler.options.Keys == nil && !handler.local.Load() {
		level, about = slog.LevelWarn, append(about, slog.String("warning", "there are no API keys: whoever reaches this address can translate"))
	}
	log.LogAttrs(ctx, level, "listening", about...)
	limiter := newConnLimiter(l, e.Connections)
	s := &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: e.ReadHeader,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    maxHeader,
		HTTP2:             &http.HTTP2Config{MaxConcurrentStreams: maxStreams, MaxReceiveBufferPerConnection: maxReceive, MaxReceiveBufferPerStream: maxReceive},
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelWarn),
		ConnState:         noteState,
		ConnContext:       withConnection,

		DisableGeneralOptionsHandler: true, // it would answer for any host
	}
	ended := make(chan error, 1)
	go func() {
		if e.Certificate == nil {
			ended <- s.Serve(limiter)
			return
		}
		s.TLSConfig = &tls.Config{Certificates: []tls.Certificate{*e.Certificate}}
		ended <- s.ServeTLS(limiter, "", "")
	}()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	log.Info("ending", "grace_s", e.Grace.Seconds())
	ctx, cancel = context.WithTimeout(context.Background(), e.Grace)
	defer cancel()
	limiter.refuse()
	<-ended
	handler.ending.Store(true)                                                  // after refuse, for the clients would connect again
	limiter.drain(ctx, min(cmp.Or(e.moment, 100*time.Millisecond), e.Grace/20)) // half of the grace at most
	if err := s.Shutdown(ctx); err != nil {
		return errors.Join(ErrUnanswered, s.Close())
	}
	return nil
}
