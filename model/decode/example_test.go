package decode_test

import (
	"context"
	"fmt"
	"log"

	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/decode"
)

// Translate lines of text. Empty lines stay empty.
func Example() {
	m, err := model.Open("testdata/en-fr.safetensors")
	if err != nil {
		log.Fatal(err)
	}
	t, err := decode.New(m, decode.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer t.Close()
	lines, err := t.Lines(context.Background(), []string{
		"the dog sleeps in the garden",
		"",
		"the cat eats in the garden",
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, line := range lines {
		fmt.Printf("%q\n", line)
	}
	// Output:
	// "le chien dort dans le jardin"
	// ""
	// "le chat mange dans le jardin"
}

// The three best translations of a line, compared by log p per word.
func ExampleTranslator_Translate() {
	m, err := model.Open("testdata/en-fr.safetensors")
	if err != nil {
		log.Fatal(err)
	}
	t, err := decode.New(m, decode.Options{NBest: 3, Normalization: new(1.0)})
	if err != nil {
		log.Fatal(err)
	}
	defer t.Close()
	line, err := t.Read("the dog sleeps in the garden")
	if err != nil {
		log.Fatal(err)
	}
	best, err := t.Translate(context.Background(), m.EncodeWords(line.Words))
	if err != nil {
		log.Fatal(err)
	}
	for _, b := range best {
		fmt.Printf("%.3f %.3f %s\n", b.LogProb, b.Score, t.Write(line, b).Line)
	}
	// Output:
	// -0.034 -0.005 le chien dort dans le jardin
	// -5.660 -0.707 le chien dort dans le chat jardin
	// -4.389 -0.732 le mange dans le jardin
}

// The beginning of a translation is shown while the rest is computed.
func ExampleTranslator_Stream() {
	m, err := model.Open("testdata/en-fr.safetensors")
	if err != nil {
		log.Fatal(err)
	}
	t, err := decode.New(m, decode.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer t.Close()
	for text, err := range t.Stream(context.Background(), "the cat eats in the garden") {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(text)
	}
	// Output:
	// le
	// le chat
	// le chat mange
	// le chat mange dans
	// le chat mange dans le
	// le chat mange dans le jardin
}

// Compare translations that somebody else made.
func ExampleTranslator_Score() {
	m, err := model.Open("testdata/en-fr.safetensors")
	if err != nil {
		log.Fatal(err)
	}
	t, err := decode.New(m, decode.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer t.Close()
	source := m.Encode("the dog sleeps in the garden")
	for _, line := range []string{"le chien dort dans le jardin", "le chat dort dans le jardin"} {
		target := m.Target.Encode(m.TargetText.Read(line, nil).Words)
		r, err := t.Score(context.Background(), source, target)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%.2f %s %.2f\n", r.LogProb, line, r.LogProbs)
	}
	// Output:
	// -0.03 le chien dort dans le jardin [-0.00 -0.02 -0.01 -0.00 -0.00 -0.01 -0.00]
	// -17.09 le chat dort dans le jardin [-0.00 -5.33 -11.75 -0.00 -0.00 -0.01 -0.00]
}

// A name that the vocabulary lacks is copied from the source.
func ExampleOptions_replaceUNK() {
	m, err := model.Open("testdata/en-fr.safetensors")
	if err != nil {
		log.Fatal(err)
	}
	t, err := decode.New(m, decode.Options{ReplaceUNK: true})
	if err != nil {
		log.Fatal(err)
	}
	defer t.Close()
	line, err := t.Line(context.Background(), "Daniel sleeps in the garden")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(line)
	// Output: Daniel dort dans le jardin
}
