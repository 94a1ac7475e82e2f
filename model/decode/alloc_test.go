package decode

import (
	"context"
	"fmt"
	"testing"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/text"
)

// allocCapacity is that of the searches whose allocations are counted.
var allocCapacity = model.Capacity{Sentences: 30, SourceLength: 9, TargetLength: 11}

// noAllocations fails if a call of f allocates after the first one.
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
			batchAllocations(t, k, m, lists)
			poolAllocations(t, k, m, lists)
			decodingAllocations(t, k, m, lists)
		})
	})
}

// allocLists returns the largest batch first, then others of fewer and shorter sentences, with
// limits of all lengths.
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
			list[i] = Sentence{randomWords(r, length, c.SourceVocab), 1 + i%allocCapacity.TargetLength}
		}
		lists = append(lists, list)
	}
	return lists
}

func translateAllocations(t *testing.T, k kernels.Impl, m *model.Model, lists [][]Sentence) {
	t.Helper()
	tr, ctx := newTranslator(t, k, m, 6, allocCapacity.SourceLength, 10), t.Context()
	noAllocations(t, "Translator.Translate", k, func() {
		for i, e := range lists[0][:6] {
			if _, err := tr.Translate(ctx, e.Source, 10-i); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func batchAllocations(t *testing.T, k kernels.Impl, m *model.Model, lists [][]Sentence) {
	t.Helper()
	tr, err := NewBeam(k, Options{Beam: 6}, allocCapacity, m)
	if err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	noAllocations(t, "Translator.TranslateBatch", k, func() {
		for _, list := range lists {
			if _, err := tr.TranslateBatch(ctx, list); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func poolAllocations(t *testing.T, k kernels.Impl, m *model.Model, lists [][]Sentence) {
	t.Helper()
	capacity := allocCapacity
	capacity.Sentences = 4
	words, ctx := 0, t.Context()
	count := func(_ int, best []Translation) { words += len(best[0].IDs) }
	for _, threads := range []int{1, 3} {
		p := newPool(t, k, m, 6, capacity, threads)
		noAllocations(t, fmt.Sprintf("Pool.Translate on %d threads", threads), k, func() {
			for _, list := range lists {
				if err := p.Translate(ctx, list, count); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// decodingAllocations has all settings, a context that can end, and streams, of which each
// allocates what a loop over a function does and no word anything.
func decodingAllocations(t *testing.T, k kernels.Impl, m *model.Model, lists [][]Sentence) {
	t.Helper()
	models := append(ensembleOf(t, m.Config, 2, 32, 0.3), m)
	setBias(models[0], int(text.EOS), -90)
	d := Options{Beam: 6, NBest: 4, Normalization: 0.6, MinLength: 2, ForbidUNK: true}
	tr := decoderOf(t, k, d, allocCapacity, models...)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	noAllocations(t, "Translator.TranslateBatch with all settings", k, func() {
		for _, list := range lists {
			if _, err := tr.TranslateBatch(ctx, list); err != nil {
				t.Fatal(err)
			}
		}
	})
	stream := func(length int) float64 {
		return testing.AllocsPerRun(3, func() {
			for _, err := range tr.Stream(ctx, lists[0][0].Source, length) {
				if err != nil {
					t.Fatal(err)
				}
			}
		})
	}
	if short, long := stream(1), stream(10); short > 3 || long != short {
		t.Errorf("%s: Translator.Stream: %v allocations for a word and %v for ten, want the same few", k, short, long)
	}
}
