package server_test

import (
	"fmt"
	"io"
	"log"
	"net/http/httptest"
	"strings"

	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/cmd/server"
)

// A translation service. A program would give the handler to an http.Server.
func Example() {
	open := func() ([]*model.Model, error) {
		m, err := model.Open("../../decode/testdata/en-fr.safetensors")
		return []*model.Model{m}, err
	}
	handler, err := server.New(server.Options{Models: []server.Model{{Name: "en-fr", Source: "en", Target: "fr", Open: open}}})
	if err != nil {
		log.Fatal(err)
	}
	defer handler.Close()

	service := httptest.NewServer(handler)
	defer service.Close()
	answer, err := service.Client().Post(service.URL+"/translate", "application/json",
		strings.NewReader(`{"q": ["the dog sleeps", "the cat eats"], "source": "en", "target": "fr"}`))
	if err != nil {
		log.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s", body)
	// Output: {"translatedText":["le chien dort dans le jardin","le chat mange dans la maison"]}
}
