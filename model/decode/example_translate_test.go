package decode_test

import (
	"context"
	"fmt"
	"log"
	"runtime"
	"strings"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/text"
)

// The best translations of a sentence, compared by log p over the number of words.
func ExampleDecoding() {
	m := englishToFrench()
	capacity := model.Capacity{Sentences: 1, SourceLength: 100, TargetLength: 300}
	d := model.Options{Beam: 5, NBest: 3, Normalization: 1, MinLength: 2, ForbidUNK: true}
	translator, err := model.NewBeam(kernels.Best(), d, capacity, m)
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
func ExampleTranslator_Stream() {
	m := englishToFrench()
	capacity := model.Capacity{Sentences: 1, SourceLength: 100, TargetLength: 300}
	translator, err := model.NewBeam(kernels.Best(), model.Options{Beam: 1}, capacity, m)
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
	pool, err := model.NewPool(kernels.Best(), model.Options{Beam: 5}, capacity, runtime.GOMAXPROCS(0), m)
	if err != nil {
		log.Fatal(err)
	}
	lines := []string{"the dog sleeps in the garden", "the cat sleeps in the house", "the dog eats in the garden"}
	sentences, output := make([]model.Sentence, len(lines)), make([]string, len(lines))
	for i, line := range lines {
		sentences[i] = model.Sentence{Source: m.Encode(line), MaxLength: 300}
	}
	err = pool.Translate(context.Background(), sentences, func(i int, best []model.Translation) {
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
	translator, err := model.NewBeam(kernels.Best(), model.Options{Beam: 5}, capacity, m)
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
