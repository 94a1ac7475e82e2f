package server

import (
	"bytes"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// TestNoSniff looks at answers of all kinds: no browser may guess their types, or run what is in them.
func TestNoSniff(t *testing.T) {
	s := newServer(t, func(o *Options) { o.MaxBody = 100 })
	requests := map[string]int{ // statuses
		"GET /": 200, "GET /page/main.js": 200, "GET /page/no.js": 404, "GET /metrics": 200, "GET /no": 404, "GET //": 307, "PUT /v1/stream": 405,
		"HEAD /livez": 200, "POST /v1/stream " + `{"text": "the dog"}`: 200, "POST /v1/translate " + strings.Repeat("x", 101): 413,
	}
	requests["POST /suggest"], requests["GET /download_file/{name}"] = 403, 404
	for pattern := range s.routes() {
		if _, ok := requests[pattern]; !ok {
			requests[pattern] = map[bool]int{true: 200, false: 400}[strings.HasPrefix(pattern, "GET")]
		}
	}
	for request, code := range requests {
		method, rest, _ := strings.Cut(request, " ")
		path, body, _ := strings.Cut(rest, " ")
		w := ask(s, method, path, body)
		got := append(w.Header().Values("X-Content-Type-Options"), w.Header().Values("Content-Security-Policy")...)
		if w.Code != code || !slices.Equal(got, []string{"nosniff", pagePolicy}) {
			t.Errorf("%.40s: status %d and %q, want %d and nosniff", request, w.Code, got, code)
		}
	}
	preflight := ask(s, "OPTIONS", "/translate", "", "Origin", "https://a.example", "Access-Control-Request-Method", "POST")
	if preflight.Code != http.StatusNoContent || preflight.Header().Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("preflight: status %d, %v", preflight.Code, preflight.Header())
	}
}

// TestContentEncoding has bodies that are compressed, or said to be.
func TestContentEncoding(t *testing.T) {
	s := newServer(t, nil)
	for _, path := range []string{"/v1/translate", "/v1/stream", "/v1/alternatives", "/translate"} {
		for coding, code := range map[string]int{"gzip": 415, "br": 415, "x": 415, "gzip, identity": 415, "identity": 200, "Identity": 200, "": 200} {
			w := ask(s, "POST", path, map[bool]string{true: `{"text": "the dog"}`, false: `{"q": "the dog", "source": "en", "target": "fr"}`}[path != "/translate"], "Content-Encoding", coding)
			if w.Code != code || code == 415 && (decodedError(w.Body.Bytes()) == "" || w.Header().Get("Accept-Encoding") != "identity") {
				t.Errorf("%s, %q: status %d, %v, %s", path, coding, w.Code, w.Header(), w.Body)
			}
		}
	}
}

// logged returns what a server logs, by a handler of slog, for a request.
func logged(t *testing.T, handler func(w io.Writer) slog.Handler, method, path, body string, headers ...string) string {
	t.Helper()
	var b bytes.Buffer
	s := newServer(t, func(o *Options) {
		o.Logger = slog.New(handler(&b))
		if headers != nil {
			o.Keys = func() ([]Key, error) { return []Key{{Secret: "secret"}}, nil }
		}
	})
	ask(s, method, path, body, headers...)
	return b.String()
}

func jsonLog(w io.Writer) slog.Handler { return slog.NewJSONHandler(w, nil) }
func textLog(w io.Writer) slog.Handler { return slog.NewTextHandler(w, nil) }

// TestLog reads the lines of requests.
func TestLog(t *testing.T) {
	for _, test := range []struct {
		method, path, body string
		want               map[string]any
	}{
		{"POST", "/v1/translate", `{"text": "the dog"}`, map[string]any{"level": "INFO", "status": 200.0, "model": "en-fr"}},
		{"POST", "/v1/stream", `{"text": "the dog", "model": "en-fr"}`, map[string]any{"level": "INFO", "status": 200.0, "model": "en-fr"}},
		{"POST", "/v1/alternatives", `{"text": "the dog", "prefix": ["ø"]}`, map[string]any{"level": "INFO", "status": 400.0, "model": "en-fr", "error": `this model cannot write "…"`}},
		{"POST", "/translate", `{"q": "the dog", "source": "en", "target": "fr"}`, map[string]any{"level": "INFO", "status": 200.0, "model": "en-fr"}},
		{"POST", "/v1/translate", `{"beam": "x"}`, map[string]any{"level": "INFO", "status": 400.0, "error": "beam: found …, expected a whole number of at most nine digits"}},
		{"GET", "/livez", ``, map[string]any{"level": "INFO", "status": 200.0}},
		{"GET", "/" + strings.Repeat("a", 200), ``, map[string]any{"level": "INFO", "status": 404.0, "path": "/" + strings.Repeat("a", 99), "error": `"/` + strings.Repeat("a", 99) + `": no such path on this server`}},
	} {
		line := logged(t, jsonLog, test.method, test.path, test.body)
		got := decoded(t, line).(map[string]any)
		for _, number := range []string{"bytes", "duration_ms"} {
			if n, ok := got[number].(float64); !ok || n <= 0 {
				t.Errorf("%s: %s is %v", line, number, got[number])
			}
			delete(got, number)
		}
		if id, _ := got["id"].(string); !idSyntax.MatchString(id) {
			t.Errorf("no id in %s", line)
		}
		delete(got, "id")
		delete(got, "time")
		want := map[string]any{"msg": "request", "client": "192.0.2.1", "method": test.method, "path": test.path}
		maps.Copy(want, test.want)
		if !maps.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
	}
	line := logged(t, textLog, "POST", "/v1/translate", `{"text": "the dog"}`)
	for _, want := range []string{" client=192.0.2.1 ", " duration_ms=", " bytes=", " model=en-fr"} {
		if !strings.Contains(line, want) {
			t.Errorf("no %q in %s", want, line)
		}
	}
}

// TestRequestID sends ids, of which the server takes those that are safe in a log.
func TestRequestID(t *testing.T) {
	for sent, taken := range map[string]bool{"a-1.B_": true, "": false, "a b": false, strings.Repeat("a", 101): false} {
		var log strings.Builder
		s := newServer(t, func(o *Options) {
			o.Logger, o.Version = slog.New(jsonLog(&log)), "v1.2.3"
			o.Keys = func() ([]Key, error) { return []Key{{"shop", "secret"}}, nil }
		})
		w := ask(s, "POST", "/v1/translate", `{"text": 1}`, requestID, sent, "X-API-Key", "secret")
		id := w.Header().Get(requestID)
		if (id == sent) != taken || id == "" || w.Header().Get("Server") != "rnnsearch/v1.2.3" {
			t.Errorf("%q: header %v", sent, w.Header())
		}
		if line := decoded(t, log.String()).(map[string]any); line["id"] != id || line["key"] != "shop" {
			t.Errorf("%q: log %v, want %s", sent, line, id)
		}
		if e := decoded(t, w.Body.String()).(map[string]any); e["request_id"] != id {
			t.Errorf("%q: error %v, want %s", sent, e, id)
		}
		if m := ask(s, "GET", "/metrics", "").Body.String(); !strings.Contains(m, `rnnsearch_build_info{version="v1.2.3"} 1`) {
			t.Errorf("no version in the metrics:\n%s", m)
		}
	}
}

// TestLogIsPrivate puts a word and a key in all places of requests, and expects neither in the log.
func TestLogIsPrivate(t *testing.T) {
	const word, key = "Zanzibar", "secret"
	for _, request := range []string{
		`/v1/translate {"text": "W"}`, `/v1/translate {"text": ["W", W]}`, `/v1/translate {"text": {"W": "W"}}`, `/v1/translate {"W": 1, "W": 1}`, `/v1/translate {"W": 1}`,
		`/v1/translate {"model": "W", "text": "a"}`, `/v1/translate {"text": "a", "prefix": ["W"]}`, `/v1/stream {"text": "a", "append": "W"}`,
		`/v1/translate {"text": "W", "beam": "W"}`, `/v1/translate W`, `/v1/translate "W"`, `/v1/translate ["W"]`,
		`/translate {"q": "W", "source": "W", "target": "fr"}`, `/translate {"q": "W", "source": "en", "target": "W"}`,
		`/translate {"q": "W", "source": "en", "target": "fr", "format": "W"}`, `/translate {"q": "W", "alternatives": "W"}`,
		`/translate {"q": "W", "api_key": "W"}`, `/translate?q=W&source=en&target=fr&api_key=K {}`, `/translate?q=W&api_key=W&api_key=K {`,
	} {
		target, body, _ := strings.Cut(strings.NewReplacer("W", word, "K", key).Replace(request), " ")
		for _, headers := range [][]string{
			{"Authorization", "Bearer " + key}, {"Authorization", "Bearer " + word}, {"X-API-Key", key},
			{"X-API-Key", key, "Content-Type", formType}, {"X-API-Key", key, "Content-Type", "multipart/form-data; boundary=" + word},
		} {
			line := logged(t, textLog, "POST", target, body, headers...)
			if strings.Contains(line, word) || strings.Contains(line, key) || strings.Count(line, "\n") != 1 {
				t.Errorf("%s %s: the log has %s", request, headers, line)
			}
		}
	}
}
