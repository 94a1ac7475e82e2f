package server

import (
	"cmp"
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model/cmd/internal/api"
)

type event struct{ name, data string }

func parseEvents(t *testing.T, body string) (list []event) {
	t.Helper()
	for block := range strings.SplitSeq(strings.TrimSuffix(body, "\n\n"), "\n\n") {
		name, data, ok := strings.Cut(block, "\n")
		name, isName := strings.CutPrefix(name, "event: ")
		data, isData := strings.CutPrefix(data, "data: ")
		if !ok || !isName || !isData || !json.Valid([]byte(data)) {
			t.Fatalf("not an event: %q", block)
		}
		list = append(list, event{name, data})
	}
	return list
}

// TestStream compares a stream with greedy search.
func TestStream(t *testing.T) {
	s := newServer(t, func(o *Options) { o.Decoding.Normalization = new(0.7) })
	requests := []map[string]any{{"text": lines[0], "prefix": []string{"le", "chat"}}}
	for _, line := range lines {
		requests = append(requests, map[string]any{"text": line})
	}
	for _, request := range requests {
		w := ask(s, "POST", "/v1/stream", encode(t, request))
		list := parseEvents(t, w.Body.String())
		if kind := w.Header().Get("Content-Type"); kind != "text/event-stream" || list[0].name != "source" || list[len(list)-1].name != "done" {
			t.Fatalf("%v: %s, %+v", request, kind, list)
		}
		request["beam"], request["alignments"] = 1, true
		want := get[translateAnswer](t, s, "POST", "/v1/translate", encode(t, request)).Translations[0]
		if encode(t, want.Source) != list[0].data {
			t.Errorf("%v: source %s", request, list[0].data)
		}
		var done api.Translation
		if err := json.Unmarshal([]byte(list[len(list)-1].data), &done); err != nil {
			t.Fatal(err)
		}
		best := want.Best[0]
		if got := encode(t, done); got != encode(t, best) {
			t.Errorf("%v: done\n%s, want\n%s", request, got, encode(t, best))
		}
		for i, e := range list[1 : len(list)-1] {
			var step tokenEvent
			if err := json.Unmarshal([]byte(e.data), &step); err != nil || e.name != "token" {
				t.Fatalf("%+v: %v", e, err)
			}
			if encode(t, step.Token) != encode(t, best.Target.Tokens[i]) || !strings.HasPrefix(best.Text, step.Text) || encode(t, step.Alignment) != encode(t, best.Alignment[i]) {
				t.Errorf("%v: step %d is %+v", request, i, step)
			}
		}
		if len(list) != 2+len(best.Target.Tokens) {
			t.Errorf("%v: %d events for %d tokens", request, len(list), len(best.Target.Tokens))
		}
	}
}

// TestStreamBits compares streams of all implementations, byte for byte.
func TestStreamBits(t *testing.T) {
	want := map[string]string{}
	for _, k := range kernels.Available() {
		s := newServer(t, func(o *Options) { o.Decoding.Normalization, o.Decoding.Kernels = new(0.7), &k })
		for _, line := range lines {
			got := ask(s, "POST", "/v1/stream", encode(t, map[string]any{"text": line})).Body.String()
			if want[line] = cmp.Or(want[line], got); got != want[line] {
				t.Errorf("%q: %s streams\n%s, want\n%s", line, k, got, want[line])
			}
		}
	}
}

// A flushWriter counts how often it is flushed.
type flushWriter struct {
	*httptest.ResponseRecorder
	flushes int
}

func (w *flushWriter) Flush() { w.flushes++ }

// TestStreamFlushes expects that each event is sent at once.
func TestStreamFlushes(t *testing.T) {
	s := newServer(t, nil)
	w := &flushWriter{ResponseRecorder: httptest.NewRecorder()}
	s.ServeHTTP(w, httptest.NewRequest("POST", "/v1/stream", strings.NewReader(`{"text": "the dog sleeps"}`)))
	if n := len(parseEvents(t, w.Body.String())); w.flushes != n || n < 4 {
		t.Errorf("%d flushes for %d events", w.flushes, n)
	}
}
