package model_test

import (
	"context"
	"fmt"
	"log"
	"runtime"
	"strings"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model"
)

// A service that translates texts divides their sentences among all processors.
func ExamplePool() {
	m, err := model.Open("model.safetensors")
	if err != nil {
		log.Fatal(err)
	}
	capacity := model.Capacity{Sentences: 16, SourceLength: 100, TargetLength: 300}
	pool, err := model.NewPool(kernels.Best(), model.Decoding{Beam: 5}, capacity, runtime.GOMAXPROCS(0), m)
	if err != nil {
		log.Fatal(err)
	}
	lines := []string{"The red car.", "A cat sees the dog.", "The dog sleeps."}
	sentences, output := make([]model.Sentence, len(lines)), make([]string, len(lines))
	for i, line := range lines {
		sentences[i] = model.Sentence{Source: m.Encode(line), Length: 300}
	}
	err = pool.Translate(context.Background(), sentences, func(i int, best []model.Translation) {
		output[i] = m.Decode(best[0].Words)
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(strings.Join(output, "\n"))
}

// A service opens a model once and gives every goroutine a translator of its own.
func Example() {
	m, err := model.Open("model.safetensors")
	if err != nil {
		log.Fatal(err)
	}
	capacity := model.Capacity{Sentences: 1, SourceLength: 100, TargetLength: 300}
	translator, err := model.NewTranslator(kernels.Best(), model.Decoding{Beam: 5}, capacity, m)
	if err != nil {
		log.Fatal(err)
	}
	best, err := translator.Translate(context.Background(), m.Encode("The red car."), 300)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(m.Decode(best[0].Words))
}
