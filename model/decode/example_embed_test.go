package decode_test

import (
	"context"
	"embed"
	"fmt"
	"log"

	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/decode"
)

//go:embed testdata/en-fr.safetensors
var files embed.FS

// A program that carries its model within itself.
func Example_embed() {
	f, err := files.Open("testdata/en-fr.safetensors")
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	m, err := model.Read(f)
	if err != nil {
		log.Fatal(err)
	}
	t, err := decode.New(m, decode.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer t.Close()
	line, err := t.Line(context.Background(), "the dog eats in the garden")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(line)
	// Output: le chien mange dans le jardin
}
