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

// A gate is a listener whose open connections have a limit. A newcomer beyond it takes the place of the
// oldest connection of the network that has most, among those that are not held; it waits if all are.
type gate struct {
	net.Listener
	limit int

	mutex sync.Mutex
	freed sync.Cond     // a connection is closed or no longer held
	open  []*connection // oldest first
	ended bool
}

func newGate(l net.Listener, limit int) *gate {
	g := &gate{Listener: l, limit: cmp.Or(limit, 1024)}
	g.freed.L = &g.mutex
	return g
}

// A connection is one of a gate.
type connection struct {
	net.Conn
	gate    *gate
	network netip.Prefix
	state   atomic.Int32 // an http.ConnState
	held    int          // requests of clients with a key, or in progress; guarded by gate.mutex
}

func (g *gate) Accept() (net.Conn, error) {
	accepted, err := g.Listener.Accept()
	if errors.Is(err, os.ErrDeadlineExceeded) { // of refuse
		g.Listener.Close()
		return nil, net.ErrClosed
	}
	if err != nil {
		return nil, err
	}
	c := &connection{Conn: accepted, gate: g, network: networkOf(accepted.RemoteAddr().String())}
	g.mutex.Lock()
	defer g.mutex.Unlock()
	for len(g.open) >= g.limit && !g.ended {
		if other := g.weakest(); other != nil {
			g.remove(other)
			other.Conn.Close()
		} else {
			g.freed.Wait()
		}
	}
	g.open = append(g.open, c)
	return c, nil
}

// weakest returns the connection that makes way for the next, nil if all are held.
func (g *gate) weakest() (weakest *connection) {
	of := map[netip.Prefix]int{}
	for _, c := range g.open {
		if c.held == 0 {
			of[c.network]++
		}
	}
	for _, c := range g.open {
		if c.held == 0 && (weakest == nil || of[c.network] > of[weakest.network]) {
			weakest = c
		}
	}
	return weakest
}

func (g *gate) remove(c *connection) {
	if i := slices.Index(g.open, c); i >= 0 {
		g.open = slices.Delete(g.open, i, i+1)
	}
}

func (c *connection) Close() error {
	c.gate.mutex.Lock()
	c.gate.remove(c)
	c.gate.mutex.Unlock()
	c.gate.freed.Signal()
	return c.Conn.Close()
}

// CloseWrite is for net/http, which lets a client read the answer to a request that it refuses.
func (c *connection) CloseWrite() error {
	if tcp, ok := c.Conn.(*net.TCPConn); ok {
		return tcp.CloseWrite()
	}
	return errors.ErrUnsupported
}

// hold adds n to the requests that keep a connection open.
func (c *connection) hold(n int) {
	c.gate.mutex.Lock()
	c.held += n
	c.gate.mutex.Unlock()
	c.gate.freed.Signal()
}

// refuse accepts who is connecting, and closes the listener.
func (g *gate) refuse() {
	g.mutex.Lock()
	g.ended = true
	g.mutex.Unlock()
	g.freed.Signal()
	if l, ok := g.Listener.(*net.TCPListener); !ok || l.SetDeadline(time.Now().Add(10*time.Millisecond)) != nil {
		g.Listener.Close()
	}
}

// settle waits a moment for requests that are on their way, and up to ten for those in progress, while
// connections are open.
func (g *gate) settle(ctx context.Context, moment time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, 10*moment)
	defer cancel()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for start := time.Now(); ; {
		if open, busy := g.state(); open == 0 || !busy && time.Since(start) > moment {
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
func (g *gate) state() (open int, busy bool) {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	return len(g.open), slices.ContainsFunc(g.open, func(c *connection) bool { return http.ConnState(c.state.Load()) != http.StateIdle })
}

// connectionOf returns the connection of a gate that net/http has, nil for another listener.
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

// hold keeps the connection of a request until release from making way for others, and that of a key for
// good.
func (s *Server) hold(r *http.Request) (release func()) {
	c, ok := r.Context().Value(connectionKey{}).(*connection)
	if !ok {
		return func() {}
	}
	c.hold(1)
	return func() {
		if s.options.Keys == nil {
			c.hold(-1)
		}
	}
}
