//go:build unix

package server

import (
	"context"
	"log/slog"
	"net/http"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/softsearch-go/softsearch/model"
)

// TestReloadBlocks has a model whose second opening does not return for a while, and whose last one
// never does. The other model is reloaded at each SIGHUP, requests are answered, signals during a
// reload are one, and the server ends.
func TestReloadBlocks(t *testing.T) {
	var opened, blocked atomic.Int64
	release, end := make(chan struct{}), make(chan struct{})
	defer close(end)
	e := Endpoint{Address: "127.0.0.1:0", ReadHeader: time.Minute, Grace: time.Minute}
	l, err := e.Listen()
	if err != nil {
		t.Fatal(err)
	}
	s, err := New(Options{Hosts: []string{"example.com"}, Models: []Model{
		{Name: "a", Open: func() ([]*model.Model, error) {
			defer opened.Add(1)
			return tiny()
		}},
		{Name: "b", Open: func() ([]*model.Model, error) {
			switch blocked.Add(1) {
			case 2:
				<-release
			case 4:
				<-end
			}
			return tiny()
		}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- e.Serve(ctx, l, s, slog.New(slog.DiscardHandler)) }()
	eventually(t, "the server to answer", func() bool {
		answer, err := http.Get(e.URL(l) + "readyz")
		if err == nil {
			answer.Body.Close()
		}
		return err == nil
	})
	hangUp := func() {
		t.Helper()
		before := opened.Load()
		if err := syscall.Kill(syscall.Getpid(), syscall.SIGHUP); err != nil {
			t.Fatal(err)
		}
		eventually(t, "a to be reloaded", func() bool { return opened.Load() > before })
	}
	for range 10 {
		hangUp()
		if w := ask(s, "POST", "/v1/translate", `{"text": "the dog", "model": "b"}`); w.Code != http.StatusOK {
			t.Errorf("status %d, %s", w.Code, w.Body)
		}
	}
	if n := blocked.Load(); n != 2 {
		t.Errorf("b was opened %d times, expected 2", n)
	}
	close(release)
	eventually(t, "b to be reloaded once more", func() bool { return blocked.Load() == 3 })
	hangUp()
	eventually(t, "b to block", func() bool { return blocked.Load() == 4 })
	http.DefaultClient.CloseIdleConnections()
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
