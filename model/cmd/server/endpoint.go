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
	"net/netip"
	"os"
	"slices"
	"sync"
	"sync/atomic"
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
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, // clients know the server by other names
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

// hangup is SIGHUP, which package syscall lacks for JavaScript.
const hangup = syscall.Signal(1)

// Serve answers requests until ctx ends, with TLS if there is a certificate, and closes the handler.
// SIGHUP reloads its models and keys.
func (e Endpoint) Serve(ctx context.Context, l net.Listener, handler *Server, log *slog.Logger) error {
	defer handler.Close()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	tcp, ok := l.Addr().(*net.TCPAddr)
	handler.local.Store(ok && tcp.IP.IsLoopback())
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

// Limits of a connection.
const (
	maxHeader  = 16 << 10 // bytes of a request's header
	maxStreams = 16       // requests at the same time over HTTP/2
	maxReceive = 64 << 10 // bytes that HTTP/2 reads before a handler does
)

// A connLimiter is a listener whose open connections have a limit. A newcomer beyond it takes the place of the
// oldest connection of the network that has most, among those that are not pinned; it waits if all are.
type connLimiter struct {
	net.Listener
	limit int

	mutex sync.Mutex
	freed sync.Cond     // a connection is closed or no longer pinned
	open  []*connection // oldest first
	ended bool
}

func newConnLimiter(listener net.Listener, limit int) *connLimiter {
	l := &connLimiter{Listener: listener, limit: cmp.Or(limit, 1024)}
	l.freed.L = &l.mutex
	return l
}

// A connection is one of a connLimiter.
type connection struct {
	net.Conn
	limiter *connLimiter
	network netip.Prefix
	state   atomic.Int32 // an http.ConnState
	pins    int          // requests of clients with a key, or in progress; guarded by limiter.mutex
}

func (l *connLimiter) Accept() (net.Conn, error) {
	accepted, err := l.Listener.Accept()
	if errors.Is(err, os.ErrDeadlineExceeded) { // of refuse
		l.Listener.Close()
		return nil, net.ErrClosed
	}
	if err != nil {
		return nil, err
	}
	c := &connection{Conn: accepted, limiter: l, network: networkOf(accepted.RemoteAddr().String())}
	l.mutex.Lock()
	defer l.mutex.Unlock()
	for len(l.open) >= l.limit && !l.ended {
		if other := l.victim(); other != nil {
			l.remove(other)
			other.Conn.Close()
		} else {
			l.freed.Wait()
		}
	}
	l.open = append(l.open, c)
	return c, nil
}

// victim returns the connection that makes way for the next, nil if all are pinned.
func (l *connLimiter) victim() (victim *connection) {
	of := map[netip.Prefix]int{}
	for _, c := range l.open {
		if c.pins == 0 {
			of[c.network]++
		}
	}
	for _, c := range l.open {
		if c.pins == 0 && (victim == nil || of[c.network] > of[victim.network]) {
			victim = c
		}
	}
	return victim
}

func (l *connLimiter) remove(c *connection) {
	if i := slices.Index(l.open, c); i >= 0 {
		l.open = slices.Delete(l.open, i, i+1)
	}
}

func (c *connection) Close() error {
	c.limiter.mutex.Lock()
	c.limiter.remove(c)
	c.limiter.mutex.Unlock()
	c.limiter.freed.Signal()
	return c.Conn.Close()
}

// CloseWrite is for net/http, which lets a client read the answer to a request that it refuses.
func (c *connection) CloseWrite() error {
	if tcp, ok := c.Conn.(*net.TCPConn); ok {
		return tcp.CloseWrite()
	}
	return errors.ErrUnsupported
}

// pin adds n to the requests that keep a connection open.
func (c *connection) pin(n int) {
	c.limiter.mutex.Lock()
	c.pins += n
	c.limiter.mutex.Unlock()
	c.limiter.freed.Signal()
}

// refuse accepts who is connecting, and closes the listener.
func (l *connLimiter) refuse() {
	l.mutex.Lock()
	l.ended = true
	l.mutex.Unlock()
	l.freed.Signal()
	if tcp, ok := l.Listener.(*net.TCPListener); !ok || tcp.SetDeadline(time.Now().Add(10*time.Millisecond)) != nil {
		l.Listener.Close()
	}
}

// drain waits a moment for requests that are on their way, and up to ten for those in progress, while
// connections are open.
func (l *connLimiter) drain(ctx context.Context, moment time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, 10*moment)
	defer cancel()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for start := time.Now(); ; {
		if open, busy := l.state(); open == 0 || !busy && time.Since(start) > moment {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// state returns the number of open connections, and whether one has a request or is too new to have had
// one.
func (l *connLimiter) state() (open int, busy bool) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return len(l.open), slices.ContainsFunc(l.open, func(c *connection) bool { return http.ConnState(c.state.Load()) != http.StateIdle })
}

// connectionOf returns the connection of a connLimiter that net/http has, nil for another listener.
func connectionOf(c net.Conn) *connection {
	if secure, ok := c.(*tls.Conn); ok {
		c = secure.NetConn()
	}
	own, _ := c.(*connection)
	return own
}

func noteState(c net.Conn, state http.ConnState) { connectionOf(c).state.Store(int32(state)) }

type connectionKey struct{}

func withConnection(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, connectionKey{}, connectionOf(c))
}

// pin keeps the connection of a request from making way for others: until release, or for good if the client has a key.
func (s *Server) pin(r *http.Request) (release func()) {
	c, ok := r.Context().Value(connectionKey{}).(*connection)
	if !ok {
		return func() {}
	}
	c.pin(1)
	return func() {
		if s.options.Keys == nil {
			c.pin(-1)
		}
	}
}
