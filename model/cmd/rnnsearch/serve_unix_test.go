//go:build unix

package main

import (
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/softsearch-go/softsearch/model"
)

// TestServeReload replaces the model file by another model, by rubbish and by nothing, with a SIGHUP
// each, while clients ask. Every request is answered by one of the models.
func TestServeReload(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "en-fr.safetensors")
	replace := func(content []byte) {
		t.Helper()
		if err := os.WriteFile(path+".new", content, 0o666); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(path+".new", path); err != nil {
			t.Fatal(err)
		}
	}
	old, err := os.ReadFile(servedModel)
	if err != nil {
		t.Fatal(err)
	}
	m, err := model.Open(servedModel)
	if err != nil {
		t.Fatal(err)
	}
	q, err := m.Quantize()
	if err != nil {
		t.Fatal(err)
	}
	replace(old)
	s := startServing(t, nil, "--model", path)
	var clients sync.WaitGroup
	var done atomic.Bool
	for range 4 {
		clients.Go(func() {
			for !done.Load() {
				if code, got := post(t, s.url+"/v1/translate", `{"text": "the dog sleeps"}`); code != http.StatusOK || !strings.Contains(got, "le chien dort dans le jardin") {
					t.Errorf("status %d, %s", code, got)
					return
				}
			}
		})
	}
	hangUp := func(says string) {
		t.Helper()
		seen := strings.Count(s.logged(), says)
		if err := s.Process.Signal(syscall.SIGHUP); err != nil {
			t.Fatal(err)
		}
		for start := time.Now(); strings.Count(s.logged(), says) == seen; time.Sleep(time.Millisecond) {
			if time.Since(start) > time.Minute {
				t.Fatalf("no %q in\n%s", says, s.logged())
			}
		}
	}
	weights := func() string {
		answer, err := http.Get(s.url + "/v1/models")
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		content, _ := io.ReadAll(answer.Body)
		_, after, _ := strings.Cut(string(content), `"weights":"`)
		kind, _, _ := strings.Cut(after, `"`)
		return kind
	}
	int8s, err := os.ReadFile(saved(t, q))
	if err != nil {
		t.Fatal(err)
	}
	replace(int8s)
	hangUp(`msg="model reloaded" model=en-fr`)
	if kind := weights(); kind != "int8" {
		t.Errorf("the new model has weights of %s", kind)
	}
	for _, rubbish := range [][]byte{[]byte("rubbish"), old[:len(old)/2], nil} {
		replace(rubbish)
		hangUp(`msg="model not reloaded, the old one stays" model=en-fr error="model en-fr: `)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	hangUp(`msg="model not reloaded, the old one stays"`)
	if kind := weights(); kind != "int8" {
		t.Errorf("the model that stays has weights of %s", kind)
	}
	replace(old)
	hangUp(`msg="model reloaded" model=en-fr`)
	if kind := weights(); kind != "float32" {
		t.Errorf("the last model has weights of %s", kind)
	}
	done.Store(true)
	clients.Wait()
}

// TestServeEnd sends SIGTERM to servers with a request in progress: one that ends in time, and one
// that does not.
func TestServeEnd(t *testing.T) {
	t.Parallel()
	for _, finishes := range []bool{true, false} {
		args := []string{"--model", servedModel}
		if !finishes {
			args = append(args, "--grace", "100ms")
		}
		s := startServing(t, nil, args...)
		c, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		const body = `{"text": "the dog sleeps"}`
		io.WriteString(c, "POST /v1/translate HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 26\r\n\r\n")
		began := make([]byte, len("HTTP/1.1 100 Continue\r\n\r\n")) // the handler reads
		if _, err := io.ReadFull(c, began); err != nil {
			t.Fatal(err)
		}
		if err := s.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		s.until(t, "msg=ending")
		if !finishes {
			if code := s.end(); code != 1 || !strings.Contains(s.logged(), "rnnsearch: --grace 100ms: requests have not been answered in time\n") {
				t.Errorf("exit code %d, log\n%s", code, s.logged())
			}
			continue
		}
		io.WriteString(c, body)
		answer, err := io.ReadAll(c)
		if err != nil || !strings.HasPrefix(string(answer), "HTTP/1.1 200 ") || !strings.Contains(string(answer), "le chien dort") {
			t.Errorf("the request in progress got %s, %v", answer, err)
		}
		if code := s.end(); code != 0 {
			t.Errorf("exit code %d, log\n%s", code, s.logged())
		}
	}
}

// TestServeUnderAttack has clients with a key whose answers must stay as they are, to the byte, while
// strangers send bodies that do not end, ask for other hosts and connect again and again, clients with
// the key do not read their streams, and a model and the keys become named pipes that every SIGHUP finds.
func TestServeUnderAttack(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	model, keys := filepath.Join(dir, "b.safetensors"), write(t, "keys", "one", "")
	content, err := os.ReadFile(servedModel)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(model, content, 0o666); err != nil {
		t.Fatal(err)
	}
	s := startServing(t, nil, "--model", "en-fr="+servedModel, "--model", "b="+model, "--keys", keys)
	requests := []struct{ path, body, want string }{
		{path: "/v1/translate", body: `{"text": ["the dog sleeps", "the cat eats in the house"], "nbest": 3, "alignments": true}`},
		{path: "/v1/translate", body: `{"text": "the dog sleeps", "model": "b", "tree": true}`},
		{path: "/v1/stream", body: `{"text": "the cat sees a red house"}`},
		{path: "/translate", body: `{"q": "<p>the dog sleeps</p>", "source": "en", "target": "fr", "format": "html"}`},
	}
	ask := func(i int) string {
		code, got := post(t, s.url+requests[i].path, requests[i].body, "Authorization", "bearer one")
		if code != http.StatusOK {
			t.Errorf("%s: status %d, %s", requests[i].path, code, got)
		}
		return got
	}
	for i := range requests {
		requests[i].want = ask(i)
	}
	for _, path := range []string{model, keys} {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if err := syscall.Mkfifo(path, 0o600); err != nil {
			t.Fatal(err)
		}
	}

	var mutex sync.Mutex
	var connections []net.Conn
	connect := func(content string) {
		c, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
		if err != nil {
			t.Error(err)
			return
		}
		c.(*net.TCPConn).SetReadBuffer(1 << 10)
		io.WriteString(c, content)
		mutex.Lock()
		defer mutex.Unlock()
		connections = append(connections, c)
	}
	header := func(path, host string, length int, more string) string {
		return "POST " + path + " HTTP/1.1\r\nHost: " + host + "\r\nContent-Type: application/json\r\nContent-Length: " + strconv.Itoa(length) + "\r\n" + more + "\r\n"
	}
	unfinished := strings.Repeat("x", 1<<20-1)
	stream := `{"text": "` + strings.Repeat("the dog ", 120) + `"}`
	var attacks, clients sync.WaitGroup
	for range 4 {
		attacks.Go(func() {
			for range 75 {
				connect(header("/v1/translate", "localhost", 1<<20, "") + unfinished)
				connect(header("/translate", "localhost", 1<<20, "") + unfinished)
			}
			for range 20 {
				connect("GET /metrics HTTP/1.1\r\nHost: foe.example\r\n\r\n")
				connect("POST /v1/tr")
			}
		})
	}
	attacks.Go(func() {
		for range 100 {
			connect(strings.Repeat(header("/v1/stream", "localhost", len(stream), "X-API-Key: one\r\n")+stream, 2))
		}
	})
	attacks.Go(func() {
		for range 20 {
			if err := s.Process.Signal(syscall.SIGHUP); err != nil {
				t.Error(err)
			}
			time.Sleep(time.Millisecond)
		}
	})
	good := func(n int) {
		for i := range n {
			k := i % len(requests)
			if got := ask(k); got != requests[k].want {
				t.Errorf("%s: %s, want %s", requests[k].path, got, requests[k].want)
			}
		}
	}
	for range 8 {
		clients.Go(func() { good(50) })
	}
	clients.Wait()
	attacks.Wait()
	good(50) // with all that the attacks have left
	s.until(t, `msg="model not reloaded, the old one stays" model=b`)
	s.until(t, `msg="list of API keys not reloaded, the old one stays"`)
	for _, c := range connections {
		c.Close()
	}
	http.DefaultClient.CloseIdleConnections()
	if err := s.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if code := s.end(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}
