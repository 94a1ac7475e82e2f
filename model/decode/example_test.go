package decode_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strings"
	"sync"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/decode"
	"github.com/softsearch-go/softsearch/model/text"
)

// A service shares one model among its requests, each of which borrows a translator. The
// context of a request ends its translation when the client goes away.
func ExampleBeam_service() {
	m := englishToFrench()
	capacity := model.Capacity{Sentences: 1, SourceLength: 100, TargetLength: 300}
	translators := make(chan *decode.Beam, 2) // as many requests at a time
	for range cap(translators) {
		t, err := decode.NewBeam(kernels.Best(), decode.Options{Beam: 5}, capacity, m)
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

// The best translations of a sentence, compared by log p over the number of words.
func ExampleOptions() {
	m := englishToFrench()
	capacity := model.Capacity{Sentences: 1, SourceLength: 100, TargetLength: 300}
	d := decode.Options{Beam: 5, NBest: 3, Normalization: 1, MinLength: 2, ForbidUNK: true}
	translator, err := decode.NewBeam(kernels.Best(), d, capacity, m)
	if err != nil {
		log.Fatal(err)
	}
	best, err := translator.Translate(context.Background(), m.Encode("the dog sleeps in the garden"), 300)
	if err != nil {
		log.Fatal(err)
	}
	for _, t := range best {
		fmt.Printf("%.3f %.3f %s\n", t.LogProb, t.Score, m.Decode(t.IDs))
	}
	// Output:
	// -0.034 -0.005 le chien dort dans le jardin
	// -4.469 -0.638 le chien mange dans le jardin
	// -5.540 -0.692 le chien dort dans le chat jardin
}

// Words of a translation are shown while the next ones are computed.
func ExampleBeam_Stream() {
	m := englishToFrench()
	capacity := model.Capacity{Sentences: 1, SourceLength: 100, TargetLength: 300}
	translator, err := decode.NewBeam(kernels.Best(), decode.Options{Beam: 1}, capacity, m)
	if err != nil {
		log.Fatal(err)
	}
	source := m.Encode("the cat eats in the garden")
	for word, err := range translator.Stream(context.Background(), source, 300) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(m.Target.Word(word))
	}
	// Output:
	// le
	// chat
	// mange
	// dans
	// le
	// jardin
}

// A pool divides the sentences of a text among all processors.
func ExamplePool() {
	m := englishToFrench()
	capacity := model.Capacity{Sentences: 16, SourceLength: 100, TargetLength: 300}
	pool, err := decode.NewPool(kernels.Best(), decode.Options{Beam: 5}, capacity, runtime.GOMAXPROCS(0), m)
	if err != nil {
		log.Fatal(err)
	}
	lines := []string{"the dog sleeps in the garden", "the cat sleeps in the house", "the dog eats in the garden"}
	sentences, output := make([]decode.Sentence, len(lines)), make([]string, len(lines))
	for i, line := range lines {
		sentences[i] = decode.Sentence{Source: m.Encode(line), MaxLength: 300}
	}
	err = pool.Translate(context.Background(), sentences, func(i int, best []decode.Translation) {
		output[i] = m.Decode(best[0].IDs)
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(strings.Join(output, "\n"))
	// Output:
	// le chien dort dans le jardin
	// le chat dort dans la maison
	// le chien mange dans le jardin
}

// A name that no vocabulary has comes through the translation.
func ExampleTranslation_ReplaceUNK() {
	m := englishToFrench()
	capacity := model.Capacity{Sentences: 1, SourceLength: 100, TargetLength: 300}
	translator, err := decode.NewBeam(kernels.Best(), decode.Options{Beam: 5}, capacity, m)
	if err != nil {
		log.Fatal(err)
	}
	words := text.Tokens("Daniel sleeps in the garden")
	best, err := translator.Translate(context.Background(), m.Source.Encode(words), 300)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(best[0].ReplaceUNK(m.Target, words))
	// Output: [Daniel dort dans le jardin]
}

// englishToFrench returns the model of all examples.
var englishToFrench = sync.OnceValue(func() *model.Model {
	m, err := model.Open("testdata/en-fr.safetensors")
	if err != nil {
		log.Fatal(err)
	}
	return m
})
