package server

import (
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"
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
	s := newServer(t, func(o *Options) { o.Decoding.Normalization = 0.5 })
	for _, request := range []map[string]any{
		{"text": lines[0]}, {"text": lines[6]}, {"text": ""}, {"text": lines[0], "prefix": []string{"le", "chat"}},
	} {
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
		var done translation
		if err := json.Unmarshal([]byte(list[len(list)-1].data), &done); err != nil {
			t.Fatal(err)
		}
		best := want.Best[0]
		if rounding := done.LogProb - best.LogProb; rounding > 1e-9 || rounding < -1e-9 {
			t.Errorf("%v: log p %v, want %v", request, done.LogProb, best.LogProb)
		}
		if rounding := done.Score - best.Score; rounding > 1e-9 || rounding < -1e-9 {
			t.Errorf("%v: score %v, want %v", request, done.Score, best.Score)
		}
		done.LogProb, done.Score = best.LogProb, best.Score
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
