package decode

import (
	"context"
	"fmt"
	"testing"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/internal/fixture"
	"github.com/softsearch-go/softsearch/model/text"
)

// allocCapacity is the capacity of the searches whose allocations are counted.
var allocCapacity = model.Capacity{Sentences: 30, SourceLength: 9, TargetLength: 11}

// noAllocations fails if f allocates in any call but the first.
func noAllocations(t *testing.T, what string, k kernels.Impl, f func()) {
	t.Helper()
	if n := testing.AllocsPerRun(3, f); n != 0 {
		t.Errorf("%s: %s: got %v allocations, want 0", k, what, n)
	}
}

func TestNoAllocations(t *testing.T) {
	eachVariant(t, smallConfig, func(t *testing.T, c model.Config) {
		eachImpl(t, func(t *testing.T, k kernels.Impl) {
			m, lists := randomModel(t, c, 31, 0.3), allocLists(c)
			translateAllocations(t, k, m, lists)
			if fixture.Full() || k == kernels.Best() {
				optionAllocations(t, k, m, lists)
			}
		})
	})
}

// allocLists returns batches with limits of all lengths: the largest first, then ones with fewer and
// shorter sentences.
func allocLists(c model.Config) [][]Sentence {
	r := newRand(30)
	var lists [][]Sentence
	for _, n := range []int{allocCapacity.Sentences, 1, 17, 30, 4} {
		longest := allocCapacity.SourceLength
		if len(lists) > 0 {
			longest = 1 + r.IntN(longest)
		}
		list := make([]Sentence, n)
		for i := range list {
			length := 1 + r.IntN(longest)
			if i == 0 {
				length = longest
			}
			list[i] = Sentence{Source: randomWords(r, length, c.SourceVocab), MaxLength: 1 + i%allocCapacity.TargetLength}
		}
		lists = append(lists, list)
	}
	return lists
}

func translateAllocations(t *testing.T, k kernels.Impl, m *model.Model, lists [][]Sentence) {
	t.Helper()
	b := searcherOf(t, k, Options{Beam: 6}, allocCapacity, m)
	ctx := t.Context()
	for _, what := range []string{"beam", "beam with placeholders"} {
		noAllocations(t, what, k, func() {
			for _, list := range lists {
				if _, err := b.batch(ctx, list); err != nil {
					t.Fatal(err)
				}
			}
		})
		numbers := []uint8{3: 1, 7: 2, 8: 3, 30: 0} // some words
		for _, k := range b.tasks {
			k.keep = &keep{placeholders: &placeholders{ids: []int32{3, 7, 8}, source: numbers, target: numbers}}
		}
	}
}

// optionAllocations uses all options, a context that can end, a translation to score and a greedy
// search that reports its words.
func optionAllocations(t *testing.T, k kernels.Impl, m *model.Model, lists [][]Sentence) {
	t.Helper()
	models := append(ensembleOf(t, m.Config, 2, 32, 0.3), m)
	setBias(models[0], int(text.EOS), -90)
	o := Options{Beam: 6, NBest: 4, Normalization: new(0.6), MinLength: 2, ForbidUNK: true}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for _, width := range []int{6, 1} {
		o.Beam, o.NBest = width, min(width, 4)
		b, words := searcherOf(t, k, o, allocCapacity, models...), 0
		if width == 1 {
			b.tasks[0].mode = stream{word: func(Word) { words++ }}
			b.tasks[1].mode = score{3, 4, 0}
		}
		noAllocations(t, fmt.Sprintf("beam of %d with all options", width), k, func() {
			for _, list := range lists {
				if _, err := b.batch(ctx, list); err != nil {
					t.Fatal(err)
				}
			}
		})
		if width == 1 && words == 0 {
			t.Error("a greedy search reported no word")
		}
	}
}
