//go:build unix

package main

import (
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/softsearch-go/softsearch/model"
)

// TestServeReload replaces the model file by its int8 form and by rubbish, with a SIGHUP each.
func TestServeReload(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "en-fr.safetensors")
	m, err := model.Open(servedModel)
	if err != nil {
		t.Fatal(err)
	}
	if err := model.Save(path, m); err != nil {
		t.Fatal(err)
	}
	s := startServing(t, nil, "--model", path)
	for _, test := range []struct{ content, says string }{
		{content(t, saved(t, quantized(t, m))), `msg="model reloaded" model=en-fr`},
		{"rubbish", `msg="model not reloaded, the old one stays" model=en-fr error="model en-fr: `},
	} {
		if err := os.WriteFile(path+".new", []byte(test.content), 0o666); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(path+".new", path); err != nil {
			t.Fatal(err)
		}
		if err := s.Process.Signal(syscall.SIGHUP); err != nil {
			t.Fatal(err)
		}
		s.until(t, test.says)
		answer, err := http.Get(s.url + "/v1/models")
		if err != nil {
			t.Fatal(err)
		}
		models, _ := io.ReadAll(answer.Body)
		answer.Body.Close()
		if !strings.Contains(string(models), `"weights":"int8"`) {
			t.Errorf("%s: the models are %s", test.says, models)
		}
	}
	if code, got := post(t, s.url+"/v1/translate", `{"text": "the dog sleeps"}`); code != http.StatusOK || !strings.Contains(got, "le chien dort dans le jardin") {
		t.Errorf("status %d, %s", code, got)
	}
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
