package server

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// serve returns the address of a server at an endpoint, which ends with the test or before, by end.
func serve(t *testing.T, e Endpoint, s *Server) (address string, end func() error) {
	t.Helper()
	e.Address, e.ReadHeader, e.Grace = "127.0.0.1:0", time.Minute, time.Minute
	l, err := e.Listen()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- e.Serve(ctx, l, s, slog.New(slog.DiscardHandler)) }()
	end = sync.OnceValue(func() error {
		cancel()
		return <-ended
	})
	t.Cleanup(func() { end() })
	return l.Addr().String(), end
}

// newKeyed returns a server with the key "one" that the test must serve, for that closes it.
func newKeyed(t *testing.T) *Server {
	t.Helper()
	s, err := New(Options{
		Models: []Model{{Name: "en-fr", Source: "en", Target: "fr", Open: tiny}},
		Keys:   func() ([]Key, error) { return []Key{{Secret: "one"}}, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

const keyedRequest = "POST /v1/translate HTTP/1.1\r\nHost: localhost\r\nX-API-Key: one\r\nContent-Length: 19\r\n\r\n" + `{"text": "the dog"}`

// TestConnections has clients without a key that connect again and again, with and without a part of a request. The
// connection of a key stays, new ones with a key are answered, and others make way.
func TestConnections(t *testing.T) {
	const limit = 8
	address, _ := serve(t, Endpoint{Connections: limit}, newKeyed(t))
	owner := dial(t, address, keyedRequest)
	answers := bufio.NewReader(owner)
	expect := func(answers *bufio.Reader) {
		t.Helper()
		answer, err := http.ReadResponse(answers, nil)
		if err != nil || answer.StatusCode != http.StatusOK {
			t.Fatalf("%v, %+v", err, answer)
		}
		io.Copy(io.Discard, answer.Body)
	}
	expect(answers)
	var others []net.Conn
	for i := range 10 * limit {
		others = append(others, dial(t, address, []string{"", "POST /v1", postHeader("/translate", 20) + "{"}[i%3]))
	}
	for _, c := range others[:9*limit] {
		readAll(c) // until the server closes
	}
	for range limit / 2 {
		expect(bufio.NewReader(dial(t, address, keyedRequest)))
	}
	io.WriteString(owner, keyedRequest)
	expect(answers)
}

// TestVictim has connections of several networks, some of which are pinned.
func TestVictim(t *testing.T) {
	for _, test := range []struct{ networks, want string }{
		{"", ""}, {"a", "0"}, {"ab", "0"}, {"abb", "1"}, {"aabbb", "2"}, {"Aab", "1"}, {"AAb", "2"}, {"AAA", ""}, {"abBB", "0"},
	} {
		l := newConnLimiter(nil, 0)
		for _, n := range test.networks {
			c := &connection{network: networkOf(fmt.Sprintf("192.0.2.%d:1", n&^32))}
			if n < 'a' {
				c.pins = 1
			}
			l.open = append(l.open, c)
		}
		got := ""
		for i, c := range l.open {
			if c == l.victim() {
				got += fmt.Sprint(i)
			}
		}
		if got != test.want {
			t.Errorf("%s: %s makes way, want %s", test.networks, got, test.want)
		}
	}
	for address, want := range map[string]string{
		"192.0.2.1:80": "192.0.2.1/32", "[::ffff:192.0.2.1]:80": "192.0.2.1/32", "[2001:db8:1:2:3:4:5:6%eth0]:80": "2001:db8:1:2::/64", "@": "invalid Prefix",
	} {
		if got := networkOf(address).String(); got != want {
			t.Errorf("%s: network %s, want %s", address, got, want)
		}
	}
}

// TestRequestsDuringEnd has clients that send one request after the other while the server ends. Each is
// answered, until the answers end the connections, or finds no server.
func TestRequestsDuringEnd(t *testing.T) {
	address, end := serve(t, Endpoint{moment: time.Minute}, newKeyed(t)) // which passes only if a client does not leave
	var clients sync.WaitGroup
	var answered atomic.Int64
	for range 8 {
		clients.Go(func() {
			for {
				c, err := net.Dial("tcp", address)
				if errors.Is(err, syscall.ECONNREFUSED) {
					return
				}
				if err != nil {
					t.Error(err)
					return
				}
				defer c.Close()
				for answers, open := bufio.NewReader(c), true; open; {
					io.WriteString(c, keyedRequest)
					answer, err := http.ReadResponse(answers, nil)
					if err != nil || answer.StatusCode != http.StatusOK {
						t.Errorf("%v, %+v", err, answer)
						return
					}
					io.Copy(io.Discard, answer.Body)
					answered.Add(1)
					open = !answer.Close
				}
			}
		})
	}
	eventually(t, "answers", func() bool { return answered.Load() > 100 })
	if err := end(); err != nil {
		t.Error(err)
	}
	clients.Wait()
	if c, err := net.Dial("tcp", strings.TrimPrefix(address, "http://")); err == nil {
		c.Close()
		t.Error("the server listens after its end")
	}
}
