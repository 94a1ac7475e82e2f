package server

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/softsearch-go/softsearch/model"
)

// TestKeys asks with and without keys, and replaces them.
func TestKeys(t *testing.T) {
	keys, failure := []Key{{"first", "one"}, {"", "two"}}, error(nil)
	s := newServer(t, func(o *Options) { o.Keys = func() ([]Key, error) { return keys, failure } })
	const v1, libre = `{"text": "the dog"}`, `{"q": "the dog", "source": "en", "target": "fr", "api_key": "KEY"}`
	expect := func(code int, method, path, body string, headers ...string) {
		t.Helper()
		if w := ask(s, method, path, body, headers...); w.Code != code {
			t.Errorf("%s %s %s: status %d, %s, want %d", path, body, headers, w.Code, w.Body, code)
		}
	}
	for key, code := range map[string]int{"one": 200, "two": 200, "three": 403, "": 401, "on": 403} {
		for _, scheme := range []string{"Bearer", "bearer", "BEARER "} {
			expect(code, "POST", "/v1/translate", v1, "Authorization", scheme+" "+key)
		}
		expect(code, "POST", "/v1/stream", v1, "X-API-Key", key)
		expect(code, "POST", "/v1/alternatives", v1, "X-API-Key", key)
		expect(code, "POST", "/translate", strings.ReplaceAll(libre, "KEY", key))
		expect(code, "POST", "/translate", "q=a&source=en&target=fr&api_key="+key, "Content-Type", formType)
		expect(code, "POST", "/translate", strings.ReplaceAll(libre, "KEY", ""), "X-API-Key", key)
	}
	expect(401, "POST", "/v1/translate", v1, "Authorization", "Basic one")
	expect(403, "POST", "/translate", strings.ReplaceAll(libre, "KEY", "one"), "X-API-Key", "three")
	for _, path := range []string{"/v1/translate", "/translate"} {
		if w := ask(s, "POST", path, libre[:1]+libre[len(libre)-1:]); w.Header().Get("WWW-Authenticate") != "Bearer" || decodedError(w.Body.Bytes()) == "" {
			t.Errorf("%s: %v, %s", path, w.Header(), w.Body)
		}
	}
	for _, path := range []string{"/", "/v1/models", "/languages", "/livez", "/readyz", "/metrics", "/openapi.json"} {
		expect(200, "GET", path, "")
	}
	if !get[modelList](t, s, "GET", "/v1/models", "").Limits.Key || !get[libreSettings](t, s, "GET", "/frontend/settings", "").KeyRequired {
		t.Error("the server does not say that it needs keys")
	}
	if got := ask(s, "GET", "/metrics", "").Body.String(); !strings.Contains(got, `rnnsearch_key_requests_total{code="200",key="first"} `) {
		t.Errorf("no requests of a key in the metrics:\n%s", got)
	}
	for s.requests.take("first", 1) {
	}
	expect(429, "POST", "/v1/translate", v1, "X-API-Key", "one")
	expect(200, "POST", "/v1/translate", v1, "X-API-Key", "two")
	s.requests.take("first", -s.requests.inUse())

	keys = []Key{{Secret: "three"}}
	if err := reloadAll(s); err != nil {
		t.Fatal(err)
	}
	expect(200, "POST", "/v1/translate", v1, "X-API-Key", "three")
	expect(403, "POST", "/v1/translate", v1, "X-API-Key", "one")
	for _, bad := range []string{"", "\ufefffour", "\x00", "fo\xffur"} {
		keys = []Key{{Secret: "three"}, {Secret: bad}}
		if err := reloadAll(s); !errors.Is(err, model.ErrConfig) {
			t.Errorf("key %q: %v", bad, err)
		}
	}
	expect(401, "POST", "/v1/translate", v1)
	failure = errors.New("no file")
	if err := reloadAll(s); !errors.Is(err, failure) {
		t.Errorf("got %v", err)
	}
	expect(200, "POST", "/v1/translate", v1, "X-API-Key", "three")
}

// TestGuess has wrong keys in bodies of many values, which are not decoded before the key is known.
func TestGuess(t *testing.T) {
	r := httptest.NewRequest("POST", "/translate", nil)
	r.Header.Set("Content-Type", "application/json")
	var fields strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&fields, `"%x": 1, `, i)
	}
	for _, body := range []string{
		`{"q": [""` + strings.Repeat(`,""`, 10_000) + `], "api_key": "guess"}`,
		`{` + fields.String() + `"api_key": "guess", "api_key": "other"}`,
	} {
		n := testing.AllocsPerRun(1, func() {
			if key, err := libreKey(r, []byte(body)); key != "guess" || err != nil {
				t.Errorf("%.20s: key %q, %v", body, key, err)
			}
		})
		if n > 1000 {
			t.Errorf("%.20s: %v allocations", body, n)
		}
	}
	for _, body := range []string{``, `[]`, `{`, `{"api_key"`, `{"api_key": 1}`, `{"q": {"api_key": "x"}, "api_key": null}`, `{"q": [}, "api_key": "x"}`} {
		if key, err := libreKey(r, []byte(body)); key != "" || err != nil {
			t.Errorf("%s: key %q, %v", body, key, err)
		}
	}
}

// TestOrigins asks as browsers do for pages of several origins.
func TestOrigins(t *testing.T) {
	s := newServer(t, func(o *Options) { o.Origins = []string{"https://friend.example"} })
	anyone := newServer(t, func(o *Options) { o.Origins = []string{"*"} })
	const v1, libre = `{"text": "the dog"}`, `{"q": "the dog", "source": "en", "target": "fr"}`
	for _, test := range []struct {
		name         string
		s            http.Handler
		origin, site string
		path, body   string
		code         int
		allowed      string
	}{
		{"no browser", s, "", "", "/v1/translate", v1, 200, ""},
		{"own page", s, "http://example.com", "same-origin", "/v1/translate", v1, 200, ""},
		{"other page", s, "https://foe.example", "cross-site", "/v1/translate", v1, 403, ""},
		{"other page, old browser", s, "https://foe.example", "", "/v1/stream", v1, 403, ""},
		{"trusted page", s, "https://friend.example", "cross-site", "/v1/translate", v1, 200, "https://friend.example"},
		{"LibreTranslate", s, "https://foe.example", "cross-site", "/translate", libre, 200, "*"},
		{"all trusted", anyone, "https://foe.example", "cross-site", "/v1/translate", v1, 200, "*"},
	} {
		var headers []string
		if test.origin != "" {
			headers = append(headers, "Origin", test.origin)
		}
		if test.site != "" {
			headers = append(headers, "Sec-Fetch-Site", test.site)
		}
		w := ask(test.s, "POST", test.path, test.body, headers...)
		if allowed := w.Header().Get("Access-Control-Allow-Origin"); w.Code != test.code || allowed != test.allowed {
			t.Errorf("%s: status %d, %s, allowed %q, want %d and %q", test.name, w.Code, w.Body, allowed, test.code, test.allowed)
		}
		preflight := ask(test.s, "OPTIONS", test.path, "", append(headers, "Access-Control-Request-Method", "POST", "Access-Control-Request-Headers", "content-type")...)
		if may := preflight.Header().Get("Access-Control-Allow-Methods") != ""; may != (test.allowed != "") || may != (preflight.Code == http.StatusNoContent) {
			t.Errorf("%s: preflight gets status %d and %v", test.name, preflight.Code, preflight.Header())
		}
	}
}

// TestMetrics counts requests, sentences and words.
func TestMetrics(t *testing.T) {
	s := newServer(t, nil)
	ask(s, "POST", "/v1/translate", `{"text": ["the dog sleeps", "the cat eats"]}`)
	ask(s, "POST", "/v1/translate", `{}`)
	ask(s, "POST", "/v1/stream", `{"text": "the dog sleeps"}`)
	ask(s, "POST", "/v1/alternatives", `{"text": "the dog sleeps", "n": 2}`)
	ask(s, "POST", "/translate", "q=the+cat+eats&source=en&target=fr", "Content-Type", formType)
	ask(s, "GET", "/a/path/of/an/attacker", "")
	w := ask(s, "GET", "/metrics", "")
	if kind := w.Header().Get("Content-Type"); w.Code != http.StatusOK || !strings.HasPrefix(kind, "text/plain; version=0.0.4") {
		t.Errorf("status %d, type %s", w.Code, kind)
	}
	for _, line := range []string{
		`rnnsearch_http_requests_total{code="200",path="/v1/translate"} 1`,
		`rnnsearch_http_requests_total{code="400",path="/v1/translate"} 1`,
		`rnnsearch_http_requests_total{code="404",path=""} 1`,
		`rnnsearch_http_request_duration_seconds_count{path="/v1/stream"} 1`,
		`rnnsearch_sentences_total{model="en-fr"} 6`,
		`rnnsearch_words_total{model="en-fr",side="source"} 18`,
		`rnnsearch_requests_in_progress 0`,
		"go_goroutines ", "process_open_fds ",
	} {
		if !strings.Contains(w.Body.String(), "\n"+line) {
			t.Errorf("no %s in\n%s", line, w.Body)
		}
	}
}

// TestListening reads the first line of the log at several addresses, with and without keys.
func TestListening(t *testing.T) {
	for address, open := range map[string]bool{"127.0.0.1:0": false, "[::1]:0": false, "0.0.0.0:0": true, ":0": true} {
		for _, keys := range []func() ([]Key, error){nil, func() ([]Key, error) { return []Key{{Secret: "one"}}, nil }} {
			e := Endpoint{Address: address}
			l, err := e.Listen()
			if err != nil {
				t.Skip(err)
			}
			s, err := New(Options{Models: []Model{{Name: "en-fr", Source: "en", Target: "fr", Open: tiny}}, Keys: keys})
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			var log bytes.Buffer
			if err := e.Serve(ctx, l, s, slog.New(slog.NewTextHandler(&log, nil))); err != nil {
				t.Fatal(err)
			}
			line, _, _ := strings.Cut(log.String(), "\n")
			for _, want := range []string{
				"msg=listening address=http://" + l.Addr().String() + "/",
				` models="en-fr from English to French with `, ` weights of float32" memory="`, " MiB of weights, at most 2048 MiB for searches, 1024 MiB for requests and answers, 64 MiB for translated files",
			} {
				if !strings.Contains(line, want) {
					t.Errorf("%s: %s, want %s", address, line, want)
				}
			}
			if warns := strings.Contains(line, "level=WARN") && strings.Contains(line, "no API keys"); warns != (keys == nil && open) {
				t.Errorf("%s: keys %v: %s", address, keys != nil, line)
			}
		}
	}
}

// TestPageHeaders checks what browsers learn of each file of the page.
func TestPageHeaders(t *testing.T) {
	s := newServer(t, nil)
	for _, path := range []string{"/", "/page/main.js", "/page/style.css", "/page/icon.svg"} {
		h := ask(s, "GET", path, "").Result().Header
		if policy := h.Get("Content-Security-Policy"); !strings.HasPrefix(policy, "default-src 'self';") || strings.Contains(policy, "unsafe") {
			t.Errorf("%s: Content-Security-Policy %q", path, policy)
		}
		if got := h.Get("X-Content-Type-Options"); got != "nosniff" {
			t.Errorf("%s: X-Content-Type-Options %q", path, got)
		}
	}
}
