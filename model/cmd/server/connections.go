package server

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

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

// pin keeps the connection of a request until release from making way for others, and that of a key for
// good.
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
