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

// TestServeConnections opens 10,000 connections that send half a header, and asks beside them. The server
// keeps those that it may have.
func TestServeConnections(t *testing.T) {
	if testing.Short() {
		t.Skip("10,000 connections")
	}
	const connections, kept = 10_000, 1024
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	if limit.Max < connections+200 {
		t.Skipf("a process may open %d files, expected %d", limit.Max, connections+200)
	}
	s := startServing(t, nil, "--model", servedModel, "--read-timeout", "5s")
	resident := func() int { // kB, 0 if unknown
		status, _ := os.ReadFile("/proc/" + strconv.Itoa(s.Process.Pid) + "/status")
		_, after, _ := strings.Cut(string(status), "VmRSS:")
		number, _, _ := strings.Cut(strings.TrimSpace(after), " ")
		n, _ := strconv.Atoi(number)
		return n
	}
	before := resident()
	var open []net.Conn
	defer func() {
		for _, c := range open {
			c.Close()
		}
	}()
	for range connections {
		c, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		open = append(open, c)
		if _, err := io.WriteString(c, "POST /v1/translate HTTP/1.1\r\nHost:"); err != nil {
			t.Fatal(err)
		}
	}
	if code, got := post(t, s.url+"/v1/translate", `{"text": "the dog sleeps"}`); code != http.StatusOK {
		t.Errorf("status %d, %s", code, got)
	}
	const perConnection = 32 // kB
	if after := resident(); after > before+kept*perConnection {
		t.Errorf("%d kB of memory with %d connections, %d without, expected at most %d for each of %d", after, connections, before, perConnection, kept)
	}
	if answer, _ := io.ReadAll(open[0]); len(answer) > 0 && !strings.HasPrefix(string(answer), "HTTP/1.1 4") { // the time for the header has passed
		t.Errorf("a slow client got %q", answer)
	}
}
