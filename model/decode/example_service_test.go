package decode_test

import (
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/decode"
)

// service answers with the translation of the form value q, to at most that many requests at a time.
// The translator batches the requests that are there at the same time, and drops those whose clients
// have gone.
func service(t *decode.Translator, requests int) http.HandlerFunc {
	const maxBody = 1 << 16
	places := make(chan struct{}, requests)
	return func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, maxBody)
		if err := r.ParseForm(); err != nil || !utf8.ValidString(r.Form.Get("q")) {
			http.Error(w, "expected a form of UTF-8 text", http.StatusBadRequest)
			return
		}
		select {
		case places <- struct{}{}:
			defer func() { <-places }()
		default:
			http.Error(w, "too many requests", http.StatusServiceUnavailable)
			return
		}
		line, err := t.Line(r.Context(), r.Form.Get("q"))
		switch {
		case r.Context().Err() != nil: // nobody waits for an answer
		case errors.Is(err, model.ErrCapacity): // too long
			http.Error(w, err.Error(), http.StatusBadRequest)
		case errors.Is(err, decode.ErrClosed):
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
		case err != nil:
			http.Error(w, err.Error(), http.StatusInternalServerError)
		default:
			fmt.Fprintln(w, line)
		}
	}
}

// A translation service.
func Example_service() {
	m, err := model.Open("testdata/en-fr.safetensors")
	if err != nil {
		log.Fatal(err)
	}
	t, err := decode.New(m, decode.Options{ReplaceUNK: true, Memory: 256 << 20})
	if err != nil {
		log.Fatal(err)
	}
	defer t.Close()
	server := httptest.NewServer(service(t, 1000))
	defer server.Close()

	for _, q := range []string{"the dog sleeps in the garden", strings.Repeat("the dog and ", 2000)} {
		response, err := http.PostForm(server.URL, url.Values{"q": {q}})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Print(response.StatusCode, " ")
		io.Copy(os.Stdout, response.Body)
		response.Body.Close()
	}
	// Output:
	// 200 le chien dort dans le jardin
	// 400 source of 6001 words, beam of 5 and translation of up to 18003 words take 2079.7 MiB: more than the capacity of 256.0 MiB
}
