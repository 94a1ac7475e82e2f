package model_test

import (
	"fmt"
	"log"
	"strings"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/text"
)

// A service opens a model once and gives every goroutine a translator of its own.
func Example() {
	m, err := model.Open("model.safetensors")
	if err != nil {
		log.Fatal(err)
	}
	capacity := model.Capacity{Sentences: 1, SourceLength: 100, TargetLength: 300}
	translator, err := model.NewTranslator(kernels.Best(), m, 5, capacity) // a beam of 5
	if err != nil {
		log.Fatal(err)
	}
	t, err := translator.Translate(m.Source.Encode(text.Tokens("the red car .")), 300)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(strings.Join(m.Target.Decode(t.Words), " "))
}
