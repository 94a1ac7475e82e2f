package server

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/softsearch-go/softsearch/model/internal/fixture"
)

// TestBusy keeps the maximum of requests in progress.
func TestBusy(t *testing.T) {
	s := newServer(t, func(o *Options) { o.MaxRequests = 2 })
	for range 2 {
		s.requests.take("", 1)
	}
	for path, body := range map[string]string{
		"/v1/translate": `{"text": "a"}`, "/v1/score": `{"text": "a", "translations": ["a"]}`, "/v1/stream": `{"text": "a"}`, "/v1/alternatives": `{"text": "a"}`, "/translate": `{"q": "a", "source": "en", "target": "fr"}`,
	} {
		w := ask(s, "POST", path, body)
		if w.Code != http.StatusTooManyRequests || w.Header().Get("Retry-After") != "1" || decodedError(w.Body.Bytes()) == "" {
			t.Errorf("%s: status %d, %v, %s", path, w.Code, w.Header(), w.Body)
		}
	}
	if code := ask(s, "GET", "/livez", "").Code; code != http.StatusOK {
		t.Errorf("livez gives status %d", code)
	}
	s.requests.take("", -1)
	for range 3 { // a request leaves its place to the next
		if w := ask(s, "POST", "/v1/translate", `{"text": "a"}`); w.Code != http.StatusOK {
			t.Errorf("status %d, %s", w.Code, w.Body)
		}
	}
	s.requests.take("", -1)
}

// TestBodies has requests whose bodies take memory together.
func TestBodies(t *testing.T) {
	s := newServer(t, func(o *Options) { o.MaxBody, o.MaxMemory = 100, 1<<20 })
	s.memory.used += 1<<20 - 100
	if w := ask(s, "POST", "/v1/translate", `{"text": "the dog"}`); w.Code != http.StatusTooManyRequests || w.Header().Get("Retry-After") == "" {
		t.Errorf("status %d, %s", w.Code, w.Body)
	}
	s.memory.used -= 1<<20 - 100
	for range 10 {
		ask(s, "POST", "/v1/translate", `{"text": "`+strings.Repeat("a", 100))
		if w := ask(s, "POST", "/v1/translate", `{"text": "the dog"}`); w.Code != http.StatusOK {
			t.Errorf("status %d, %s", w.Code, w.Body)
		}
	}
	if n := s.memory.used; n != 0 || len(s.memory.by) != 0 {
		t.Errorf("%d bytes in use", n)
	}
}

// TestTurns has a request with a large body while another one of its client is read: it waits, until the client leaves.
// Small ones do not wait, nor do those of others.
func TestTurns(t *testing.T) {
	s := newServer(t, nil)
	large := func(ctx context.Context, address string) *httptest.ResponseRecorder {
		body := `{"source": "en", "target": "fr", "format": "html", "q": "` + strings.Repeat("<p>the dog", largeBody/10+1) + `"}`
		r, w := httptest.NewRequest("POST", "/translate", strings.NewReader(body)), httptest.NewRecorder()
		r.Header.Set("Content-Type", "application/json")
		r.RemoteAddr = address
		s.ServeHTTP(w, r.WithContext(ctx))
		return w
	}
	const one, other = "192.0.2.1:1234", "192.0.2.2:1234"
	end, err := s.turns.take(t.Context(), networkOf(one).String())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	left := make(chan int)
	go func() { left <- large(ctx, one).Body.Len() }()
	eventually(t, "the request to begin", func() bool { return s.requests.inUse() == 1 })
	if w := ask(s, "POST", "/v1/translate", `{"text": "the dog"}`); w.Code != http.StatusOK {
		t.Errorf("a small one beside it: status %d, %s", w.Code, w.Body)
	}
	if w := large(t.Context(), other); w.Code != http.StatusOK {
		t.Errorf("another client: status %d, %s", w.Code, w.Body)
	}
	cancel()
	if n := <-left; n > 0 || s.requests.inUse() > 0 || s.memory.inUse() > 0 {
		t.Errorf("an answer of %d bytes, %d requests in progress with %d bytes", n, s.requests.inUse(), s.memory.inUse())
	}
	end()
	for range 2 {
		if w := large(t.Context(), one); w.Code != http.StatusOK || len(s.turns.by) > 0 {
			t.Errorf("a large body: status %d, %s, then %d turns", w.Code, w.Body, len(s.turns.by))
		}
	}
}

// unfinished begins a request from an address whose body, n bytes without a key, does not end before
// the test. It returns when the server has read them, or answered.
func unfinished(t *testing.T, s *Server, address, path string, n int, headers ...string) {
	t.Helper()
	r, w := io.Pipe()
	request := httptest.NewRequest("POST", path, r)
	request.RemoteAddr = address
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	answered := make(chan struct{})
	go func() {
		defer close(answered)
		s.ServeHTTP(httptest.NewRecorder(), request)
		r.Close()
	}()
	t.Cleanup(func() {
		w.Close()
		<-answered
	})
	w.Write(bytes.Repeat([]byte("x"), n))
	w.Write(nil) // after the read that took the last byte
}

// TestUnauthenticated has requests without a key that do not end, from one network and then from many.
// Requests with a key in the header are answered, and those with a key in the body unless their network
// has too many.
func TestUnauthenticated(t *testing.T) {
	const size = 1000
	s := newServer(t, func(o *Options) {
		o.MaxRequests, o.MaxBody, o.Keys = 2, size, func() ([]Key, error) { return []Key{{Secret: "one"}}, nil }
	})
	expect := func(code int, path, address string, headers ...string) {
		t.Helper()
		body := `{"q": "the dog", "source": "en", "target": "fr", "api_key": "one"}`
		if path != "/translate" {
			body = `{"text": "the dog"}`
		}
		r := httptest.NewRequest("POST", path, strings.NewReader(body))
		r.RemoteAddr = address
		r.Header.Set("Content-Type", "application/json")
		for i := 0; i < len(headers); i += 2 {
			r.Header.Set(headers[i], headers[i+1])
		}
		w := httptest.NewRecorder()
		if s.ServeHTTP(w, r); w.Code != code {
			t.Errorf("%s from %s: status %d, %s, want %d", path, address, w.Code, w.Body, code)
		}
	}
	const foe, sameNetwork, friend = "[2001:db8::1]:1", "[2001:db8::2]:1", "192.0.2.1:1"
	for range 300 {
		unfinished(t, s, foe, "/v1/translate", 0)
		unfinished(t, s, foe, "/translate", size)
	}
	expect(429, "/translate", sameNetwork)
	expect(200, "/translate", friend)
	for i := range 100 {
		unfinished(t, s, fmt.Sprintf("198.51.100.%d:1", i), "/translate", size)
	}
	expect(200, "/translate", friend) // for its body is smaller
	for _, from := range []string{foe, friend} {
		expect(200, "/translate", from, "X-API-Key", "one")
		expect(200, "/v1/translate", from, "X-API-Key", "one")
	}
	if used := s.unauthenticated.used; used > unauthenticatedBodies*perBodyByte*size || s.memory.used != 0 {
		t.Errorf("%d bytes of requests without a key, %d of others", used, s.memory.used)
	}
}

// TestRefusedEarly sends headers without a key, and bodies for no path, that do not end: they are
// refused at once, and their connections end.
func TestRefusedEarly(t *testing.T) {
	s := newServer(t, func(o *Options) {
		o.ReadTimeout = 100 * time.Millisecond
		o.Keys = func() ([]Key, error) { return []Key{{Secret: "one"}}, nil }
	})
	address := listen(t, s)
	wrongKey := strings.Replace(postHeader("/translate", 20), "\r\n", "\r\nX-API-Key: two\r\n", 1)
	for header, status := range map[string]string{postHeader("/v1/translate", 20): "401", wrongKey: "403", postHeader("/nowhere", 20): "404"} {
		answer := readAll(dial(t, address, header+"{"))
		if !strings.HasPrefix(answer, "HTTP/1.1 "+status+" ") || !strings.Contains(answer, "\r\nConnection: close\r\n") {
			t.Errorf("%s: %q", header, answer)
		}
	}
}

// dial connects to a server and sends bytes.
func dial(t *testing.T, address, bytes string) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", strings.TrimPrefix(address, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	if _, err := io.WriteString(c, bytes); err != nil {
		t.Fatal(err)
	}
	return c
}

// postHeader is the header of a request with a body of that many bytes.
func postHeader(path string, length int) string {
	return fmt.Sprintf("POST %s HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n", path, length)
}

// TestSlowSender has clients that stop in the middle of a request. They take no place of others, and
// are cut off.
func TestSlowSender(t *testing.T) {
	s := newServer(t, func(o *Options) { o.MaxRequests, o.ReadTimeout = 1, 200*time.Millisecond })
	address := listen(t, s)
	var clients []net.Conn
	for range 20 {
		clients = append(clients, dial(t, address, postHeader("/v1/translate", 20)+"{"))
	}
	if w := ask(s, "POST", "/v1/translate", `{"text": "a"}`); w.Code != http.StatusOK {
		t.Errorf("another request: status %d, %s", w.Code, w.Body)
	}
	for _, c := range clients {
		answer := readAll(c) // until the server closes
		if !strings.HasPrefix(answer, "HTTP/1.1 408 ") || !strings.Contains(answer, `"error":"the request is not complete after 200ms"`) {
			t.Fatalf("got %q", answer)
		}
	}
}

// TestSlowReader has a client that reads nothing of a large answer: the server gives up.
func TestSlowReader(t *testing.T) {
	s := newServer(t, func(o *Options) { o.WriteTimeout = 100 * time.Millisecond })
	address := listen(t, s)
	body := encode(t, map[string]any{"text": []string{strings.Repeat("the ", 240), strings.Repeat("dog ", 240)}, "nbest": 5, "alignments": true})
	requests := strings.Repeat(postHeader("/v1/translate", len(body))+body, 60) // more than the buffers of the connection hold
	c := dial(t, address, "")
	go io.WriteString(c, requests)
	eventually(t, "a request to fail", func() bool {
		return strings.Contains(ask(s, "GET", "/metrics", "").Body.String(), "\n"+`rnnsearch_requests_in_progress 0`+"\n") && connectionEnded(c)
	})
}

// connectionEnded reports whether the server has closed a connection, from which nothing is read.
func connectionEnded(c net.Conn) bool {
	c.SetWriteDeadline(time.Now().Add(time.Millisecond))
	_, err := c.Write([]byte("x"))
	timeout, _ := err.(net.Error)
	return err != nil && !(timeout != nil && timeout.Timeout())
}

// TestLargeBody sends 100 MB, with and without saying so before.
func TestLargeBody(t *testing.T) {
	s := newServer(t, nil)
	address := listen(t, s)
	const size = 100 << 20
	for _, header := range []string{postHeader("/v1/translate", size), strings.ReplaceAll(postHeader("/translate", 0), "Content-Length: 0", "Transfer-Encoding: chunked")} {
		c := dial(t, address, header)
		sent := make(chan int64, 1)
		go func() {
			block := strings.Repeat("x", 1<<16)
			if strings.Contains(header, "chunked") {
				block = "10000\r\n" + block + "\r\n"
			}
			var n int64
			for n < size {
				k, err := io.WriteString(c, block)
				n += int64(k)
				if err != nil {
					break
				}
			}
			sent <- n
		}()
		line, err := bufio.NewReader(c).ReadString('\n')
		if err != nil || !strings.HasPrefix(line, "HTTP/1.1 413 ") {
			t.Errorf("got %q, %v", line, err)
		}
		c.Close()
		if n := <-sent; n >= size {
			t.Errorf("the server has read all %d bytes", n)
		}
	}
	if n := s.memory.used; n != 0 {
		t.Errorf("%d bytes in use", n)
	}
}

// TestClientLeaves has clients that leave while their texts are translated, and expects that the
// work ends: the server counts the requests as unanswered.
func TestClientLeaves(t *testing.T) {
	s := newServer(t, func(o *Options) { o.Decoding.Threads, o.MaxCharacters, o.MaxMemory = 1, 10_000_000, 64<<30 })
	address := listen(t, s)
	lines := make([]string, 256)
	for i := range lines {
		lines[i] = strings.Repeat("the dog and ", 80)
	}
	for path, body := range map[string]string{
		"/v1/translate": encode(t, map[string]any{"text": lines, "beam": 20}),
		"/translate":    encode(t, map[string]any{"q": lines, "source": "en", "target": "fr", "alternatives": 19}),
	} {
		ctx, cancel := context.WithCancel(t.Context())
		r, err := http.NewRequestWithContext(ctx, "POST", address+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		left := make(chan error, 1)
		go func() {
			_, err := http.DefaultClient.Do(r)
			left <- err
		}()
		eventually(t, "the request to begin", func() bool { return s.requests.inUse() == 1 })
		cancel()
		if err := <-left; err == nil {
			t.Fatal("the request was answered before the client left")
		}
		eventually(t, "the request to end", func() bool { return s.requests.inUse() == 0 })
		want := fmt.Sprintf("\nrnnsearch_http_requests_total{code=\"499\",path=%q} 1\n", path)
		eventually(t, "status 499", func() bool { return strings.Contains(ask(s, "GET", "/metrics", "").Body.String(), want) })
	}
}

// TestMemory sends requests of all kinds, and compares the memory after some with that after many.
func TestMemory(t *testing.T) {
	requests := 4_000
	if fixture.Full() {
		requests = 100_000
	}
	s := newServer(t, nil)
	kinds := [][2]string{
		{"/v1/translate", `{"text": "the dog sleeps"}`}, {"/v1/stream", `{"text": "the dog"}`}, {"/v1/alternatives", `{"text": "the dog", "n": 2}`},
		{"/translate", `{"q": ["the dog", "the cat eats"], "source": "en", "target": "fr", "alternatives": 2}`}, {"/v1/translate", `{"text": "the dog", "tree": true}`},
		{"/v1/translate", `{"text": 1}`}, {"/nowhere", ``}, {"/v1/translate", `{"text": "the cat eats", "nbest": 5, "alignments": true}`},
	}
	used := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.GC() // pools keep what the first one finds
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	var before uint64
	for i := range requests {
		if i == requests/10 {
			before = used()
		}
		k := kinds[i%len(kinds)]
		ask(s, "POST", k[0], k[1])
	}
	const slack = 1 << 20
	if after := used(); after > before+slack {
		t.Errorf("%d bytes in use after %d requests, %d after %d", after, requests, before, requests/10)
	}
}
