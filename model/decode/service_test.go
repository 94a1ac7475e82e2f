package decode_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/decode"
)

// TestService sends requests of every kind to the handler of the example.
func TestService(t *testing.T) {
	m, err := model.Open("testdata/en-fr.safetensors")
	if err != nil {
		t.Fatal(err)
	}
	tr, err := decode.New(m, decode.Options{Memory: 64 << 20})
	if err != nil {
		t.Fatal(err)
	}
	defer tr.Close()
	closed, err := decode.New(m, decode.Options{})
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for _, test := range []struct {
		name    string
		handler http.HandlerFunc
		ctx     context.Context
		body    string
		code    int
		says    string
	}{
		{"sentence", service(tr, 1), t.Context(), "q=the+dog+sleeps", 200, "le chien dort dans le jardin\n"},
		{"no text", service(tr, 1), t.Context(), "", 200, "\n"},
		{"not UTF-8", service(tr, 1), t.Context(), "q=%ff", 400, "UTF-8"},
		{"no form", service(tr, 1), t.Context(), "q=%zz", 400, "form"},
		{"long line", service(tr, 1), t.Context(), "q=" + strings.Repeat("a+", 30000), 400, "more than the capacity"},
		{"long body", service(tr, 1), t.Context(), "q=" + strings.Repeat("a", 1<<16), 400, "form"},
		{"overload", service(tr, 0), t.Context(), "q=the+dog", 503, "too many requests"},
		{"closed", service(closed, 1), t.Context(), "q=the+dog", 503, "closed"},
		{"client gone", service(tr, 1), ended, "q=the+dog", 0, ""},
	} {
		for range 2 { // a request leaves its place to the next
			request := httptest.NewRequestWithContext(test.ctx, http.MethodPost, "/", strings.NewReader(test.body))
			request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			w := &response{ResponseRecorder: httptest.NewRecorder()}
			test.handler(w, request)
			if body := w.Body.String(); w.code != test.code || !strings.Contains(body, test.says) || test.code == 0 && body != "" {
				t.Errorf("%s: got %d %q, want %d %q", test.name, w.code, body, test.code, test.says)
			}
		}
	}
}

// A response has code 0 until something is written.
type response struct {
	*httptest.ResponseRecorder
	code int
}

func (r *response) WriteHeader(code int) {
	r.code = code
	r.ResponseRecorder.WriteHeader(code)
}

func (r *response) Write(b []byte) (int, error) {
	if r.code == 0 {
		r.WriteHeader(http.StatusOK)
	}
	return r.ResponseRecorder.Write(b)
}
