package decode_test

import (
	"embed"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"sync"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/text"
)

// A service shares one model among its requests, each of which borrows a translator. The
// context of a request ends its translation when the client goes away.
func ExampleTranslator_service() {
	m := englishToFrench()
	capacity := model.Capacity{Sentences: 1, SourceLength: 100, TargetLength: 300}
	translators := make(chan *model.Beam, 2) // as many requests at a time
	for range cap(translators) {
		t, err := model.NewBeam(kernels.Best(), model.Options{Beam: 5}, capacity, m)
		if err != nil {
			log.Fatal(err)
		}
		translators <- t
	}
	handler := func(w http.ResponseWriter, r *http.Request) {
		t := <-translators
		defer func() { translators <- t }()
		source := m.Encode(r.FormValue("text"))
		best, err := t.Translate(r.Context(), source, min(3*len(source), capacity.TargetLength))
		switch {
		case errors.Is(err, model.ErrCapacity):
			http.Error(w, err.Error(), http.StatusRequestEntityTooLarge)
		case err != nil:
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
		default:
			fmt.Fprint(w, m.Decode(best[0].IDs))
		}
	}
	server := httptest.NewServer(http.HandlerFunc(handler))
	defer server.Close()

	response, err := http.Get(server.URL + "?text=the+dog+sleeps+in+the+garden")
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	if _, err := io.Copy(os.Stdout, response.Body); err != nil {
		log.Fatal(err)
	}
	// Output: le chien dort dans le jardin
}

// Goroutines share a model that nobody trains. Each has a workspace of its own.
func ExampleModel_goroutines() {
	m := englishToFrench()
	examples := text.Examples(pairs, m.Source, m.Target)
	losses := make([]float64, len(examples))
	var wait sync.WaitGroup
	for i, e := range examples {
		wait.Go(func() {
			w, err := model.NewScorer(kernels.Best(), m, model.Capacity{Sentences: 1, SourceLength: 10, TargetLength: 10})
			if err != nil {
				log.Fatal(err)
			}
			if losses[i], err = w.Loss([]text.Example{e}); err != nil {
				log.Fatal(err)
			}
		})
	}
	wait.Wait()
	fmt.Printf("%.4f\n", losses)
	// Output: [0.0111 0.0086 0.0144 0.0107 0.0148 0.0039 0.0041 0.0038 0.0082]
}

//go:embed testdata/tiny.safetensors
var files embed.FS

// A program that carries its model within itself.
func ExampleRead() {
	f, err := files.Open("testdata/tiny.safetensors")
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	m, err := model.Read(f)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(m.Config.Kind, m.Source.Size(), "source words,", m.Target.Size(), "target words")
	// Output: search 9 source words, 11 target words
}
