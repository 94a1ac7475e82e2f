package server

import (
	"cmp"
	"errors"
	"io"
	"net/http"
	"net/netip"
	"os"
	"sync"
	"time"
	"unicode/utf8"
)

// strangerBodies is the number of bodies of the largest size that requests without a key in the header
// may have in memory together, and strangerShare that of those from one network.
const (
	strangerBodies = 16
	strangerShare  = 4
)

// limited returns a handler that reads the body of a request and answers with h, or with status 429
// while Options.MaxRequests others are in progress. The header must have a key, unless keyIn finds one
// in the body.
func (s *Server) limited(keyIn bodyKey, h func(w http.ResponseWriter, r *http.Request, body []byte) error) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		if err := checkEncoding(r); err != nil {
			return err
		}
		content := &budgeted{Reader: http.MaxBytesReader(w, r.Body, s.options.MaxBody), budget: s.bodies}
		defer content.free()
		refused := s.checkKey(keyOf(r))
		switch {
		case refused == nil:
		case keyIn == nil:
			return refused
		default:
			content.budget, content.network = s.strangers, networkOf(r.RemoteAddr)
		}
		body, err := s.body(w, content)
		if err == nil && refused != nil {
			if err = s.checkKeyIn(keyIn, r, body); err == nil {
				err = content.move(s.bodies)
			}
		}
		if err != nil {
			return err
		}
		defer s.hold(r)()
		select {
		case s.places <- struct{}{}: // a client that sends slowly takes no place
			defer func() { <-s.places }()
		default:
			return failf(http.StatusTooManyRequests, "%d requests are in progress, the limit of this server: try again later", s.options.MaxRequests)
		}
		return h(w, r, body)
	}
}

// expectBody gives the body of any request, read by a handler or not, Options.ReadTimeout. Until it has
// been read, an answer ends the connection. Net/http resets the deadline at the end of the body.
func (s *Server) expectBody(w http.ResponseWriter, r *http.Request) {
	if r.ContentLength == 0 {
		return
	}
	// An error means that there are no deadlines, as in tests.
	http.NewResponseController(w).SetReadDeadline(time.Now().Add(s.options.ReadTimeout))
	if r.ProtoMajor == 1 {
		w.Header().Set("Connection", "close")
	}
}

// body reads a body, which must be UTF-8.
func (s *Server) body(w http.ResponseWriter, content io.Reader) ([]byte, error) {
	body, err := io.ReadAll(content)
	var tooLarge *http.MaxBytesError
	var known failure
	switch {
	case errors.As(err, &known):
		return nil, err
	case errors.As(err, &tooLarge):
		return nil, failf(http.StatusRequestEntityTooLarge, "request of more than %d bytes, the limit of this server", s.options.MaxBody)
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, failf(http.StatusRequestTimeout, "the request is not complete after %s", s.options.ReadTimeout)
	case err != nil:
		return nil, failf(http.StatusBadRequest, "the request ends early: %v", err)
	case !utf8.Valid(body):
		return nil, failf(http.StatusBadRequest, "the request is not UTF-8")
	}
	w.Header().Del("Connection")
	return body, nil
}

// A budget bounds the bytes in use, of all networks together and of each.
type budget struct {
	limit, share int64

	mutex sync.Mutex
	used  int64
	by    map[netip.Prefix]int64 // networks that use some
}

func newBudget(limit, share int64) *budget {
	return &budget{limit: limit, share: share, by: map[netip.Prefix]int64{}}
}

// take reports whether there are n bytes for a network, which has them until it takes -n.
func (b *budget) take(network netip.Prefix, n int64) bool {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	own := b.by[network] + n
	if b.used+n > b.limit || own > b.share {
		return false
	}
	b.used += n
	if b.by[network] = own; own == 0 {
		delete(b.by, network)
	}
	return true
}

// networkOf returns what one client has of the addresses of the Internet: one of IPv4, or 2⁶⁴ of IPv6.
func networkOf(remote string) netip.Prefix {
	a, _ := netip.ParseAddrPort(remote)
	ip := a.Addr().Unmap().WithZone("")
	p, _ := ip.Prefix(min(ip.BitLen(), 64))
	return p
}

// A budgeted reader takes what it reads from a budget.
type budgeted struct {
	io.Reader
	*budget
	network netip.Prefix
	own     int64
}

func (b *budgeted) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	return n, cmp.Or(b.add(int64(n)), err)
}

func (b *budgeted) add(n int64) error {
	if !b.take(b.network, n) {
		return failf(http.StatusTooManyRequests, "the requests in progress have too many bytes: try again later")
	}
	b.own += n
	return nil
}

// move takes what has been read from the budget of all networks instead.
func (b *budgeted) move(to *budget) error {
	n := b.own
	b.free()
	b.budget, b.network = to, netip.Prefix{}
	return b.add(n)
}

func (b *budgeted) free() {
	b.take(b.network, -b.own)
	b.own = 0
}
