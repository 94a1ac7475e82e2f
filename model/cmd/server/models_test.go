package server

import (
	"errors"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/decode"
)

// TestReload replaces a model again and again while requests use it, sometimes by one that cannot be
// opened. All requests are answered, with the same translation, and all translators but the
// last are closed.
func TestReload(t *testing.T) {
	rubbish := errors.New("rubbish")
	var bad atomic.Bool
	s := newServer(t, func(o *Options) {
		o.Models[0].Open = func() ([]*model.Model, error) {
			if bad.Load() {
				return nil, rubbish
			}
			return tiny()
		}
	})
	const body = `{"text": "the dog sleeps", "nbest": 2}`
	want := ask(s, "POST", "/v1/translate", body).Body.String()
	var clients sync.WaitGroup
	ended := make(chan struct{})
	for range 4 {
		clients.Go(func() {
			for {
				if w := ask(s, "POST", "/v1/translate", body); w.Code != http.StatusOK || w.Body.String() != want {
					t.Errorf("status %d, %s", w.Code, w.Body)
					return
				}
				select {
				case <-ended:
					return
				default:
				}
			}
		})
	}
	first := s.models[0].current
	for i := range 20 {
		bad.Store(i%2 == 1)
		err := reloadAll(s)
		if bad.Load() && (!errors.Is(err, rubbish) || !strings.Contains(err.Error(), "en-fr")) || !bad.Load() && err != nil {
			t.Errorf("reload %d: %v", i, err)
		}
	}
	close(ended)
	clients.Wait()
	if _, err := first.Translate(t.Context(), []int32{2, 0}); !errors.Is(err, decode.ErrClosed) {
		t.Errorf("the first translator is open: %v", err)
	}
	metrics := ask(s, "GET", "/metrics", "").Body.String()
	for _, line := range []string{
		`rnnsearch_reloads_total{model="en-fr",result="ok"} 10`, `rnnsearch_reloads_total{model="en-fr",result="error"} 10`,
	} {
		if !strings.Contains(metrics, line+"\n") {
			t.Errorf("no %s in the metrics", line)
		}
	}
}

// TestLanguagesOfModel reloads a model as one for another language than that of its name.
func TestLanguagesOfModel(t *testing.T) {
	open := tiny
	s := newServer(t, func(o *Options) {
		o.Models[0].Source = "de"
		o.Models[0].Open = func() ([]*model.Model, error) { return open() }
	})
	open = segmented(t, model.RNNsearch) // for English
	if err := reloadAll(s); !errors.Is(err, model.ErrConfig) || !strings.Contains(err.Error(), "the source language is en, expected de") {
		t.Errorf("got %v", err)
	}
	if info := get[modelList](t, s, "GET", "/v1/models", "").Models[0]; info.Source != "de" {
		t.Errorf("the model is for %s", info.Source)
	}
}

// TestClose closes a server with requests in progress, which are answered. Later ones are not.
func TestClose(t *testing.T) {
	before := runtime.NumGoroutine()
	s, err := New(Options{Models: []Model{{Name: "a", Open: tiny}}})
	if err != nil {
		t.Fatal(err)
	}
	user, err := s.find(&recorder{}, "") // a request in progress
	if err != nil {
		t.Fatal(err)
	}
	closed := make(chan struct{})
	go func() {
		s.Close()
		close(closed)
	}()
	eventually(t, "the server to close", s.closed.Load)
	for path, body := range map[string]string{"/v1/translate": `{"text": "a"}`, "/v1/stream": `{"text": "a"}`, "/v1/alternatives": `{"text": "a"}`} {
		eventually(t, "status 503", func() bool {
			w := ask(s, "POST", path, body)
			return w.Code == http.StatusServiceUnavailable && w.Header().Get("Retry-After") != ""
		})
	}
	if code := ask(s, "GET", "/readyz", "").Code; code != http.StatusServiceUnavailable {
		t.Errorf("readyz gives status %d", code)
	}
	if code := ask(s, "GET", "/livez", "").Code; code != http.StatusOK {
		t.Errorf("livez gives status %d", code)
	}
	if err := reloadAll(s); !errors.Is(err, decode.ErrClosed) {
		t.Errorf("reload: %v", err)
	}
	if _, err := user.Line(t.Context(), "the dog"); err != nil {
		t.Errorf("a request in progress: %v", err)
	}
	select {
	case <-closed:
		t.Error("Close has not waited for the request")
	default:
	}
	user.release()
	<-closed
	s.Close()
	eventually(t, "no goroutine of the server", func() bool { return runtime.NumGoroutine() <= before })
}
