package breakdown

import (
	"fmt"
	"testing"
	"time"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model"
)

// sampled is a model whose products are just worth dividing among threads, so that everything
// else has many samples.
var sampled = model.Config{
	Kind: model.RNNsearch, Order: model.UpdateFirst,
	SourceVocab: 300, TargetVocab: 400, Embedding: 70, Hidden: 96, Alignment: 65, Maxout: 40,
}

// TestEverySample: rules give every sample of an update and of a step to a part.
func TestEverySample(t *testing.T) {
	m, err := model.New(sampled, 1)
	if err != nil {
		t.Fatal(err)
	}
	quantized, err := m.Quantize()
	if err != nil {
		t.Fatal(err)
	}
	for _, threads := range []int{1, 2} {
		team := kernels.NewTeam(threads)
		k := kernels.Best().With(team)
		for name, prepare := range map[string]func() (operation, error){
			Update: func() (operation, error) { return update(k, m, model.Float32, 30, 12) },
			"bf16": func() (operation, error) { return update(k, m, model.BF16, 30, 12) },
			Step:   func() (operation, error) { return step(k, m, 12) },
			"int8": func() (operation, error) { return step(k, quantized, 12) },
		} {
			t.Run(fmt.Sprintf("%s/threads=%d", name, threads), func(t *testing.T) {
				o, err := prepare()
				if err != nil {
					t.Fatal(err)
				}
				every(t, o)
			})
		}
		team.Close()
	}
}

// every runs the operation until there are samples enough, for a second at least.
func every(t *testing.T, o operation) {
	for duration := time.Second; ; duration *= 2 {
		p, err := o.profile(func() error {
			_, err := o.rounds(duration, func() (peak, read float64) { return 0, 0 })
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		list, err := o.attribute(p)
		if err != nil {
			t.Fatal(err)
		}
		total := 0
		for _, p := range list {
			total += p.Samples
		}
		if total >= 50 {
			return
		}
	}
}
